// Pictures to take away, laid out on a canvas of blocks: {width, height, draw(context, left, top)}.

import { sum } from "../../base/arrays.js";
import { say } from "../../base/words.js";

const MARGIN = 36; // pixels
const LINE = 1.35; // the height of a line over that of its letters
const HATCH = 8; // pixels between two lines of what is below zero

const style = () => getComputedStyle(document.body);
const colour = (name) => style().getPropertyValue(name).trim();
const fontOf = (size, weight) => `${weight} ${size}px ${style().fontFamily}`;

// Words within a width, broken into lines; align: "left", "center" or "right".
export function words(text, width, { size = 22, ink = "--quiet", weight = 400, align = "left" } = {}) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = fontOf(size, weight);
  const lines = broken(context, text, width);
  return {
    width,
    height: lines.length * size * LINE,
    draw(target, left, top) {
      target.font = fontOf(size, weight);
      target.fillStyle = colour(ink);
      target.textAlign = /** @type {CanvasTextAlign} */ (align);
      target.textBaseline = "middle";
      const at = left + { left: 0, center: width / 2, right: width }[align];
      lines.forEach((line, number) => target.fillText(line, at, top + (number + 0.5) * size * LINE));
    },
  };
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

export const picture = (canvas) =>
  ({ width: canvas.width, height: canvas.height, draw: (context, left, top) => context.drawImage(canvas, left, top) });

// A bar from the left, or towards it: pixels of `soft`, then of `full`; hatched if it is below zero.
export function bar(width, height, soft, full, { toLeft = false, isLess = false } = {}) {
  return {
    width, height,
    draw(context, left, top) {
      const piece = (from, length, ink) => {
        context.fillStyle = isLess ? hatching(context) : colour(ink);
        context.fillRect(toLeft ? left + width - from - length : left + from, top, length, height);
      };
      piece(0, soft, "--accent-soft");
      piece(soft, full, "--accent");
    },
  };
}

// Oblique lines, as the page draws what is below zero (.seps-less).
function hatching(context) {
  const tile = canvasOf(HATCH, HATCH);
  const lines = tile.getContext("2d");
  lines.fillStyle = colour("--paper");
  lines.fillRect(0, 0, HATCH, HATCH);
  lines.strokeStyle = colour("--ink");
  lines.lineWidth = 2;
  for (const start of [-HATCH, 0, HATCH]) { // the neighbours' lines too, so that tiles meet
    lines.moveTo(start, HATCH);
    lines.lineTo(start + HATCH, 0);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat");
}

const stacked = (along, across) => (blocks, gap = 0) => ({
  [along]: sum(blocks.map((block) => block[along])) + gap * (blocks.length - 1),
  [across]: Math.max(...blocks.map((block) => block[across])),
  draw(context, left, top) {
    const at = { width: left, height: top };
    for (const block of blocks) {
      block.draw(context, at.width, at.height);
      at[along] += block[along] + gap;
    }
  },
});
export const column = stacked("height", "width");
export const row = stacked("width", "height");

// A block within a margin, as a PNG in the page's colours.
export function sheet(block) {
  const canvas = canvasOf(block.width + 2 * MARGIN, block.height + 2 * MARGIN);
  const context = canvas.getContext("2d");
  context.fillStyle = colour("--ground");
  context.fillRect(0, 0, canvas.width, canvas.height);
  block.draw(context, MARGIN, MARGIN);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export const WIDTH = 1200; // pixels of a sheet, without margins

export const canvasOf = (width, height) =>
  Object.assign(document.createElement("canvas"), { width: Math.round(width), height: Math.round(height) });
export const canvasFor = (photo, width) => canvasOf(width, (width * photo.naturalHeight) / photo.naturalWidth);

export const title = (text, width) => words(text, width, { size: 26, ink: "--ink" });

export function foot({ model }, photos) {
  const credits = photos.flatMap(({ credit, licence }) => [credit, licence]);
  return words([say("button.model", { name: model }), ...credits].filter(Boolean).join(" · "), WIDTH);
}
