// A caption's tokens as buttons; "##" continues the word before.

import { button, h } from "../base/dom.js";

// The row of buttons; `choose` is given the index of the clicked one.
export function tokenButtons(labels, name, choose) {
  const buttons = labels.map((label, index) => {
    const goesOn = label.startsWith("##");
    return button(
      { class: goesOn ? "seps-goes-on" : null, "data-token": index, click: () => choose(index) },
      goesOn ? label.slice(2) : label,
    );
  });
  return { buttons, element: h("div", { class: "seps-tokens", role: "group", "aria-label": name }, ...buttons) };
}
