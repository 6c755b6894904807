// The true outlines of a drawn scene's objects over any picture of it, with their names.

import { extremes } from "../base/arrays.js";
import { freeTop, strokes } from "../base/canvas.js";
import { VEIL } from "../base/colours.js";
import { checkbox } from "../base/dom.js";
import { say } from "../base/words.js";

const COLOUR = "#ff8ac8"; // as OBJECT in demo/drawing/palette.py
const DASH = [5, 4]; // CSS pixels, of objects that the caption does not mention
const LETTERS = 12; // CSS pixels
const NAMED_FROM = 200; // CSS pixels: on smaller pictures names would hide the objects

// An object's lines, [[x0, y0, x1, y1, ...], ...], as a path.
function path(lines, across, down, dx = 0, dy = 0) {
  const outline = new Path2D();
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 2) {
      /** @type {[number, number]} */
      const spot = [(line[at] + dx) * across, (line[at + 1] + dy) * down];
      if (at) outline.lineTo(...spot);
      else outline.moveTo(...spot);
    }
    outline.closePath();
  }
  return outline;
}

// Outline `objects`, [{name, mentioned, lines}] with `unit` to a side, on a canvas.
export function drawObjects(canvas, { unit, objects }) {
  const context = canvas.getContext("2d");
  const pixel = window.devicePixelRatio || 1;
  const [across, down] = [canvas.width / unit, canvas.height / unit];
  context.save();
  context.lineJoin = "round";
  for (const { mentioned, lines } of objects) {
    const [outline, dashes] = [path(lines, across, down), mentioned ? [] : DASH];
    strokes(context, [[VEIL, 5, dashes], [COLOUR, 2, dashes]], () => context.stroke(outline));
  }
  if (canvas.width >= NAMED_FROM * pixel) name(context, objects, { pixel, across, down });
  context.restore();
}

// Mark objects as in hand, moved by dx and dy.
export function markObjects(canvas, { unit, objects, dx, dy }) {
  const context = canvas.getContext("2d");
  for (const { lines } of objects) {
    const outline = path(lines, canvas.width / unit, canvas.height / unit, dx, dy);
    strokes(context, [["#000000", 6], ["#ffffff", 3]], () => context.stroke(outline));
  }
}

// Whether a point, in units, is inside an object; and the area of the box around its lines.
/** @param {number[][]} lines @param {number[]} spot */
export function holds(lines, [x, y]) {
  return document.createElement("canvas").getContext("2d").isPointInPath(path(lines, 1, 1), x, y, "evenodd");
}

// The smallest and the largest x of lines, or y.
const endsOf = (lines, parity) => extremes(lines.flat().filter((_, at) => at % 2 === parity)); // every line's length is even

export function boxArea(lines) {
  const [[left, right], [top, bottom]] = [endsOf(lines, 0), endsOf(lines, 1)];
  return (right - left) * (bottom - top);
}

// Each object's name above its upper left corner, below other names where they would meet.
function name(context, objects, { pixel, across, down }) {
  const height = (LETTERS + 5) * pixel;
  const placed = [];
  context.font = `${LETTERS * pixel}px ${getComputedStyle(context.canvas).fontFamily}`;
  context.textBaseline = "middle";
  for (const { name: text, lines } of objects) {
    const width = context.measureText(text).width + 8 * pixel;
    const [left, top] = [endsOf(lines, 0)[0] * across, endsOf(lines, 1)[0] * down];
    const x = Math.max(0, Math.min(left, context.canvas.width - width));
    const y = freeTop(placed, { x, y: Math.max(0, top - height - 2 * pixel), width, height }, height / 2);
    placed.push({ x, y, width });
    context.fillStyle = VEIL;
    context.fillRect(x, y, width, height);
    context.fillStyle = COLOUR;
    context.fillText(text, x + 4 * pixel, y + height / 2);
  }
}

export const objectsToggle = (on, change) => checkbox(say("button.objects"), on, change, { class: "seps-objects" });
