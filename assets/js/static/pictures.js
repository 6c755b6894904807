// What a view shows, as PNG.

import { loadImage } from "../base/canvas.js";
import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { letter, sharedRange } from "../compare/compare.js";
import { drawLayer } from "../picture/layer.js";
import { drawObjects } from "../picture/objects.js";
import { decode, describe, keptCount, layerValues, parseLayer } from "../record/record.js";
import { drawMarks } from "../why/marks.js";
import { recordOf } from "../why/why.js";
import { bar, column, picture, row, sheet, words } from "./sheet.js";

const WIDTH = 1200; // pixels, without margins
const GAP = 24;
const COLUMNS = 3; // captions side by side
const [NUMBER, NAME] = [110, 240]; // of a row of shares
const BAR = 22;
const OPACITY = 0.75; // of a layer where captions are compared, as in the view

const canvasFor = (photo, width) => Object.assign(document.createElement("canvas"), {
  width: Math.round(width), height: Math.round((width * photo.naturalHeight) / photo.naturalWidth),
});
const title = (text, width) => words(text, width, { size: 26, ink: "--ink" });
const foot = ({ model }, photos) => words(
  [say("button.model", { name: model }), ...photos.flatMap(({ credit, licence }) => [credit, licence])].filter(Boolean).join(" · "), WIDTH,
);

// A layer over its photograph, with the caption and what it shows.
export async function layerSheet(record, value, { layer, opacity, lines }) {
  const photo = await loadImage(value.photo);
  const drawn = canvasFor(photo, WIDTH);
  if (layer.startsWith("tokens")) drawTokens(drawn, photo, record, layer, { opacity, lines: false });
  else drawLayer(drawn, photo, record, layer, { opacity, lines });
  const score = words(`S(I, T) ${fixed(record.similarity, 4)}`, WIDTH);
  return sheet(column([picture(drawn), title(value.caption, WIDTH), words(describe(record, layer), WIDTH), score, foot(value, [value.photo])], 12));
}

// Every aggregated token in a picture of its own, all on one scale.
function drawTokens(canvas, photo, record, layer, options) {
  const { range, values } = layerValues(record, parseLayer(layer));
  const columns = Math.ceil(Math.sqrt(values.length));
  const [width, height] = [canvas.width, canvas.height].map((side) => Math.floor(side / columns));
  values.forEach((_, index) => {
    const part = Object.assign(document.createElement("canvas"), { width: width - 4, height: height - 4 });
    drawLayer(part, photo, record, layer.replace("tokens", `token:${index + 1}`), { ...options, range });
    canvas.getContext("2d").drawImage(part, (index % columns) * width, Math.floor(index / columns) * height);
  });
}

// Captions over one photograph, side by side on one scale.
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
  return sheet(column([...rows, words(describe(items[0].record, layer), WIDTH), words(value.shared, WIDTH), foot(value, [value.photo])], 16));
}

// Two pictures side by side, under a word's maps on one scale or with the words that decide marked, and all shares.
export async function contrastSheet(value, { layer }) {
  const chosen = value.rows.find(({ number }) => layer === `word:${number}`) ?? null;
  const photos = await Promise.all(value.sides.map(({ photo }) => loadImage(photo)));
  const width = (WIDTH - GAP) / 2;
  const sides = value.sides.map((side, place) => {
    const drawn = canvasFor(photos[place], width);
    const has = chosen && chosen[["left", "right"][place]] !== null;
    const range = chosen ? [0, chosen.most] : null;
    drawLayer(drawn, photos[place], recordOf(side, value.rows), has ? layer : "photo", { range, lines: Boolean(has) });
    if (!chosen) drawMarks(drawn, side.grid, side.marks);
    return column([title(side.caption || side.title, width), words(side.reads, width), picture(drawn)], 8);
  });
  const [head, numbers, ...others] = value.says;
  const [left, right, difference] = value.sum;
  return sheet(column([
    words(head, WIDTH, { size: 28, ink: "--ink", weight: 700 }),
    words([numbers, ...others].join(" "), WIDTH),
    row(sides, GAP),
    words(chosen ? chosen.says : say("why.marks"), WIDTH),
    ...value.rows.map((part) => shareRow(part.word, part, value.scale)),
    ...value.rest.map((part) => shareRow(part.title, part)),
    shareRow(say("why.sum"), { left, right, difference }),
    foot(value, value.sides.map(({ photo }) => photo).filter(({ src }, at, all) => !at || src !== all[0].src)),
  ], 10));
}

// A part's shares of both similarities, with bars towards either picture where it is a word's.
function shareRow(name, { left, right, difference }, scale = 0) {
  const room = (WIDTH - NAME - 2 * NUMBER) / 2;
  const number = (value, align) => words(value === null ? say("why.missing") : fixed(value, 4), NUMBER, { align, ink: "--ink" });
  const towards = (here, other, toLeft) => {
    const size = Math.abs(here ?? 0);
    const common = here !== null && other !== null && here * other > 0 ? Math.min(size, Math.abs(other)) : 0;
    const pixels = (amount) => (scale ? (amount / scale) * room : 0);
    return bar(room, BAR, pixels(common), pixels(size - common), toLeft);
  };
  const arrow = fixed(Math.abs(difference), 4);
  const middle = words(`${name}  ${difference > 0 ? `◂ ${arrow}` : `${arrow} ▸`}`, NAME, { align: "center", size: 20, ink: "--ink" });
  return row([number(left, "left"), towards(left, right, true), middle, towards(right, left, false), number(right, "right")]);
}
