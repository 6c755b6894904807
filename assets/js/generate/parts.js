// Parts of the views of Generate: shares of a picture's places over it, a caption's tokens and statements.

import { drawImage, paintPatches } from "../base/canvas.js";
import { look } from "../base/colours.js";
import { h, button } from "../base/dom.js";
import { scaleBar } from "../picture/legend.js";
import { say } from "../base/words.js";

const OPACITY = 0.75;

// Draw an image so that it fills the canvas; with `values` of a `grid` [rows, columns], it is grey under their colours.
export function drawHeat(canvas, image, { grid, values, high }) {
  drawImage(canvas, image, Boolean(values));
  if (values) paintPatches(canvas, grid, (patch) => look(values[patch], [0, high], OPACITY));
}

export function heatKey(label, high) {
  return h("div", { class: "seps-legend" },
    h("span", { class: "seps-scale-label" }, label),
    h("output", { class: "low", "data-value": 0 }, "0"), scaleBar({ opacity: OPACITY }),
    h("output", { class: "high", "data-value": high }, high.toPrecision(2)),
  );
}

// A caption's tokens as buttons, where "##" continues the word before; `choose` is given the index of the clicked one.
export function tokenButtons(labels, name, choose) {
  const buttons = labels.map((label, index) => {
    const goesOn = label.startsWith("##");
    const looks = { class: goesOn ? "seps-goes-on" : null, "data-token": index, click: () => choose(index) };
    return button(looks, goesOn ? label.slice(2) : label);
  });
  return { buttons, element: h("div", { class: "seps-tokens", role: "group", "aria-label": name }, ...buttons) };
}

const MARKS = { reads: { true: "✓", untrue: "≠", untold: "?" }, truth: { true: "✓", untrue: "✗" } };

// A caption's statements, {says, verdict}, by what a captioner `reads` in its picture, or the `truth` of a known scene.
export function statements(list, of) {
  const rows = list.map(({ says, verdict }) => {
    const words = say(`${of}.${verdict}`);
    const mark = h("i", { role: "img", "aria-label": words, title: words }, MARKS[of][verdict]);
    return h("li", { "data-verdict": verdict }, mark, h("span", {}, says));
  });
  return [h("h3", {}, say(`${of}.title`)), h("ul", { class: "seps-statements", "data-of": of }, ...rows)];
}
