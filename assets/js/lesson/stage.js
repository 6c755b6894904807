// Layout of the lesson's pictures and their common parts: patches of the photo, headings, keys, small maps. A picture is a
// function of the context `c`: {value, record, before, photo, layout, branch, token, word, opacity, drawn}.

import { cellOf } from "../base/arrays.js";
import { shade, strength } from "../base/colours.js";
import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { valueMap } from "./scene.js";
import { layerLegend } from "../picture/legend.js";
import { layerText, parseLayer } from "../record/record.js";

const VEILED = 0.82; // of the veil over dropped patches

// Places on a stage: `home`, `side` of the first five steps; `corner`, a `fraction` of the width, and `rest` of others.
export function stageLayout(width, height, type, aspect, fraction = 0.24) {
  const narrow = width < 600;
  const line = 1.7 * type;
  const place = (part, tall) => {
    const wide = Math.min(part * width, tall / aspect);
    return { x: 0, y: line, width: wide, height: wide * aspect };
  };
  const beside = (box) => {
    const x = Math.max(box.width, 13 * type) + 2.4 * type; // words over a narrow picture need room too
    return { x, y: line, width: width - x, height: height - line };
  };
  const below = (box) => {
    const y = box.y + box.height + 2.2 * line;
    return { x: 0, y, width, height: height - y };
  };
  const home = place(narrow ? 1 : 0.44, narrow ? 0.36 * height : height - 2.2 * line);
  const corner = place(narrow ? 0.5 : fraction, narrow ? 0.24 * height : height - 2.2 * line);
  const next = (box) => (narrow ? below(box) : beside(box));
  return { width, height, type, line, narrow, home, corner, side: next(home), rest: next(corner) };
}

// A line of text at a place of a picture, up to `room` wide, or as wide as the picture and `least` letters.
function textAt({ layout: { width, line, type } }, key, x, y, { room, width: wide }, least, node) {
  return { key, node, rect: { x, y, width: Math.min(room ?? Math.max(wide, least * type), width - x), height: line } };
}

// The text above a picture, and below one, up to `rect.room` wide.
export const heading = (c, key, rect, ...text) =>
  textAt(c, key, rect.x, rect.y - c.layout.line, rect, 14, h("p", { class: "seps-heading" }, ...text));
export const footing = (c, key, rect, node) =>
  textAt(c, key, rect.x + 1, rect.y + rect.height + 0.25 * c.layout.type, rect, 15, node);

// The patches of the photo on a place, `gap` apart as a share of a patch; `paint` gives each one's cover.
/** @param {(patch: number) => object} paint */
export function patches(c, rect, paint = () => ({}), gap = 0) {
  const [rows, columns] = c.record.grid;
  const [wide, tall] = [rect.width / columns, rect.height / rows];
  const [cropWide, cropTall] = [c.photo.naturalWidth / columns, c.photo.naturalHeight / rows];
  const size = { width: wide * (1 - gap), height: tall * (1 - gap) };
  return Array.from({ length: rows * columns }, (_, patch) => {
    const [row, column] = cellOf(patch, columns);
    const place = { x: rect.x + (column + gap / 2) * wide, y: rect.y + (row + gap / 2) * tall, ...size };
    const crop = [column * cropWide, row * cropTall, cropWide, cropTall];
    return [`patch:${patch}`, { ...place, image: c.photo, crop, ...paint(patch) }];
  });
}

export const valued = (c, values, range) => (patch) => ({
  grey: 1,
  cover: c.opacity * strength(values[patch], range),
  tint: shade(values[patch], range),
});

export const masked = (branch) => (patch) => (branch.kept[patch] ? {} : { grey: 1, cover: VEILED, tint: [16, 25, 26] });

// The key of a layer in its text form, or of any range and label; `opacity` null: of colours over nothing.
export function stageLegend(c, text, range = null, label = null, opacity = c.opacity) {
  const key = layerLegend(c.record, parseLayer(text), { opacity, range });
  key.querySelector(".seps-cross")?.remove();
  if (label) key.querySelector(".seps-scale-label").replaceChildren(label);
  return key;
}

export const shownBranch = (c) => c.record.branches.find((branch) => branch.name === c.branch) ?? c.record.branches[0];
export const layerNamed = (c, name) => layerText({ name, number: null, branch: shownBranch(c).name });

// The key of the mask; where patches were gained or lost, of their marks too.
export function maskLegend(c, branch, old) {
  const row = stageLegend(c, layerNamed(c, "mask"));
  if (!old || old.every((bit, patch) => bit === branch.kept[patch])) return row;
  row.append(...[["gained", "+"], ["lost", "−"]].map(([name, sign]) =>
    h("span", {}, h("b", { class: `seps-sign ${name}` }, sign), say(`moved.${name}`))));
  return row;
}

export const grown = ({ x, y, width, height }, by) =>
  ({ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by });

// `count` rectangles of an aspect on a place, in rows, as large as they can be.
export function spread(count, place, aspect, gap) {
  const size = (columns) => {
    const rows = Math.ceil(count / columns);
    const width = (place.width - gap * (columns - 1)) / columns;
    return Math.min(width, (place.height - gap * (rows - 1)) / rows / aspect);
  };
  let columns = 1;
  for (let more = 2; more <= count; more += 1) if (size(more) > size(columns)) columns = more;
  const width = Math.max(2, size(columns));
  const height = width * aspect;
  return Array.from({ length: count }, (_, index) => {
    const [row, column] = cellOf(index, columns);
    return { x: place.x + column * (width + gap), y: place.y + row * (height + gap), width, height };
  });
}

// A small map, drawn once for each size.
export function tileOf(c, key, values, range, { width, height }, text = "") {
  const name = `${key}:${Math.round(width)}x${Math.round(height)}`;
  if (!c.drawn.has(name)) {
    c.drawn.set(name, valueMap(c.photo, c.record.grid, values, range, { width, height, opacity: c.opacity, text }));
  }
  return c.drawn.get(name);
}
