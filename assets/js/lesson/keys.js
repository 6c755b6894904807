// What a talk has besides its pictures: a list of its keys, a black screen, and focus that stays in it.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";

const KEYS = ["turn", "ends", "digits", "settings", "losses", "blank", "keys", "leave"];
const FOCUSABLE = "button, input, select, summary, a[href], [tabindex='0']";

// A dialog that lists the keys, in `root` while it is open; `toLosses`: whether there are losses to go to.
export function createKeys(root, toLosses) {
  const names = KEYS.filter((name) => toLosses || name !== "losses");
  const list = names.flatMap((name) => [h("dt", {}, say(`talk.keys_${name}`)), h("dd", {}, say(`talk.does_${name}`))]);
  const title = say("talk.keys");
  const shut = button({ click: () => close() }, say("talk.close"));
  const dialog = h("dialog", { class: "seps-keys", "aria-label": title }, h("b", {}, title), h("dl", {}, ...list), shut);
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
      root.append(dialog);
      dialog.showModal();
    },
  };
}

// A black screen: `lower` lets it down, and `lift` removes it and returns whether it was shown.
export function createBlank(root) {
  const screen = h("div", { class: "seps-blank", role: "img", "aria-label": say("talk.blank"), click: () => lift() });
  const lift = () => {
    const was = screen.isConnected;
    screen.remove();
    return was;
  };
  return { lower: () => root.append(screen), lift };
}

// Let the tab key go from the last control of an element to its first, and back.
export function keepInside(root, event) {
  const controls = [...root.querySelectorAll(FOCUSABLE)].filter((control) => !control.disabled && control.getClientRects().length);
  const at = controls.indexOf(document.activeElement);
  const inside = root.contains(document.activeElement);
  const leaves = event.shiftKey ? at === 0 : at === controls.length - 1;
  if (inside && !leaves && (at >= 0 || !event.shiftKey)) return;
  event.preventDefault();
  (event.shiftKey ? controls[controls.length - 1] : controls[0])?.focus();
}
