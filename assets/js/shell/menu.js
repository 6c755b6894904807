// A menu that opens below its button: Escape, a click elsewhere, and a choice close it.

import { h } from "../base/dom.js";

// Returns {element, list, close}: `list` takes the buttons.
export function foldedMenu(label, name = "more") {
  const list = h("div", { class: "more-list", role: "group", "aria-label": label });
  const summary = h("summary", {}, label);
  const element = h("details", { class: name }, summary, list);
  const close = () => { element.open = false; };

  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    event.stopPropagation();
    close();
    summary.focus();
  });
  document.addEventListener("click", ({ target }) => element.contains(target) || close());
  return { element, list, close };
}
