// One layer of a record over its photo, on a canvas. Patches cover the whole photo, whatever its aspect ratio.

import { boxOf, strokes } from "../base/canvas.js";
import { DENSE_ONLY, SPARSE_ONLY, VEIL, look } from "../base/colours.js";
import { borders } from "./patches.js";
import { branchOf, fates, isMask, isPhoto, layerValues, parseLayer } from "../record/record.js";

const TINT = 0.45;
const CROSS_FROM = 11; // CSS pixels: in smaller patches a cross would be noise

// Draw a layer (text form) so that it fills the canvas. opacity: of the veil, and of a value at the end of its scale, 0 to
// 1. lines: whether the patches' borders are drawn. range: of the colours instead of the layer's own. patch: one to mark.
export function drawLayer(canvas, photo, record, text, options = {}) {
  const { opacity = 0.75, lines = true, range = null, patch = null } = options;
  const layer = parseLayer(text);
  const context = canvas.getContext("2d");
  const [rows, columns] = record.grid;
  const pixel = window.devicePixelRatio || 1;
  const cells = Array.from({ length: rows * columns }, (_, patch) => boxOf(canvas, record.grid, patch));
  const across = (column) => Math.round((column * canvas.width) / columns);
  const down = (row) => Math.round((row * canvas.height) / rows);
  const fill = (cell, style, alpha) => {
    context.globalAlpha = alpha;
    context.fillStyle = style;
    context.fillRect(...cell);
  };

  context.globalAlpha = 1;
  context.imageSmoothingQuality = "high";
  context.drawImage(photo, 0, 0, canvas.width, canvas.height);
  if (isMask(layer)) drawMask();
  else if (!isPhoto(layer)) drawValues();
  context.globalAlpha = 1;
  if (lines) drawLines();
  if (isMask(layer)) drawOutline();
  if (patch !== null) drawMark(cells[patch]);

  function drawMask() {
    const decisions = fates(record, layer);
    drainColour((index) => decisions[index] === 0); // before the veil
    const styles = [[VEIL, opacity], [SPARSE_ONLY, TINT * opacity], [DENSE_ONLY, TINT * opacity]];
    cells.forEach((cell, index) => decisions[index] < 3 && fill(cell, ...styles[decisions[index]]));
  }

  function drainColour(where) {
    context.globalCompositeOperation = "saturation";
    cells.forEach((cell, index) => where(index) && fill(cell, "#808080", 1));
    context.globalCompositeOperation = "source-over";
  }

  function drawValues() {
    const { values, range: layerRange, centred } = layerValues(record, layer);
    const scale = range ?? layerRange;
    const { kept } = branchOf(record, layer);
    const arm = Math.min(...cells[0].slice(2)) / 9;
    drainColour(() => true); // a coloured photo would tint the colour map
    cells.forEach((cell, index) => fill(cell, ...look(values[index], scale, opacity, centred)));
    if (9 * arm < CROSS_FROM * pixel) return;
    const crosses = cells.filter((_, index) => !kept[index]).flatMap(([left, top, width]) => {
      const [x, y] = [left + width - 2.2 * arm, top + 2.2 * arm];
      return [[x - arm, y - arm, x + arm, y + arm], [x - arm, y + arm, x + arm, y - arm]];
    });
    edged(crosses, 1.1, 0.7);
  }

  // White lines with a dark edge, which are seen on any photo.
  function edged(segments, width, alpha = 1) {
    context.globalAlpha = alpha;
    strokes(context, [[VEIL, 2 * width], ["#ffffff", width]], () => path(segments));
    context.globalAlpha = 1;
  }

  function path(segments) {
    context.beginPath();
    for (const [x0, y0, x1, y1] of segments) {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
    context.stroke();
  }

  function drawLines() {
    context.lineWidth = 1;
    context.strokeStyle = "#ffffff38";
    path(Array.from({ length: columns - 1 }, (_, at) => across(at + 1) + 0.5).map((x) => [x, 0, x, canvas.height]));
    path(Array.from({ length: rows - 1 }, (_, at) => down(at + 1) + 0.5).map((y) => [0, y, canvas.width, y]));
  }

  // Between kept and dropped patches.
  function drawOutline() {
    context.lineCap = "square";
    edged(borders(fates(record, layer).map(Boolean), record.grid).map(([x0, y0, x1, y1]) =>
      [across(x0), down(y0), across(x1), down(y1)]), 1.5);
  }

  function drawMark([x, y, width, height]) {
    const rect = () => context.strokeRect(x + 2.5 * pixel, y + 2.5 * pixel, width - 5 * pixel, height - 5 * pixel);
    strokes(context, [["#000000", 5], ["#ffffff", 2.5]], rect);
  }
}
