// Drawings in SVG over the lesson's pictures: outlines on the grid, patches by score, marks of the patch-word matrix.

import { chart, svg, svgText } from "../base/dom.js";
import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";

const LETTER = 0.58; // of the type: the width of a letter, nearly

// Outlines on a picture of the grid: the border of the kept region; where another set was kept before, a plus on
// patches gained and a minus, dashed, on patches lost.
export function keptOutlines(record, kept, before) {
  const [rows, columns] = record.grid;
  const thin = { "vector-effect": "non-scaling-stroke" };
  const drawing = svg("svg", {
    viewBox: `0 0 ${columns} ${rows}`,
    preserveAspectRatio: "none",
    class: "seps-outlines",
    "aria-hidden": "true", // the picture below describes them
  });
  const edges = [];
  const marks = [];
  kept.forEach((bit, patch) => {
    const [row, column] = [Math.floor(patch / columns), patch % columns];
    if (column + 1 < columns && bit !== kept[patch + 1]) edges.push(`M${column + 1} ${row}v1`);
    if (row + 1 < rows && bit !== kept[patch + columns]) edges.push(`M${column} ${row + 1}h1`);
    if (!before || bit === before[patch]) return;
    const square = { x: 0.09, y: 0.09, width: 0.82, height: 0.82, ...thin };
    marks.push(svg(
      "g",
      { class: bit ? "seps-gained" : "seps-lost", "data-patch": patch, transform: `translate(${column} ${row})` },
      svg("rect", { class: "seps-under", ...square }),
      svg("rect", square),
      svg("path", { class: "seps-under", d: bit ? "M.3 .5h.4M.5 .3v.4" : "M.3 .5h.4", ...thin }),
      svg("path", { d: bit ? "M.3 .5h.4M.5 .3v.4" : "M.3 .5h.4", ...thin }),
    ));
  });
  for (const name of ["seps-edge seps-under", "seps-edge"]) {
    drawing.append(svg("path", { class: name, d: edges.join(""), ...thin }));
  }
  drawing.append(...marks);
  return drawing;
}

// Patches from the highest score to the lowest, kept ones in the accent; the cut of the top k; the probability that
// each would be drawn with and, of a draw, the gradient at it.
export function decisionChart(branch, { width, height }, type, drawn, probability, slope) {
  const order = Array.from(branch.rank.keys()).sort((first, other) => branch.rank[first] - branch.rank[other]);
  const scores = order.map((patch) => branch.score[patch]);
  const [low, high] = [Math.min(0, ...scores), Math.max(0, ...scores)];
  const left = 2.8 * type;
  const right = width - (probability ? 2.4 : 0.4) * type;
  const [top, bottom] = [3.2 * type, height - 2 * type];
  const x = (place) => left + (place * (right - left)) / order.length;
  const y = (value) => bottom - ((value - low) * (bottom - top)) / (high - low || 1);
  const drawing = chart(width, height, type, say("scale.score"));
  const step = (right - left) / order.length;
  order.forEach((patch, place) => {
    const [from, to] = [y(Math.max(0, scores[place])), y(Math.min(0, scores[place]))];
    drawing.append(svg("rect", {
      x: x(place) + 0.08 * step,
      width: 0.84 * step,
      y: from,
      height: Math.max(1, to - from),
      "data-patch": patch,
      class: branch.kept[patch] ? "seps-bar-kept" : "seps-bar-dropped",
    }));
  });
  drawing.append(svg("path", { class: "seps-axis", d: `M${left} ${top}V${bottom}M${left} ${y(0)}H${right}` }));
  for (const value of low < 0 ? [low, 0, high] : [0, high]) {
    drawing.append(svgText(left - 0.4 * type, y(value) + 0.35 * type, "end", fixed(value, 2)));
  }
  drawing.append(svgText(left, type, "start", say("scale.score")));
  drawing.append(
    svgText(left, bottom + 1.5 * type, "start", say("lesson.first")),
    svgText(right, bottom + 1.5 * type, "end", say("lesson.last", { count: order.length })),
  );
  const kept = branch.kept.reduce((sum, bit) => sum + bit, 0);
  if (!drawn) {
    const cut = x(kept);
    drawing.append(
      svg("path", { class: "seps-cut", d: `M${cut} ${1.6 * type}V${bottom + 0.5 * type}`, "data-kept": kept }),
    );
    const label = say("lesson.cut", { kept, score: scores[kept - 1] });
    const late = cut + LETTER * type * label.length > right;
    const at = cut + (late ? -0.5 : 0.5) * type;
    drawing.append(svgText(at, 2.4 * type, late ? "end" : "start", label, { class: "seps-strong" }));
  }
  if (probability) {
    const at = (fraction) => bottom - fraction * (bottom - top);
    const points = order.map((patch, place) => `${x(place + 0.5)},${at(probability[patch])}`).join(" ");
    drawing.append(svg("polyline", { class: "seps-chance", points }));
    if (slope) {
      const most = Math.max(...slope);
      const dots = order.map((patch, place) => `M${x(place + 0.5)} ${at(slope[patch] / (most || 1))}h0`).join("");
      drawing.append(svg("path", { class: "seps-slope", d: dots }));
      const label = say("lesson.gradient", { most });
      drawing.append(
        svgText(right + 2.2 * type, 2.4 * type, "end", label, { class: "seps-chance-name", "data-slope": most }),
      );
    }
    drawing.append(svg("path", { class: "seps-axis", d: `M${right} ${top}V${bottom}` }));
    for (const fraction of [0, 0.5, 1]) {
      drawing.append(svgText(right + 0.4 * type, at(fraction) + 0.35 * type, "start", String(fraction)));
    }
    drawing.append(
      svgText(right + 2.2 * type, type, "end", say("lesson.keep_probability"), { class: "seps-chance-name" }),
    );
  }
  return drawing;
}

// Marks over the patch-word matrix, `rect` wide and high: a square where a word (a row) has its best token, a dot
// where a token (a column) has its best word.
export function maximaMarks(alignment, { width, height }, chosen) {
  const [words, tokens] = [alignment.words.length, alignment.tokens.length];
  const [wide, tall] = [width / tokens, height / words];
  const drawing = svg("svg", { class: "seps-marks", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  alignment.best_word.forEach((word, token) => {
    const [cx, cy, r] = [(token + 0.5) * wide, (word + 0.5) * tall, Math.max(1.5, Math.min(wide, tall) / 5)];
    drawing.append(svg("circle", { cx, cy, r, "data-token": token, "data-word": word }));
  });
  alignment.best_token.forEach((token, word) => {
    const square = {
      x: token * wide + 1,
      y: word * tall + 1,
      width: Math.max(1, wide - 2),
      height: Math.max(1, tall - 2),
    };
    drawing.append(svg("rect", { ...square, class: "seps-under" }));
    drawing.append(svg("rect", { ...square, "data-token": token, "data-word": word }));
  });
  drawing.append(svg("rect", { class: "seps-chosen", x: 0, y: chosen * tall, width, height: tall }));
  return drawing;
}
