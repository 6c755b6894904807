// Moving over the patches of a picture by pointer, touch or keyboard.

import { cellOf } from "../base/arrays.js";
import { isShortcut } from "../base/focus.js";

// The lines between neighbours of a grid that differ: [x0, y0, x1, y1] each, in patches.
export function borders(values, [rows, columns]) {
  return Array.from(values).flatMap((value, patch) => {
    const [row, column] = cellOf(patch, columns);
    const right = column + 1 < columns && value !== values[patch + 1];
    const below = row + 1 < rows && value !== values[patch + columns];
    return [...(right ? [[column + 1, row, column + 1, row + 1]] : []), ...(below ? [[column, row + 1, column + 1, row + 1]] : [])];
  });
}

// The index of the patch under a pointer on a canvas, null outside.
export function patchUnder(canvas, [rows, columns], event) {
  const box = canvas.getBoundingClientRect();
  const row = Math.floor((rows * (event.clientY - box.top)) / box.height);
  const column = Math.floor((columns * (event.clientX - box.left)) / box.width);
  return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : null;
}

// Choose a patch of a canvas by pointer, touch or arrow keys: current(), choose(index or null). Focus keeps it chosen.
export function overPatches(canvas, [rows, columns], current, choose) {
  const pick = (patch) => patch !== current() && choose(patch);
  const under = (event) => patchUnder(canvas, [rows, columns], event);
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && pick(under(event)));
  canvas.addEventListener("pointerdown", (event) => pick(under(event)));
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== canvas) pick(null);
  });
  canvas.addEventListener("blur", (event) => event.relatedTarget?.tagName !== "CANVAS" && pick(null));
  canvas.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step || isShortcut(event)) return undefined;
    event.preventDefault();
    if (current() === null) return pick(0);
    const [row, column] = cellOf(current(), columns).map((at, axis) => at + step[axis]);
    return pick(Math.max(0, Math.min(rows - 1, row)) * columns + Math.max(0, Math.min(columns - 1, column)));
  });
}
