// A stage of sprites on a canvas, with labels over it: what two pictures share glides, new sprites and old ones fade.

import { mapped } from "../base/arrays.js";
import { drawImage, paintPatches, resize } from "../base/canvas.js";
import { VEIL, colour, look } from "../base/colours.js";
import { calm, h } from "../base/dom.js";

const DURATION = 700; // milliseconds
const SMALLEST = 0.55; // of the letters' size
const NUMBERS = ["x", "y", "width", "height", "alpha", "cover", "grey"];

const pixelsOf = (sizes) => mapped(sizes, (length) => `${length}px`);
const css = (rgb) => `rgb(${rgb.map(Math.round).join(" ")})`;

// A small picture of one value a patch over the drained photo; `text` is written into its corner.
export function valueMap(photo, grid, values, range, { width, height, opacity, text = "" }) {
  const canvas = document.createElement("canvas");
  resize(canvas, width, height);
  drawImage(canvas, photo, true);
  paintPatches(canvas, grid, (patch) => look(values[patch], range, opacity));
  if (text && height >= 34) {
    const context = canvas.getContext("2d");
    const pixel = window.devicePixelRatio || 1;
    context.font = `${11 * pixel}px sans-serif`;
    const wide = context.measureText(text).width + 4 * pixel;
    context.fillStyle = `${VEIL}d0`;
    context.fillRect(0, 0, wide, 13 * pixel);
    context.fillStyle = "#ffffff";
    context.fillText(text, 2 * pixel, 10.5 * pixel);
  }
  return canvas;
}

// One pixel a cell, for a sprite with `sharp`.
export function cellMap(rows, columns, valueAt, range) {
  const canvas = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
  const colourOf = (cell) => colour(valueAt(Math.floor(cell / columns), cell % columns), range);
  paintPatches(canvas, [rows, columns], (cell) => [colourOf(cell), 1]);
  return canvas;
}

// The scale of its letters at which an element holds what is in it, at least SMALLEST.
function fitting(element) {
  let scale = 1;
  for (let turns = 0; turns < 3; turns += 1) {
    const all = [element, ...element.querySelectorAll("p, table")];
    const over = all.map(({ clientWidth, scrollWidth }) => (clientWidth ? (scrollWidth - 1) / clientWidth : 1));
    const most = Math.max(...over, (element.scrollHeight - 1) / element.clientHeight);
    if (most <= 1 || scale === SMALLEST) break;
    scale = Math.max(SMALLEST, (0.99 * scale) / most);
    element.style.fontSize = `${scale}em`;
  }
  return scale;
}

