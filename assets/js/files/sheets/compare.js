// Captions over one photograph, side by side, as PNG.

import { loadImage } from "../../base/canvas.js";
import { fixed } from "../../base/numbers.js";
import { letter, sharedRange } from "../../compare/compare.js";
import { drawLayer } from "../../picture/layer.js";
import { drawObjects } from "../../picture/objects.js";
import { decode, describe, keptCount } from "../../record/record.js";
import { WIDTH, canvasFor, column, foot, picture, row, sheet, title, words } from "./sheet.js";

const GAP = 24; // pixels
const COLUMNS = 3; // captions side by side
const OPACITY = 0.75; // of a layer, as in the view

// value: of the view; all on one scale of colours.
export async function comparisonSheet(value, { layer, objects }) {
  const photo = await loadImage(value.photo);
  const items = value.items.map((item) => ({ ...item, record: decode(item.record) }));
  const range = sharedRange(items.map(({ record }) => record), layer);
  const columns = Math.min(COLUMNS, items.length);
  const width = (WIDTH - GAP * (columns - 1)) / columns;
  const blocks = items.map(({ caption, similarity, record, objects: outlines }, index) => {
    const drawn = canvasFor(photo, width);
    drawLayer(drawn, photo, record, layer, { opacity: OPACITY, lines: true, range });
    if (objects && value.unit) drawObjects(drawn, { unit: value.unit, objects: outlines });
    const score = `${keptCount(record)} · S(I, T) ${fixed(similarity, 4)}`;
    return column([title(`${letter(index)}  ${caption}`, width), picture(drawn), words(score, width)], 8);
  });
  const rows = Array.from({ length: Math.ceil(blocks.length / columns) }, (_, at) =>
    row(blocks.slice(at * columns, (at + 1) * columns), GAP));
  const texts = [describe(items[0].record, layer), value.shared].map((text) => words(text, WIDTH));
  return sheet(column([...rows, ...texts, foot(value, [value.photo])], 16));
}
