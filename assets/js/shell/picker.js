// A row of photos of which one is chosen.

import { button, h, press } from "../base/dom.js";
import { keepingFocus, roving } from "../base/focus.js";
import { say } from "../base/words.js";

// choose(key): a photo was pressed.
export function photoPicker({ choose }) {
  const element = h("div", { class: "picker", role: "group", "aria-label": say("app.photos") });
  let shown = null;

  function show(items, key) {
    if (shown !== items) {
      shown = items;
      keepingFocus(element, () => element.replaceChildren(...items.map(({ key: name, title, thumb }) => button(
        { class: "pick", "data-key": name, title, "aria-label": title, click: () => choose(name) }, h("img", { src: thumb, alt: "", loading: "lazy" })))));
      roving(element, "button");
    }
    press(element.children, ({ dataset }) => dataset.key === key);
    const chosen = element.querySelector('[aria-pressed="true"]');
    if (chosen && (chosen.offsetLeft < element.scrollLeft || chosen.offsetLeft > element.scrollLeft + element.clientWidth - 80)) {
      element.scrollLeft = chosen.offsetLeft - element.clientWidth / 2;
    }
  }

  return { element, show };
}