// A stage inside `element`. Sprites by id: {x, y, width, height, image, crop, sharp, alpha, cover, tint, grey, from} in CSS
// pixels; `tint` covers the image by `cover` after `grey` desaturated it; `from`: id of the sprite that it comes from.
export function createScene(element) {
  const canvas = h("canvas", { role: "img" });
  const labels = h("div", { class: "seps-labels" });
  element.replaceChildren(canvas, labels);
  let [from, to, now] = [new Map(), new Map(), new Map()];
  let frame = 0;

  const full = (sprite) => ({ alpha: 1, cover: 0, tint: [0, 0, 0], grey: 0, ...sprite });

  function between(start, end, fraction) {
    const mixed = { ...end, old: start.image === end.image ? null : start, share: fraction };
    for (const name of NUMBERS) mixed[name] = start[name] + (end[name] - start[name]) * fraction;
    const tint = start.cover === 0 ? end.tint : end.cover === 0 ? start.tint : null;
    mixed.tint = tint ?? end.tint.map((value, index) => start.tint[index] + (value - start.tint[index]) * fraction);
    return mixed;
  }

  // Show sprites, a Map in the order in which they are drawn, and labels [{key, rect, node}].
  function show(sprites, notes, smooth) {
    cancelAnimationFrame(frame);
    const next = new Map([...sprites].map(([id, sprite]) => [id, full(sprite)]));
    const gone = [...now].filter(([id, sprite]) => !next.has(id) && sprite.alpha > 0);
    from = new Map(gone);
    to = new Map(gone.map(([id, sprite]) => [id, { ...sprite, alpha: 0 }]));
    for (const [id, sprite] of next) {
      const { x, y, width, height } = now.get(sprite.from) ?? sprite;
      from.set(id, now.get(id) ?? { ...sprite, x, y, width, height, alpha: 0 });
      to.set(id, sprite);
    }
    const moves = smooth && !calm();
    write(notes, moves);
    element.dataset.still = "false";
    const begin = performance.now();
    const step = (time) => {
      const passed = moves ? Math.max(0, Math.min(1, (time - begin) / DURATION)) : 1;
      const eased = passed < 0.5 ? 4 * passed ** 3 : 1 - (2 - 2 * passed) ** 3 / 2;
      now = new Map([...to].map(([id, end]) => [id, passed === 1 ? end : between(from.get(id), end, eased)]));
      if (passed === 1) now = new Map([...now].filter(([, sprite]) => sprite.alpha > 0));
      draw();
      if (passed < 1) frame = requestAnimationFrame(step);
      else element.dataset.still = "true";
    };
    if (moves) frame = requestAnimationFrame(step);
    else step(begin);
  }

  function draw() {
    const context = canvas.getContext("2d");
    const pixel = window.devicePixelRatio || 1;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (const sprite of now.values()) {
      const [left, top] = [Math.round(sprite.x * pixel), Math.round(sprite.y * pixel)];
      const wide = Math.max(1, Math.round((sprite.x + sprite.width) * pixel) - left);
      const tall = Math.max(1, Math.round((sprite.y + sprite.height) * pixel) - top);
      const paint = ({ image, crop, sharp }, alpha) => {
        context.imageSmoothingEnabled = !sharp;
        context.imageSmoothingQuality = "high";
        context.globalAlpha = alpha;
        const part = crop ?? [0, 0, image.naturalWidth ?? image.width, image.naturalHeight ?? image.height];
        context.drawImage(image, ...part, left, top, wide, tall);
      };
      const fill = (style, alpha) => {
        context.globalAlpha = alpha;
        context.fillStyle = style;
        context.fillRect(left, top, wide, tall);
      };
      if (sprite.old) paint(sprite.old, sprite.alpha);
      paint(sprite, sprite.alpha * (sprite.old ? sprite.share : 1));
      if (sprite.grey > 0) {
        context.globalCompositeOperation = "saturation";
        fill("#808080", sprite.grey * sprite.alpha);
        context.globalCompositeOperation = "source-over";
      }
      if (sprite.cover > 0) fill(css(sprite.tint), sprite.cover * sprite.alpha);
    }
    context.globalAlpha = 1;
  }

  // How much smaller letters have to be for each label to hold what it says: measured on copies, which glide nowhere.
  function scales(notes) {
    const written = notes.filter(({ node }) => node instanceof HTMLElement && node.getAttribute("role") !== "img");
    const copies = written.map(({ rect: { width, height }, node }) =>
      h("div", { style: pixelsOf({ width, height }) }, node.cloneNode(true)));
    const ruler = h("div", { class: "seps-labels seps-ruler", "aria-hidden": "true" }, ...copies);
    element.append(ruler);
    const result = new Map(written.map(({ key }, index) => [key, fitting(copies[index])]));
    ruler.remove();
    return result;
  }

  // Labels with the same key glide to their new place with new content.
  function write(notes, moves) {
    const letters = scales(notes);
    const old = new Map([...labels.children].map((element) => [element.dataset.label, element]));
    labels.classList.toggle("seps-moving", moves);
    for (const { key, rect, node } of notes) {
      const label = old.get(key) ?? h("div", { "data-label": key, class: moves ? "seps-new" : null });
      const isNew = !old.delete(key);
      Object.assign(label.style, pixelsOf({ left: rect.x, top: rect.y, width: rect.width, height: rect.height }));
      label.style.fontSize = letters.get(key) < 1 ? `${letters.get(key)}em` : "";
      if (label.firstChild !== node) label.replaceChildren(node); // what stays keeps focus and pointer
      if (isNew) labels.append(label);
    }
    for (const gone of old.values()) gone.remove();
  }

  // The id of the topmost sprite at a place of the stage that passes the test, or null.
  function at(x, y, passes) {
    const isIn = (box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
    return [...to].findLast(([id, box]) => passes(id) && box.alpha > 0 && isIn(box))?.[0] ?? null;
  }

  return { canvas, show, at, stop: () => cancelAnimationFrame(frame) };
}
