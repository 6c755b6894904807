// Resizes a picture as Pillow does: antialiased bicubic on 8-bit values, across, then down, with weights of 22 bits.

import { sum } from "../../base/arrays.js";

const SUPPORT = 2; // of the kernel, in pixels
const A = -0.5;
const BITS = 22;

function bicubic(distance) {
  const x = Math.abs(distance);
  if (x < 1) return ((A + 2) * x - (A + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * A : 0;
}

// For each pixel of the output the first pixel of the input that counts, and whole-number weights from there on.
function weightsOf(from, to) {
  const scale = from / to;
  const wide = Math.max(scale, 1);
  const support = SUPPORT * wide;
  return Array.from({ length: to }, (_, at) => {
    const centre = (at + 0.5) * scale;
    const first = Math.max(0, Math.trunc(centre - support + 0.5));
    const last = Math.min(from, Math.trunc(centre + support + 0.5));
    const weights = Array.from({ length: last - first }, (_, index) => bicubic((index + first - centre + 0.5) * (1 / wide)));
    const total = sum(weights);
    const whole = weights.map((weight) => {
      const scaled = (total ? weight * (1 / total) : weight) * 2 ** BITS;
      return Math.trunc(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    });
    return { first, whole };
  });
}

const clipped = (sum) => Math.min(255, Math.max(0, Math.floor(sum / 2 ** BITS)));

// RGB bytes of width x height, row by row, to size x size.
export function squashed(pixels, width, height, size) {
  const across = width === size ? pixels : new Uint8Array(height * size * 3);
  if (width !== size) {
    weightsOf(width, size).forEach(({ first, whole }, x) => {
      for (let y = 0; y < height; y += 1) {
        for (let channel = 0; channel < 3; channel += 1) {
          let sum = 2 ** (BITS - 1);
          for (let index = 0; index < whole.length; index += 1) {
            sum += pixels[3 * (y * width + first + index) + channel] * whole[index];
          }
          across[3 * (y * size + x) + channel] = clipped(sum);
        }
      }
    });
  }
  if (height === size) return across;
  const down = new Uint8Array(size * size * 3);
  weightsOf(height, size).forEach(({ first, whole }, y) => {
    for (let at = 0; at < 3 * size; at += 1) {
      let sum = 2 ** (BITS - 1);
      for (let index = 0; index < whole.length; index += 1) sum += across[3 * size * (first + index) + at] * whole[index];
      down[3 * size * y + at] = clipped(sum);
    }
  });
  return down;
}

// RGB bytes of a square to what an image graph takes: (3, S, S), normalised.
export function normalised(square, { size, mean, std }) {
  const values = new Float32Array(3 * size * size);
  const scaled = mean.map((_, channel) => [Math.fround(mean[channel]), Math.fround(std[channel])]);
  for (let at = 0; at < size * size; at += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const value = Math.fround(square[3 * at + channel] / 255);
      values[channel * size * size + at] = Math.fround(value - scaled[channel][0]) / scaled[channel][1];
    }
  }
  return values;
}
