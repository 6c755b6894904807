// A score on its scale from 0 to 1: the base as a tick, the band that the correction may reach, the score in it.

import { chart, h, svg, svgText } from "../base/dom.js";
import { say } from "../base/words.js";

const TYPE = 13;
const SIZES = { large: { height: 54, middle: 20, tick: 13, dot: 8 }, small: { height: 22, middle: 11, tick: 8, dot: 5 } };

// {base, final, low, high, says} as a drawing of `width` CSS pixels; small ones have no marks of the axis.
export function scoreScale(scale, width, size = "large") {
  const { height, middle, tick, dot } = SIZES[size];
  const x = (value) => dot + 1 + value * (width - 2 * dot - 2);
  const drawing = chart(width, height, TYPE, scale.says);
  drawing.classList.add("seps-score-scale");
  if (size === "small") drawing.setAttribute("aria-hidden", "true"); // its number is next to it
  drawing.append(
    svg("path", { class: "seps-axis", d: `M${x(0)} ${middle}H${x(1)}` }),
    svg("rect", {
      class: "seps-band",
      x: x(scale.low), y: middle - tick * 0.6, width: x(scale.high) - x(scale.low), height: tick * 1.2,
    }),
    svg("path", { class: "seps-correction", d: `M${x(scale.base)} ${middle}H${x(scale.final)}` }),
    svg("path", { class: "seps-base-tick", d: `M${x(scale.base)} ${middle - tick}V${middle + tick}` }),
    svg("circle", { class: "seps-score-dot", cx: x(scale.final), cy: middle, r: dot, "data-final": scale.final }),
  );
  if (size === "large") {
    for (const value of [0, 0.25, 0.5, 0.75, 1]) {
      const anchor = { 0: "start", 1: "end" }[value] ?? "middle";
      const at = { 0: 1, 1: width - 1 }[value] ?? x(value);
      drawing.append(svgText(at, height - 2, anchor, String(value), { class: "seps-scale-number" }));
    }
  }
  return drawing;
}

export function scaleKey() {
  const mark = (name) => h("i", { class: `seps-mark-${name}`, "aria-hidden": "true" });
  const parts = ["base", "band", "final"].map((name) => h("span", {}, mark(name), say(`judge.${name}`)));
  return h("p", { class: "seps-scale-key" }, ...parts);
}
