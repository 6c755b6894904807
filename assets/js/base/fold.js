// Numbers that a reader may unfold: the plain words stand before them.

import { h } from "./dom.js";
import { say } from "./words.js";

// The fold of some lines, those that are empty left out; null where all are. demo/views/photos.py makes the same.
export function fold(...lines) {
  const paragraphs = lines.filter(Boolean).map((line) => h("p", {}, line));
  return paragraphs.length ? h("details", { class: "seps-fold" }, h("summary", {}, say("fold.numbers")), ...paragraphs) : null;
}

export function refold(place, ...lines) {
  const open = place.firstElementChild?.open;
  const next = fold(...lines);
  if (next && open) next.open = true;
  place.replaceChildren(...(next ? [next] : []));
}
