// Numbers: as text for readers, with "−" (U+2212) for a minus and none on what rounds to zero; for files; and packed.

import { h } from "./dom.js";

const MINUS = "−";

export const withMinus = (text) => text.replace(/^-/, MINUS);

// The same with a sign in front always: a plus where there is no minus.
export function withSign(text) {
  const written = withMinus(text);
  return written.startsWith(MINUS) ? written : `+${written}`;
}

// A number rounded to so many digits behind the point, as files have it.
export const rounded = (value, digits) => Number(value.toFixed(digits)) + 0; // which turns -0 to 0

// A number with so many digits behind the point: "0.0000" of -0.00001.
export const fixed = (value, digits) => withMinus((rounded(value, digits) === 0 ? 0 : value).toFixed(digits));

export const signed = (value, digits) => withSign(fixed(value, digits));

// Two decimals; two significant digits where those would read 0.00, as "0.0034".
export function short(value) {
  const isShort = rounded(value, 2) !== 0 || Math.abs(value) < 5e-7;
  return fixed(value, isShort ? 2 : 1 - Math.floor(Math.log10(Math.abs(value))));
}

export const signedShort = (value) => withSign(short(value));

// The element of a number: two decimals, and six on hover; text: what it shows of it.
export const shownNumber = (value, attributes = {}, text = short(value)) =>
  h("output", { title: fixed(value, 6), ...attributes }, text);

// What Python packs as base64.
export function bytes(base64) {
  const text = atob(base64);
  const values = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) values[i] = text.charCodeAt(i); // much faster than Uint8Array.from
  return values;
}

// Unpack {shape, float32}, or {shape, values} of the page itself: a Float32Array, or with two dimensions one per row.
/** @returns {any} */
export function floats({ shape, float32 = "", values = new Float32Array(bytes(float32).buffer) }) {
  if (shape.length === 1) return values;
  return Array.from({ length: shape[0] }, (_, row) => values.subarray(row * shape[1], (row + 1) * shape[1]));
}
