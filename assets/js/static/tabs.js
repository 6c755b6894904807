// The views as tabs.

import { isShortcut } from "../base/focus.js";

// opened(name) is called whenever a tab is opened; returns what opens one by its name, and gives it the focus where what
// had it is out of sight now.
export function tabs(opened) {
  const list = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('#views [role="tab"]')]);
  function open(tab) {
    for (const other of list) {
      const isOpen = other === tab;
      other.setAttribute("aria-selected", String(isOpen));
      other.setAttribute("tabindex", isOpen ? "0" : "-1");
      other.classList.toggle("selected", isOpen);
      document.getElementById(other.getAttribute("aria-controls")).hidden = !isOpen;
    }
    opened(tab.dataset.tabId);
  }
  for (const [index, tab] of list.entries()) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || isShortcut(event)) return;
      const next = list[(index + step + list.length) % list.length];
      open(next);
      next.focus();
    });
  }
  return (name, hasFocus = false) => {
    const tab = list.find(({ dataset }) => dataset.tabId === name) ?? list[0];
    open(tab);
    if (hasFocus) tab.focus();
  };
}
