// What the keys do: a list that "?" opens in every view, and a button beside the title. A talk has a list of its own.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { viewInSight } from "./trail.js";

const PICTURE = ["patches", "release"];
const KEYS = {
  search: ["ask", ...PICTURE, "paint", "frames"],
  captions: ["strip", ...PICTURE],
  compare: ["strip", ...PICTURE],
  why: ["ask", "release"],
  edit: ["ask", "object"],
  judge: ["strip", "patches"],
  generate: ["ask"],
  losses: ["cells"],
  lesson: ["turn", "strip", "talk", "settings"],
};
const TYPED = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const TALKS = { settings: "settings", list: "keys" }; // rows that a talk's list has too

// A dialog that lists keys, [[key, what it does], ...], under a title; it lies in `place` while it is open.
export function keysDialog(place, title, rows) {
  const shut = button({ click: () => close() }, say("talk.close"));
  const list = h("dl", {}, ...rows.flatMap(([key, does]) => [h("dt", {}, key), h("dd", {}, does)]));
  const dialog = h("dialog", { class: "seps-keys", "aria-label": title }, h("b", {}, title), list, shut);
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "?" || event.key === "Escape") {
      event.preventDefault(); // and leaves the talk as it is
      close();
    }
    event.stopPropagation();
  });

  function close() {
    dialog.close();
    dialog.remove();
  }

  return {
    isOpen: () => dialog.open,
    close,
    open: () => {
      place.append(dialog);
      dialog.showModal();
    },
  };
}

// The keys of a view by its name in links.
export function keysOf(view) {
  const row = (name) => {
    const shared = TALKS[name];
    if (shared) return [say(`talk.keys_${shared}`), say(`talk.does_${shared}`)];
    return [say(`keys.key_${name}`), say(`keys.does_${name}`)];
  };
  const isHere = (name) => name !== "frames" || document.getElementById("own-video");
  return ["tab", ...(KEYS[view] ?? []).filter(isHere), "list"].map(row);
}

function listKeys() {
  const place = h("div", { class: "seps-view" });
  (document.querySelector(".gradio-container") ?? document.body).append(place);
  const dialog = keysDialog(place, say("keys.title"), keysOf(viewInSight()));
  dialog.open();
  place.firstChild.addEventListener("close", () => place.remove());
}

// The button that does the same.
export function keysButton() {
  const label = say("talk.keys_hint");
  return button({ class: "seps-list-keys", title: label, "aria-label": label, click: listKeys }, "?");
}

export function noticeKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest(TYPED)) return;
    if (document.querySelector(".seps-talk, dialog[open]")) return;
    event.preventDefault();
    listKeys();
  });
}
