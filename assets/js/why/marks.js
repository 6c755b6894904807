// The words that decide the order, each at the patch where it looks most.

import { cellOf } from "../base/arrays.js";
import { freeTop, strokes } from "../base/canvas.js";
import { VEIL } from "../base/colours.js";

const COLOUR = "#ffffff";
const LETTERS = 14; // CSS pixels

// Mark words, [{word, patch, speaks}], on a canvas of a grid [rows, columns].
export function drawMarks(canvas, [rows, columns], marks) {
  const context = canvas.getContext("2d");
  const pixel = window.devicePixelRatio || 1;
  const [wide, tall] = [canvas.width / columns, canvas.height / rows];
  context.save();
  for (const { patch, speaks } of marks) {
    const [row, column] = cellOf(patch, columns);
    const [x, y] = [column * wide, row * tall];
    strokes(context, [[VEIL, 5], [COLOUR, 2.5, speaks ? [] : [3, 3]]], () => context.strokeRect(x, y, wide, tall));
  }
  names(context, marks, { pixel, wide, tall, columns });
  context.restore();
}

// Each word's name above its patch, or below it at the top; further up, or down, where names would meet.
function names(context, marks, { pixel, wide, tall, columns }) {
  const height = (LETTERS + 8) * pixel;
  const placed = [];
  const { fontFamily } = getComputedStyle(context.canvas.isConnected ? context.canvas : document.body);
  context.font = `700 ${LETTERS * pixel}px ${fontFamily}`;
  context.textBaseline = "middle";
  for (const { word, patch, speaks } of marks) {
    const width = context.measureText(word).width + 12 * pixel;
    const [row, column] = cellOf(patch, columns);
    const [left, top] = [column * wide, row * tall];
    const x = Math.max(0, Math.min(left + wide / 2 - width / 2, context.canvas.width - width));
    const above = top - height - 3 * pixel;
    const [start, step] = above < height ? [top + tall + 3 * pixel, height / 2] : [above, -height / 2];
    const free = freeTop(placed, { x, y: start, width, height }, step);
    const y = Math.max(0, Math.min(free, context.canvas.height - height));
    placed.push({ x, y, width });
    context.fillStyle = speaks ? COLOUR : VEIL;
    context.fillRect(x, y, width, height);
    context.strokeStyle = speaks ? VEIL : COLOUR;
    context.lineWidth = 1.5 * pixel;
    context.strokeRect(x, y, width, height);
    context.fillStyle = speaks ? VEIL : COLOUR;
    context.fillText(word, x + 6 * pixel, y + height / 2);
  }
}
