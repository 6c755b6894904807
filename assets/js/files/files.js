// Files to take away, each under its name; what saves gives the line that tells so.

import { rounded } from "../base/numbers.js";
import { say } from "../base/words.js";
import { maskOf, measureOf } from "../engine/answers/pairs.js";
import { csv, fileName, save } from "./saving.js";
import { comparisonSheet } from "./sheets/compare.js";
import { layerSheet } from "./sheets/layer.js";
import { contrastSheet } from "./sheets/why.js";

// The record with plain lists of numbers, as `plain` in demo/record/packing.py writes it.
function plainRecord(packed, description) {
  const unpack = (value) => {
    if (value && Array.isArray(value.shape) && value.values) return nested(Array.from(value.values), value.shape);
    if (Array.isArray(value)) return value.map(unpack);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value)
        .filter(([name]) => name !== "region").map(([name, part]) => [name, unpack(part)]));
    }
    return value;
  };
  return { description, ...unpack(packed) };
}

/** @type {(values: any[], shape: number[]) => any[]} */
function nested(values, [count, ...rest]) {
  if (!rest.length) return values;
  const size = values.length / count;
  return Array.from({ length: count }, (_, row) => nested(values.slice(row * size, (row + 1) * size), rest));
}

const noted = (name) => say("static.saved", { name });

// Save a ranking as CSV; returns the line that tells so.
export function saveRanking({ model }, title, rows) {
  const name = fileName(model, title, "ranking", "csv");
  save(name, "text/csv", csv(rows));
  return noted(name);
}

// Save what a viewer shows, as PNG or JSON, with `more` in the latter; returns the line that tells so.
export async function saveExplanation({ site, pairs }, facts, state, value, { format, layer, opacity, lines }, more = {}) {
  const { index, caption, dense } = state;
  const mask = maskOf(state, facts.manifest.grid[0] * facts.manifest.grid[1]);
  const { record, packed } = await pairs.explained(facts, index, caption, mask, measureOf(layer), dense);
  const name = fileName(value.model, value.photo.title, layer, format);
  if (format === "png") {
    save(name, "image/png", await layerSheet(record, value, { layer, opacity, lines }));
    return noted(name);
  }
  const description = packed.measures ? { ...site.description, measures: site.measures } : site.description;
  const explanation = plainRecord(packed, description);
  const numbers = { model: value.model, photo: value.photo.title, caption, dense_caption: dense || null, explanation, ...more };
  save(name, "application/json", JSON.stringify(numbers, null, 1));
  return noted(name);
}

// Save captions over one photograph as PNG.
export async function saveComparison(value, { format, layer, objects }) {
  const name = fileName(value.model, value.photo.title, `compare-${layer}`, format);
  save(name, "image/png", await comparisonSheet(value, { layer, objects }));
  return noted(name);
}

// Save two that stand side by side; record: as `contrastRecord` gives it, value: what is drawn.
export async function saveContrast(record, value, { format, layer }) {
  const { model, left, right } = record;
  const name = fileName(model, `${left.photo} ${right.photo}`, "why", format);
  if (format === "png") save(name, "image/png", await contrastSheet(value, { layer }));
  else if (format === "json") save(name, "application/json", JSON.stringify(record, null, 1));
  else save(name, "text/csv", csv(contrastRows(record, value)));
  return noted(name);
}

// Each part's shares; all parts add up to the row of S(I, T).
function contrastRows({ left, right }, { rows, rest, sum: [first, second, difference] }) {
  const number = (value) => (value === null ? "" : rounded(value, 6));
  const about = [left.photo, right.photo, left.caption, right.caption];
  const row = (name, kind, part) => [name, kind, number(part.left), number(part.right), number(part.difference), ...about];
  return [
    ["part", "kind", "left", "right", "difference", "left_photo", "right_photo", "left_caption", "right_caption"],
    ...rows.map((part) => row(part.word, "word", part)),
    ...rest.map((part) => row(part.title, "rest", part)),
    row(say("why.sum"), "sum", { left: first, right: second, difference }),
  ];
}
