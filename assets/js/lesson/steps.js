// The lesson's first four steps: functions of the context, see stage.js, to {sprites, notes}, see scene.js.

import { cellOf, sum } from "../base/arrays.js";
import { h } from "../base/dom.js";
import { withMinus } from "../base/numbers.js";
import { say, symbol } from "../base/words.js";
import { decisionChart, keptOutlines } from "./charts.js";
import { valueMap } from "./scene.js";
import {
  footing, heading, layerNamed, maskLegend, masked, patches, shownBranch, stageLegend, valued,
} from "./stage.js";
import { keptCount, layerValues, parseLayer } from "../record/record.js";

// 1: the photo comes apart into patches, and each becomes a token of C channels.
function photo(c) {
  const { layout: { home, side, type }, record } = c;
  const [rows, columns] = record.grid;
  const count = rows * columns;
  const tall = 2.3 * type;
  const most = Math.max(3, Math.floor(side.height / tall) - 2);
  const first = Math.min(most, count - 1);
  const sprites = new Map(patches(c, home, () => ({}), 0.14));
  const wide = Math.min((1.8 * type * (home.width / columns)) / (home.height / rows), 3 * type);
  const row = (key, place, name, patch) => {
    const rect = { x: side.x, y: side.y + place * tall, width: side.width, height: tall };
    const from = `patch:${patch}`;
    const size = { x: rect.x, y: rect.y + 0.25 * type, width: wide, height: 1.8 * type };
    if (patch !== null) sprites.set(`row:${key}`, { ...sprites.get(from), ...size, from });
    const bar = h("span", { class: "seps-vector" });
    const looks = { class: "seps-vector-row", style: { "padding-left": `${wide + 0.6 * type}px` } };
    const node = h("div", looks, h("span", { class: "seps-row-name" }, ...name), bar);
    return { key: `row:${key}`, rect, node };
  };
  const token = (index) => [h("i", {}, "v"), h("sub", {}, String(index))];
  const notes = [
    heading(c, "home", home, say("lesson.grid", { rows, columns, count })),
    heading(c, "side", side, say("lesson.patch_tokens", { count, channels: c.value.channels })),
  ];
  const start = record.has_cls ? 1 : 0;
  if (record.has_cls) notes.push(row("cls", 0, ["[CLS]"], null));
  for (let index = 0; index < first - start; index += 1) notes.push(row(index, index + start, token(index + 1), index));
  const dots = row("dots", first, ["⋮"], null);
  dots.node.lastChild.remove();
  notes.push(dots, row("last", first + 1, token(count), count - 1));
  return { sprites, notes };
}

// 2: the words of both captions, and how much longer the dense one is.
function words(c) {
  const { layout: { home, side, type }, record, value } = c;
  const { sparse, dense, denser } = value.lengths;
  const chips = (list, name) => h("div", { class: `seps-chips ${name}` }, ...list.map((word) => h("span", {}, word)));
  // Letters so large that all chips fit, by an estimate of their area in letters.
  const fitting = (list) => {
    const area = sum(list.map((word) => (0.52 * word.length + 1.1) * 2));
    return Math.max(10, Math.min(type, Math.sqrt((0.5 * side.width * side.height) / area)));
  };
  const bar = (name, length) => h("div", { class: `seps-length ${name}` },
    h("i", { style: { width: `${(100 * length) / Math.max(sparse, dense ?? 0)}%` } }));
  const title = (text) => h("p", { class: "seps-heading" }, text);
  const box = h("div", { class: "seps-captions" },
    title(say("lesson.sparse_words", { count: sparse })), chips(record.alignments[0].words, "sparse"), bar("sparse", sparse),
    ...(dense
      ? [title(say("lesson.dense_words", { count: dense, times: denser })), bar("dense", dense), chips(value.dense_words, "dense")]
      : [h("p", { class: "seps-aside" }, say("lesson.no_dense"))]));
  if (dense) box.lastElementChild.style.fontSize = `${fitting(value.dense_words)}px`;
  const rect = { x: side.x, y: side.y - c.layout.line, width: side.width, height: side.height + c.layout.line };
  return {
    sprites: new Map(patches(c, home)),
    notes: [heading(c, "home", home, c.value.photo.title || say("lesson.photo")), { key: "captions", rect, node: box }],
  };
}

