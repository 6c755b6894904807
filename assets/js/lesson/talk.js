// The lesson's keys, and its mode for talks: full screen, and every key of a presenter's remote turns.

import { button } from "../base/dom.js";
import { say } from "../base/words.js";

const FORWARD = ["ArrowRight", "PageDown", " ", "ArrowDown"];
const BACK = ["ArrowLeft", "PageUp", "ArrowUp"];
const SIDEWAYS = ["ArrowRight", "ArrowLeft"];

// turn(by) goes on or back; go(last) to the first or the last step; changed(told) follows the mode or its settings,
// `told` where a person changed it.
export function createTalk(root, { turn, go, changed }) {
  let on = false;
  const talk = button(
    { class: "seps-talk-button", title: say("button.talk_hint"), "aria-pressed": "false", click: () => set(!on) },
    say("button.talk"),
  );
  const settings = button(
    { class: "seps-settings-button", title: say("button.settings_hint"), "aria-expanded": "false", click: () => open() },
    say("button.settings"),
  );

  function set(next, told = true) {
    if (next === on) return;
    on = next;
    root.classList.toggle("seps-talk", on);
    talk.textContent = say(on ? "button.leave" : "button.talk");
    talk.setAttribute("aria-pressed", on);
    unfold(false);
    if (on && told) root.requestFullscreen?.().catch(() => {}); // refused: the class alone fills the window
    if (!on && document.fullscreenElement === root) document.exitFullscreen();
    changed(told);
  }

  function unfold(opened) {
    root.classList.toggle("seps-open", opened);
    settings.setAttribute("aria-expanded", opened);
  }

  function open() {
    unfold(!root.classList.contains("seps-open"));
    changed(false);
  }

  // Beside a talk the arrows alone turn, and only where nothing else wants them.
  function onKey(event) {
    const { key } = event;
    if (!on && root.offsetParent === null) return;
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = event.target instanceof Element ? event.target : document.body;
    const ours = at === document.body || at === document.documentElement || root.contains(at);
    if (!ours || at.closest("input, select, textarea, [contenteditable]")) return;
    if (key === " " && at.closest("button, a, summary")) return;
    if (key === "t") set(!on);
    else if (!on && !SIDEWAYS.includes(key)) return;
    else if (key === "k") open();
    else if (key === "Escape") set(false);
    else if (key === "Home" || key === "End") go(key === "End");
    else if (FORWARD.includes(key)) turn(1);
    else if (BACK.includes(key)) turn(-1);
    else return;
    event.preventDefault();
  }

  function onFullscreen() {
    if (!document.fullscreenElement) set(false);
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("fullscreenchange", onFullscreen);
  return {
    buttons: [settings, talk],
    on: () => on,
    set,
    end: () => {
      set(false, false);
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("fullscreenchange", onFullscreen);
    },
  };
}
