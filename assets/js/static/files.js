// Files to take away: the record as JSON, the ranking as CSV, the picture as PNG.

import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { drawLayer } from "../picture/layer.js";
import { loadImage } from "../base/canvas.js";
import { describe, layerValues, parseLayer } from "../record/record.js";

const LONGEST_PART = 60; // characters of each part of a file's name
const WIDTH = 1200; // pixels of a PNG
const MARGIN = 36;
const LINE = 34;

// A file's name, as demo/drawing/formats.py makes it.
export function fileName(model, title, layer, kind) {
  const part = (text) => text.normalize("NFKD").replace(/[^\0-\x7f]/g, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, LONGEST_PART).replace(/^-+|-+$/g, "");
  return `${["seps", ...[model, title, layer].map(part).filter(Boolean)].join("-")}.${kind}`;
}

export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The record with plain lists of numbers, as `plain` in demo/record/packing.py writes it.
export function plainRecord(packed, description) {
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

const harmless = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
const cell = (value) => {
  const text = typeof value === "string" ? harmless(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Rows as CSV that spreadsheets read.
export function csv(rows) {
  return `\ufeff${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}

// The picture of a layer over its photo, with the caption and what it shows below it.
export async function png(record, value, { layer, opacity, lines }) {
  const photo = await loadImage(value.photo);
  const style = getComputedStyle(document.body);
  const colour = (name) => style.getPropertyValue(name).trim();
  const drawn = Object.assign(document.createElement("canvas"), {
    width: WIDTH, height: Math.round((WIDTH * photo.naturalHeight) / photo.naturalWidth),
  });
  if (layer.startsWith("tokens")) drawTokens(drawn, photo, record, layer, { opacity, lines: false });
  else drawLayer(drawn, photo, record, layer, { opacity, lines });
  const { photo: { credit, licence }, caption, model } = value;
  const facts = [say("button.model", { name: model }), `S(I, T) ${fixed(record.similarity, 4)}`];
  const texts = [caption, describe(record, layer), [...facts, credit, licence].filter(Boolean).join(" · ")];
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const font = (at) => `${at ? 22 : 26}px ${style.fontFamily}`;
  const wrapped = texts.flatMap((text, at) => {
    context.font = font(at);
    return broken(context, text, WIDTH).map((line) => ({ line, at }));
  });
  canvas.width = WIDTH + 2 * MARGIN;
  canvas.height = drawn.height + 3 * MARGIN + wrapped.length * LINE;
  context.fillStyle = colour("--ground");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawn, MARGIN, MARGIN);
  wrapped.forEach(({ line, at }, number) => {
    context.font = font(at);
    context.fillStyle = colour(at ? "--quiet" : "--ink");
    context.fillText(line, MARGIN, drawn.height + 2 * MARGIN + (number + 0.7) * LINE);
  });
  return new Promise((done) => canvas.toBlob(done, "image/png"));
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

function broken(context, text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && context.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
