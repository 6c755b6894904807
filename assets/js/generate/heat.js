// Shares of a picture's places over the picture: on grey, in the colours of values.

import { colour, strength } from "../base/colours.js";
import { h } from "../base/dom.js";
import { scaleBar } from "../picture/legend.js";

const OPACITY = 0.75;

// Draw an image so that it fills the canvas, with `values` of a `grid` [rows, columns] over it, from 0 to `high`.
// Without values, the image unchanged.
export function drawHeat(canvas, image, { grid, values, high }) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.filter = values ? "grayscale(1)" : "none";
  context.drawImage(image, 0, 0, width, height);
  context.filter = "none";
  if (!values) return;
  const [rows, columns] = grid;
  const edge = (index, count, length) => Math.round((index * length) / count);
  values.forEach((value, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const [left, top] = [edge(column, columns, width), edge(row, rows, height)];
    context.fillStyle = colour(value, [0, high]);
    context.globalAlpha = OPACITY * strength(value, [0, high]);
    context.fillRect(left, top, edge(column + 1, columns, width) - left, edge(row + 1, rows, height) - top);
  });
  context.globalAlpha = 1;
}

// The colours' key, from 0 to `high`.
export function heatKey(label, high) {
  return h(
    "div",
    { class: "seps-legend" },
    h("span", { class: "seps-scale-label" }, label),
    h("output", { class: "low", "data-value": 0 }, "0"), scaleBar({ opacity: OPACITY }),
    h("output", { class: "high", "data-value": high }, high.toPrecision(2)),
  );
}
