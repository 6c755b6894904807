// What the markup of Gradio 6.31.0 lacks for people who use a screen reader, mended where it is drawn. Nothing else on the
// page touches what is not ours; what is ours stands in a .seps-view or a .seps-list.

import { h } from "../base/dom.js";

const OURS = ".seps-view, .seps-list";

const isOurs = (element) => element.closest(OURS) !== null;
const words = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();

function mend() {
  // A button is called by what stands on it, so that who speaks to a computer can name it.
  for (const button of document.querySelectorAll(".gradio-container button[aria-label]")) {
    const text = words(button.textContent);
    if (text && !isOurs(button) && !words(button.getAttribute("aria-label")).includes(text)) button.removeAttribute("aria-label");
  }
  // A choice of one among several has its title as its name.
  for (const group of document.querySelectorAll(".gradio-container fieldset:not([aria-label])")) {
    const title = group.querySelector('[data-testid="block-info"]')?.textContent.trim();
    if (title && !isOurs(group)) group.setAttribute("aria-label", title);
  }
  // Whether what a button unfolds is open.
  for (const button of document.querySelectorAll(".gradio-container .label-wrap")) {
    const open = String(button.classList.contains("open"));
    if (button.getAttribute("aria-expanded") !== open) button.setAttribute("aria-expanded", open);
  }
  // A table of Markdown scrolls in a box that the keyboard reaches, as those of ours do, where the page is narrower.
  for (const table of document.querySelectorAll(".gradio-container .md table")) {
    if (table.closest(".wide")) continue;
    const name = [...table.querySelectorAll("th")].map((cell) => cell.textContent.trim()).filter(Boolean).join(", ");
    const box = h("div", { class: "wide", role: "group", tabindex: 0, "aria-label": name });
    table.replaceWith(box);
    box.append(table);
  }
}

export function mendGradio() {
  let asked = 0;
  new MutationObserver(() => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(mend);
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class"] });
  mend();
}
