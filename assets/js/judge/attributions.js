// Each patch's share of the quality base's logit, over its picture: a heatmap that is centred on zero.

import { boxOf, drawImage, paintPatches, strokes } from "../base/canvas.js";
import { look } from "../base/colours.js";
import { h } from "../base/dom.js";
import { withSign } from "../base/numbers.js";
import { say } from "../base/words.js";
import { scaleBar } from "../picture/legend.js";

const OPACITY = 0.85;

// Draw a picture; with shares {grid, values, most} it is grey under their colours. patch: the index of one to mark.
export function drawShares(canvas, image, attributions, { patch = null } = {}) {
  drawImage(canvas, image, Boolean(attributions));
  if (!attributions) return;
  const { grid, values, most } = attributions;
  paintPatches(canvas, grid, (at) => look(values[at], [-most, most], OPACITY, true));
  if (patch === null) return;
  const context = canvas.getContext("2d");
  const pixel = window.devicePixelRatio || 1;
  const [left, top, wide, tall] = boxOf(canvas, grid, patch);
  const rect = () => context.strokeRect(left + pixel, top + pixel, wide - 2 * pixel, tall - 2 * pixel);
  strokes(context, [["#000000", 4], ["#ffffff", 2]], rect);
}

// The colours' key: the ends of the scale, zero in the middle.
export function sharesKey(most) {
  const end = (value, side) => h("output", { class: side, "data-value": value }, withSign(value.toPrecision(2)));
  return h("div", { class: "seps-legend" },
    h("span", {}, say("judge.against")), end(-most, "low"), scaleBar({ opacity: OPACITY, centred: true }), end(most, "high"), h("span", {}, say("judge.for")),
  );
}
