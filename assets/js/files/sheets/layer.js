// A layer over its photograph, as PNG.

import { cellOf } from "../../base/arrays.js";
import { loadImage } from "../../base/canvas.js";
import { fixed } from "../../base/numbers.js";
import { say } from "../../base/words.js";
import { drawLayer } from "../../picture/layer.js";
import { describe, layerValues, parseLayer } from "../../record/record.js";
import { WIDTH, canvasFor, canvasOf, column, foot, picture, sheet, title, words } from "./sheet.js";

export async function layerSheet(record, value, { layer, opacity, lines }) {
  const photo = await loadImage(value.photo);
  const drawn = canvasFor(photo, WIDTH);
  if (layer.startsWith("tokens")) drawTokens(drawn, photo, record, layer, { opacity, lines: false });
  else drawLayer(drawn, photo, record, layer, { opacity, lines });
  const score = words(`S(I, T) ${fixed(record.similarity, 4)}`, WIDTH);
  const dense = value.dense_caption ? [words(say("static.dense_caption", { caption: value.dense_caption }), WIDTH)] : [];
  const texts = [title(value.caption, WIDTH), ...dense, words(describe(record, layer), WIDTH), score, foot(value, [value.photo])];
  return sheet(column([picture(drawn), ...texts], 12));
}

// Every aggregated token in a picture of its own, all on one scale.
function drawTokens(canvas, photo, record, layer, options) {
  const { range, values } = layerValues(record, parseLayer(layer));
  const columns = Math.ceil(Math.sqrt(values.length));
  const [width, height] = [canvas.width, canvas.height].map((side) => Math.floor(side / columns));
  values.forEach((_, index) => {
    const part = canvasOf(width - 4, height - 4);
    drawLayer(part, photo, record, layer.replace("tokens", `token:${index + 1}`), { ...options, range });
    const [row, column] = cellOf(index, columns);
    canvas.getContext("2d").drawImage(part, column * width, row * height);
  });
}
