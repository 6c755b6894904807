// The lesson's keys, and its talk mode: full screen, turned by a presenter's remote; a talk goes to the losses and back.

import { button, h } from "../base/dom.js";
import { isFree, keysDialog } from "../base/keys.js";
import { say } from "../base/words.js";

// The button of another part of the same place: of the losses, or of the lesson.
export const partOf = (name) => document.querySelector(`.switch [data-part="${name}"]`);
const FORWARD = ["ArrowRight", "PageDown", " ", "ArrowDown"];
const BACK = ["ArrowLeft", "PageUp", "ArrowUp"];
const SIDEWAYS = ["ArrowRight", "ArrowLeft"];
const KEYS = ["turn", "ends", "digits", "settings", "losses", "blank", "keys", "leave"]; // of a talk, as the table names them
const FOCUSABLE = "button, input, select, summary, a[href], [tabindex='0']";
const ANYWHERE = [...SIDEWAYS, "PageDown", "PageUp"]; // turn outside a talk too

// Note a talk requested while the lesson is computed; return a function that reports it once.
export function askedEarly(element) {
  let asked = false;
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && isFree(event) && element.querySelector(".seps-empty")?.offsetParent) asked = !asked;
  });
  return () => {
    const was = asked;
    asked = false;
    return was;
  };
}

// turn(by), go(step), by default to the last; changed(byUser) is called when the mode or its settings change.
export function createTalk(root, { turn, go, changed }) {
  let on = false;
  let away = false; // a talk is at the losses
  let hidden = false; // and the lesson out of sight
  const made = (name, hint, click, label, looks = {}) =>
    button({ class: `seps-${name}-button`, title: say(hint), click, ...looks }, label);
  const talk = made("talk", "button.talk_hint", () => set(!on), say("button.talk"), { "aria-pressed": "false" });
  const settings = made("settings", "button.settings_hint", () => open(), say("button.settings"), { "aria-expanded": "false" });
  const names = KEYS.filter((name) => partOf("losses") || name !== "losses");
  const keys = keysDialog(root, say("talk.keys"), () => names.map((name) => [say(`talk.keys_${name}`), say(`talk.does_${name}`)]));
  const help = made("keys", "talk.keys_hint", keys.open, "?", { "aria-label": say("talk.keys_hint") });
  const blank = createBlank(root);
  const losses = made("losses", "talk.losses_hint", leave, say("talk.losses"));

  function set(next, announces = true) {
    if (next === on) return;
    on = next;
    root.classList.toggle("seps-talk", on);
    talk.textContent = say(on ? "button.leave" : "button.talk");
    talk.setAttribute("aria-pressed", on);
    unfold(false);
    keys.close();
    blank.lift();
    // Full screen, of the whole page if the losses can be opened from it. If refused, the class fills the window anyway.
    if (on && announces) (partOf("losses") ? document.documentElement : root).requestFullscreen?.().catch(() => {});
    if (!on && !away && document.fullscreenElement) document.exitFullscreen();
    changed(announces);
  }

  // Whether a talk is at the losses, which are large then.
  function stay(elsewhere) {
    away = elsewhere;
    document.documentElement.classList.toggle("seps-hall", away);
  }

  // To the losses, in full screen still; whatever shows the lesson again goes on with the talk.
  function leave() {
    stay(true);
    set(false);
    partOf("losses")?.click();
  }

  function seen(visible) {
    if (!visible) hidden = away;
    else if (away && hidden) {
      hidden = false;
      stay(false);
      set(true);
    }
  }

  function unfold(opened) {
    root.classList.toggle("seps-open", opened);
    settings.setAttribute("aria-expanded", opened);
  }

  // Outside talk mode the settings are visible: focus them.
  function open() {
    if (!on) return void root.querySelector(".seps-knobs input:not([disabled])")?.focus();
    unfold(!root.classList.contains("seps-open"));
    changed(false);
    if (root.matches(".seps-narrow.seps-open")) root.querySelector(".seps-knobs").scrollIntoView({ block: "start" });
  }

  // Wherever focus is, unless what has it takes the key.
  function onKey(event) {
    const { key } = event;
    if (on && key === "Tab") keepInside(root, event);
    if (!isFree(event) || keys.isOpen()) return;
    if (blank.lift()) return event.preventDefault();
    if (away && (key === "t" || key === "l")) partOf("lesson").click();
    else if (away && key === "Escape") stay(false);
    else if (!on && root.offsetParent === null) return;
    else if (key === "t") set(!on);
    else if (key === "k") open();
    else if (!on && !ANYWHERE.includes(key)) return;
    else if (key === "l") leave();
    else if (key === "Escape") set(false);
    else if (key === "?") keys.open();
    else if (key === "b") blank.lower();
    else if (key === "Home") go(1);
    else if (key === "End") go();
    else if (/^[1-9]$/.test(key)) go(Number(key));
    else if (FORWARD.includes(key)) turn(1);
    else if (BACK.includes(key)) turn(-1);
    else return;
    event.preventDefault();
  }

  function onFullscreen() {
    if (document.fullscreenElement) return;
    stay(false);
    set(false);
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("fullscreenchange", onFullscreen);
  return {
    buttons: partOf("losses") ? [help, losses, settings, talk] : [help, settings, talk],
    on: () => on,
    set, seen,
    end: () => {
      set(false, false);
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("fullscreenchange", onFullscreen);
    },
  };
}

// A black screen: `lower` lets it down, and `lift` removes it and returns whether it was shown.
function createBlank(root) {
  const screen = h("div", { class: "seps-blank", role: "img", "aria-label": say("talk.blank"), click: () => lift() });
  const lift = () => {
    const was = screen.isConnected;
    screen.remove();
    return was;
  };
  return { lower: () => root.append(screen), lift };
}

// Let the tab key go from the last control of an element to its first, and back.
function keepInside(root, event) {
  const controls = [...root.querySelectorAll(FOCUSABLE)].filter((control) => !control.disabled && control.getClientRects().length);
  const at = controls.indexOf(document.activeElement);
  const inside = root.contains(document.activeElement);
  const leaves = event.shiftKey ? at === 0 : at === controls.length - 1;
  if (inside && !leaves && (at >= 0 || !event.shiftKey)) return;
  event.preventDefault();
  (event.shiftKey ? controls[controls.length - 1] : controls[0])?.focus();
}
