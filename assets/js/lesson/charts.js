// Drawings in SVG over the lesson's pictures: outlines on the grid, patches by score, marks of the patch-word matrix.

import { cellOf, extremes, sum } from "../base/arrays.js";
import { chart, svg, svgText } from "../base/dom.js";
import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { borders } from "../picture/patches.js";

const LETTER = 0.58; // of the type: the width of a letter, nearly

// The border of the kept region; where another set was kept before, plus and minus signs on patches gained and lost.
export function keptOutlines({ grid }, kept, before) {
  const thin = { "vector-effect": "non-scaling-stroke" };
  const square = { x: 0.09, y: 0.09, width: 0.82, height: 0.82, ...thin };
  const d = borders(kept, grid).map(([x0, y0, x1]) => `M${x0} ${y0}${x0 === x1 ? "v1" : "h1"}`).join("");
  const marks = Array.from(kept).flatMap((bit, patch) => {
    if (!before || bit === before[patch]) return [];
    const [row, column] = cellOf(patch, grid[1]);
    const sign = { d: bit ? "M.3 .5h.4M.5 .3v.4" : "M.3 .5h.4", ...thin };
    const twice = (tag, looks) => [svg(tag, { class: "seps-under", ...looks }), svg(tag, looks)];
    return [svg(
      "g",
      { class: bit ? "seps-gained" : "seps-lost", "data-patch": patch, transform: `translate(${column} ${row})` },
      ...twice("rect", square), ...twice("path", sign),
    )];
  });
  return svg( // hidden: the picture below describes them
    "svg",
    { viewBox: `0 0 ${grid[1]} ${grid[0]}`, preserveAspectRatio: "none", class: "seps-outlines", "aria-hidden": "true" },
    ...["seps-edge seps-under", "seps-edge"].map((name) => svg("path", { class: name, d, ...thin })),
    ...marks,
  );
}

// Patches by score, kept ones in the accent, with the cut of the top k, or a draw's probabilities and gradients.
export function decisionChart(branch, { width, height }, type, drawn, probability, slope) {
  const order = Array.from(branch.rank.keys()).sort((first, other) => branch.rank[first] - branch.rank[other]);
  const scores = order.map((patch) => branch.score[patch]);
  const [low, high] = extremes([0, ...scores]);
  const [left, right] = [2.8 * type, width - (probability ? 2.4 : 0.4) * type];
  const [top, bottom] = [3.2 * type, height - 2 * type];
  const x = (place) => left + (place * (right - left)) / order.length;
  const y = (value) => bottom - ((value - low) * (bottom - top)) / (high - low || 1);
  const drawing = chart(width, height, type, say("scale.score"));
  const step = (right - left) / order.length;
  const bars = order.map((patch, place) => {
    const [from, to] = [y(Math.max(0, scores[place])), y(Math.min(0, scores[place]))];
    const size = { x: x(place) + 0.08 * step, width: 0.84 * step, y: from, height: Math.max(1, to - from) };
    return svg("rect", { ...size, "data-patch": patch, class: branch.kept[patch] ? "seps-bar-kept" : "seps-bar-dropped" });
  });
  drawing.append(
    ...bars,
    svg("path", { class: "seps-axis", d: `M${left} ${top}V${bottom}M${left} ${y(0)}H${right}` }),
    ...(low < 0 ? [low, 0, high] : [0, high]).map((value) =>
      svgText(left - 0.4 * type, y(value) + 0.35 * type, "end", fixed(value, 2))),
    svgText(left, type, "start", say("scale.score")),
    svgText(left, bottom + 1.5 * type, "start", say("lesson.first")),
    svgText(right, bottom + 1.5 * type, "end", say("lesson.last", { count: order.length })),
  );
  const kept = sum(branch.kept);
  if (!drawn) {
    const cut = x(kept);
    const label = say("lesson.cut", { kept, score: scores[kept - 1] });
    const late = cut + LETTER * type * label.length > right;
    drawing.append(
      svg("path", { class: "seps-cut", d: `M${cut} ${1.6 * type}V${bottom + 0.5 * type}`, "data-kept": kept }),
      svgText(cut + (late ? -0.5 : 0.5) * type, 2.4 * type, late ? "end" : "start", label, { class: "seps-strong" }),
    );
  }
  if (probability) {
    const at = (fraction) => bottom - fraction * (bottom - top);
    const points = order.map((patch, place) => `${x(place + 0.5)},${at(probability[patch])}`).join(" ");
    drawing.append(svg("polyline", { class: "seps-chance", points }));
    if (slope) {
      const most = Math.max(...slope);
      const dots = order.map((patch, place) => `M${x(place + 0.5)} ${at(slope[patch] / (most || 1))}h0`).join("");
      const looks = { class: "seps-chance-name", "data-slope": most };
      drawing.append(
        svg("path", { class: "seps-slope", d: dots }),
        svgText(right + 2.2 * type, 2.4 * type, "end", say("lesson.gradient", { most }), looks),
      );
    }
    drawing.append(
      svg("path", { class: "seps-axis", d: `M${right} ${top}V${bottom}` }),
      ...[0, 0.5, 1].map((fraction) =>
        svgText(right + 0.4 * type, at(fraction) + 0.35 * type, "start", String(fraction))),
      svgText(right + 2.2 * type, type, "end", say("lesson.keep_probability"), { class: "seps-chance-name" }),
    );
  }
  return drawing;
}

// Marks over the patch-word matrix: a square at each word's (row's) best token, a dot at each token's best word.
export function maximaMarks(alignment, { width, height }, chosen) {
  const [words, tokens] = [alignment.words.length, alignment.tokens.length];
  const [wide, tall] = [width / tokens, height / words];
  const r = Math.max(1.5, Math.min(wide, tall) / 5);
  const dots = Array.from(alignment.best_word, (word, token) =>
    svg("circle", { cx: (token + 0.5) * wide, cy: (word + 0.5) * tall, r, "data-token": token, "data-word": word }));
  const squares = Array.from(alignment.best_token).flatMap((token, word) => {
    const size = { width: Math.max(1, wide - 2), height: Math.max(1, tall - 2) };
    const square = { x: token * wide + 1, y: word * tall + 1, ...size };
    return [svg("rect", { ...square, class: "seps-under" }), svg("rect", { ...square, "data-token": token, "data-word": word })];
  });
  return svg(
    "svg", { class: "seps-marks", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...dots, ...squares, svg("rect", { class: "seps-chosen", x: 0, y: chosen * tall, width, height: tall }),
  );
}
