// Keys of the keyboard: which of them are free, and a dialog that lists them.

import { button, h } from "./dom.js";
import { say } from "./words.js";

const MOVING = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]; // a slider, a list or a choice
const TYPED = "input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]";

// Whether what has focus takes a key for itself: a text field every one, other controls those that move or press them.
function takes(at, key) {
  if (at.closest(TYPED)) return true;
  if (MOVING.includes(key)) return at.closest("input[type=range], input[type=radio], select") !== null;
  return key === " " && at.closest("button, a, summary, select, input") !== null;
}

// Whether a key is a user's choice, pressed without modifiers and not used by a control.
export function isFree(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return false;
  return !takes(event.target instanceof Element ? event.target : document.body, event.key);
}

// A dialog that lists keys, in `root` while it is open; rows(): [key, what it does] of each, read when it opens.
export function keysDialog(root, title, rows) {
  const list = h("dl", {});
  const close = () => dialog.close();
  const keydown = (event) => {
    event.stopPropagation();
    if (event.key !== "?" && event.key !== "Escape") return;
    event.preventDefault(); // and leaves a talk as it is
    close();
  };
  const looks = { class: "seps-view seps-keys", "aria-label": title, keydown, close: () => dialog.remove() };
  const dialog = h("dialog", looks, h("b", {}, title), list, button({ click: close }, say("talk.close")));

  function open() {
    list.replaceChildren(...rows().flatMap(([key, does]) => [h("dt", {}, key), h("dd", {}, does)]));
    root.append(dialog);
    dialog.showModal();
  }

  return { isOpen: () => dialog.open, open, close };
}
