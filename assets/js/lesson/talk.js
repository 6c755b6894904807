// The lesson's keys, and its mode for talks: full screen, and every key of a presenter's remote turns. A talk goes to
// the losses and comes back.

import { button } from "../base/dom.js";
import { say } from "../base/words.js";
import { createBlank, createKeys, keepInside } from "./keys.js";

// The button of another part of the same place: of the losses, or of the lesson.
export const partOf = (name) => document.querySelector(`.switch [data-part="${name}"]`);
const FORWARD = ["ArrowRight", "PageDown", " ", "ArrowDown"];
const BACK = ["ArrowLeft", "PageUp", "ArrowUp"];
const SIDEWAYS = ["ArrowRight", "ArrowLeft"];
const ANYWHERE = [...SIDEWAYS, "PageDown", "PageUp"]; // turn outside a talk too
const MOVING = [...SIDEWAYS, "ArrowUp", "ArrowDown", "Home", "End"]; // a slider, a list or a choice
const TYPED = "input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]";

// Whether what has focus takes a key for itself: a text field every one, other controls those that move or press them.
function takes(at, key) {
  if (at.closest(TYPED)) return true;
  if (MOVING.includes(key)) return at.closest("input[type=range], input[type=radio], select") !== null;
  return key === " " && at.closest("button, a, summary, select, input") !== null;
}

// Whether a key is a user's choice, pressed without modifiers and not used by a control.
function isFree(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return false;
  return !takes(event.target instanceof Element ? event.target : document.body, event.key);
}

// Note a talk requested while the lesson is computed; return a function that reports it once.
export function askedEarly(element) {
  let asked = false;
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && isFree(event) && element.querySelector(".seps-waiting")?.offsetParent) asked = !asked;
  });
  return () => {
    const was = asked;
    asked = false;
    return was;
  };
}

// turn(by) goes on or back; go(step) to a step, by default the last; changed(told) follows the mode or its settings,
// with `told` set if the user changed it.
export function createTalk(root, { turn, go, changed }) {
  let on = false;
  let away = false; // a talk is at the losses
  let hidden = false; // and the lesson out of sight
  const talk = button(
    { class: "seps-talk-button", title: say("button.talk_hint"), "aria-pressed": "false", click: () => set(!on) },
    say("button.talk"),
  );
  const settings = button(
    { class: "seps-settings-button", title: say("button.settings_hint"), "aria-expanded": "false", click: () => open() },
    say("button.settings"),
  );
  const keys = createKeys(root, Boolean(partOf("losses")));
  const help = button({ class: "seps-keys-button", title: say("talk.keys_hint"), "aria-label": say("talk.keys_hint"), click: keys.open }, "?");
  const blank = createBlank(root);
  const losses = button({ class: "seps-losses-button", title: say("talk.losses_hint"), click: leave }, say("talk.losses"));

  function set(next, announces = true) {
    if (next === on) return;
    on = next;
    root.classList.toggle("seps-talk", on);
    talk.textContent = say(on ? "button.leave" : "button.talk");
    talk.setAttribute("aria-pressed", on);
    unfold(false);
    keys.close();
    blank.lift();
    // The whole page where there are losses to go to. Refused: the class alone fills the window.
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

  // Beside a talk the settings are in sight: focus goes there.
  function open() {
    if (!on) {
      root.querySelector(".seps-knobs input:not([disabled])")?.focus();
      return;
    }
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
    set,
    seen,
    end: () => {
      set(false, false);
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("fullscreenchange", onFullscreen);
    },
  };
}