// 3: the maps of the parts, and their weighted sum over the photo.
function scores(c) {
  const { layout: { home, side, line, type }, record, photo: image } = c;
  const branch = shownBranch(c);
  const names = Object.keys(branch.parts);
  const total = layerValues(record, parseLayer(layerNamed(c, "score")));
  const sprites = new Map(patches(c, home, valued(c, total.values, total.range)));
  const notes = [
    heading(c, "home", home, say("title.score")),
    footing(c, "home-legend", home, stageLegend(c, layerNamed(c, "score"))),
  ];
  const aspect = home.height / home.width;
  const size = (rows) => Math.min(
    side.width / Math.ceil(names.length / rows) - 2 * type, ((side.height + line) / rows - 1.25 * line) / aspect);
  const rows = size(1) > size(2) && side.width / names.length > 13 * type ? 1 : 2;
  const columns = Math.ceil(names.length / rows);
  const width = size(rows);
  const pitch = side.width / columns;
  names.forEach((name, index) => {
    const [row, column] = cellOf(index, columns);
    const place = { x: side.x + column * pitch, y: side.y + row * ((side.height + line) / rows) };
    const rect = { ...place, width, height: width * aspect };
    const { values, range } = layerValues(record, parseLayer(layerNamed(c, name)));
    const map = valueMap(image, record.grid, values, range, { ...rect, opacity: c.opacity });
    sprites.set(`part:${name}`, { ...rect, image: map, from: "patch:0" });
    const weight = withMinus(String(Number(branch.coefficients[name].toPrecision(3))));
    const title = h("p", { class: "seps-heading", "data-part": name, "data-coefficient": branch.coefficients[name] },
      h("b", {}, `${index ? "+ " : ""}${weight} × `),
      symbol(name),
      pitch > 17 * type ? h("span", { class: "seps-span" }, say(`part.${name}`)) : "", // the legend names it too
    );
    const span = h("p", { class: "seps-over" }, h("span", {}, say("lesson.span", { low: range[0], high: range[1] })));
    notes.push(
      { key: `part:${name}`, rect: { ...rect, y: rect.y - line, width: pitch - 0.5 * type, height: line }, node: title },
      { key: `span:${name}`, rect: { ...rect, y: rect.y + rect.height - line, height: line }, node: span },
    );
  });
  return { sprites, notes };
}

// 4: the decision on the photo, and the patches by score.
function decision(c) {
  const { layout: { home, side }, record, before } = c;
  const branch = shownBranch(c);
  const kept = sum(branch.kept);
  const type = Math.min(c.layout.type, side.width / 23); // its names are side by side
  const drawn = c.value.knobs.decision === "gumbel";
  const { keep_probability: probability = null, decision_gradient: slope = null } = branch.name === "sparse" ? c.value.steps[3] : {};
  const old = before?.branches.find((other) => other.name === branch.name)?.kept ?? null;
  return {
    sprites: new Map(patches(c, home, masked(branch))),
    notes: [
      heading(c, "home", home, keptCount(record, branch)),
      footing(c, "home-legend", home, maskLegend(c, branch, old)),
      { key: "outlines", rect: home, node: keptOutlines(record, branch.kept, old) },
      heading(c, "side", side, say(drawn ? "lesson.by_score_drawn" : "lesson.by_score", { kept })),
      { key: "chart", rect: side, node: decisionChart(branch, side, type, drawn, probability, slope) },
    ],
  };
}

export const patchSteps = [photo, words, scores, decision];
