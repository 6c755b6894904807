// Each patch's share of the quality base's logit, over its picture: a heatmap that is centred on zero.

import { sideColour, strength } from "../base/colours.js";
import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { scaleBar } from "../picture/legend.js";

const OPACITY = 0.85;

// Draw a picture so that it fills the canvas; with shares {grid, values, most}, the picture is grey under
// them, and the stronger a share, the fuller its colour. patch: the index of one to mark.
export function drawShares(canvas, image, attributions, { patch = null } = {}) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  context.filter = attributions ? "grayscale(1)" : "none";
  context.drawImage(image, 0, 0, width, height);
  context.filter = "none";
  if (!attributions) return;
  const [rows, columns] = attributions.grid;
  const edge = (index, count, length) => Math.round((index * length) / count);
  const cell = (index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const [left, top] = [edge(column, columns, width), edge(row, rows, height)];
    return [left, top, edge(column + 1, columns, width) - left, edge(row + 1, rows, height) - top];
  };
  attributions.values.forEach((attribution, index) => {
    context.fillStyle = sideColour(attribution);
    context.globalAlpha = OPACITY * strength(attribution, [-attributions.most, attributions.most], true);
    context.fillRect(...cell(index));
  });
  context.globalAlpha = 1;
  if (patch === null) return;
  const pixel = window.devicePixelRatio || 1;
  const [left, top, wide, tall] = cell(patch);
  for (const [colour, line] of /** @type {[string, number][]} */ ([["#000000", 4], ["#ffffff", 2]])) {
    context.strokeStyle = colour;
    context.lineWidth = line * pixel;
    context.strokeRect(left + pixel, top + pixel, wide - 2 * pixel, tall - 2 * pixel);
  }
}

// The colours' key: the ends of the scale, zero in the middle.
export function sharesKey(most) {
  const end = (value, side) => h("output", { class: side, "data-value": value }, `${value < 0 ? "−" : "+"}${Math.abs(value).toPrecision(2)}`);
  return h(
    "div",
    { class: "seps-legend" },
    h("span", {}, say("judge.against")), end(-most, "low"), scaleBar({ opacity: OPACITY, centred: true }), end(most, "high"), h("span", {}, say("judge.for")),
  );
}
