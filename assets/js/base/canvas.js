// Pictures and the canvases that they are drawn on.

import { BLANK } from "./colours.js";
import { h } from "./dom.js";
import { say } from "./words.js";

const SIDE = 224; // pixels of a blank of unknown size

// The photo as an image that can be drawn, once it is decoded; throws, in a sentence, where it cannot be fetched.
export async function loadImage(photo) {
  const image = new Image();
  image.src = photo.src;
  try {
    await image.decode();
  } catch {
    throw new Error(say("hint.lost_picture"));
  }
  return image;
}

// The same; a picture that cannot be fetched becomes a blank of its size, with the error as `problem`.
export async function imageOrBlank(photo) {
  try {
    return await loadImage(photo);
  } catch ({ message: problem }) {
    const [width, height] = [photo.width ?? SIDE, photo.height ?? SIDE];
    const blank = Object.assign(document.createElement("canvas"), { width, height });
    const context = blank.getContext("2d");
    context.fillStyle = BLANK;
    context.fillRect(0, 0, width, height);
    return Object.assign(blank, { naturalWidth: width, naturalHeight: height, problem });
  }
}

// Tell at the top of a place that one of its pictures is a blank, as long as one is.
export function tellBlanks(place, images) {
  place.querySelector(":scope > .seps-missing")?.remove();
  const { problem } = images.find((image) => image.problem) ?? {};
  if (problem) place.prepend(h("p", { class: "seps-missing message problem", role: "alert" }, problem));
}

// Give a canvas a size in CSS pixels, sharp on the screen it is on.
export function resize(canvas, width, height) {
  const pixel = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.max(1, Math.round(width * pixel));
  canvas.height = Math.max(1, Math.round(height * pixel));
}

// Give a canvas the size at which an image is as large as a width, and the style's limit of its height, let it be.
export function fitImage(canvas, image, room) {
  const tallest = parseFloat(getComputedStyle(canvas).maxHeight) || Infinity;
  const aspect = image.naturalHeight / image.naturalWidth;
  const width = Math.min(room, tallest / aspect);
  resize(canvas, width, width * aspect);
}

export function drawImage(canvas, image, isGrey = false) {
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.filter = isGrey ? "grayscale(1)" : "none";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  context.filter = "none";
}

// The box of a patch of a grid [rows, columns] on a canvas, in its pixels: [left, top, width, height].
/** @returns {[number, number, number, number]} */
export function boxOf(canvas, [rows, columns], patch) {
  const across = (column) => Math.round((column * canvas.width) / columns);
  const down = (row) => Math.round((row * canvas.height) / rows);
  const [row, column] = [Math.floor(patch / columns), patch % columns];
  return [across(column), down(row), across(column + 1) - across(column), down(row + 1) - down(row)];
}

// Lay a colour over patches: `look` gives [colour, opacity] of one, or false.
export function paintPatches(canvas, grid, look) {
  const context = canvas.getContext("2d");
  for (let patch = 0; patch < grid[0] * grid[1]; patch += 1) {
    const seen = look(patch);
    if (!seen) continue;
    [context.fillStyle, context.globalAlpha] = seen;
    context.fillRect(...boxOf(canvas, grid, patch));
  }
  context.globalAlpha = 1;
}

// Stroke the same in each of several styles, one over the other: [colour, width, dashes], in CSS pixels.
export function strokes(context, styles, stroke) {
  const pixel = window.devicePixelRatio || 1;
  for (const [colour, width, dashes = []] of styles) {
    context.strokeStyle = colour;
    context.lineWidth = width * pixel;
    context.setLineDash(dashes.map((length) => length * pixel));
    stroke();
  }
  context.setLineDash([]);
}

// The top of a box of a width and a height at x, moved from y in steps until it meets none of the `placed` ones.
export function freeTop(placed, { x, y, width, height }, step) {
  const meets = (other) => Math.abs(other.y - y) < height && x < other.x + other.width && other.x < x + width;
  while (placed.some(meets)) y += step;
  return y;
}

// Call back with the element's width whenever it changes; returns what ends it.
export function onWidth(element, callback) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    if (width > 0) callback(width);
  });
  observer.observe(element);
  return () => observer.disconnect();
}

// Give photos' images to `ready` once, then the element's width to `fit` whenever it changes. Returns what ends it.
export function onPhotos(element, photos, ready, fit) {
  let end = () => {};
  let alive = true;
  Promise.all(photos.map(imageOrBlank)).then((images) => {
    if (!alive) return;
    ready(images);
    tellBlanks(element, images);
    end = onWidth(element, fit);
  });
  return () => {
    alive = false;
    end();
  };
}
