// What Python packs as base64.

export function bytes(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

// {shape, float32} to a Float32Array, or to one Float32Array a row where the shape has two dimensions; what was computed
// on the page comes as {shape, values} instead.
/** @returns {any} */
export function floats({ shape, float32 = "", values = new Float32Array(bytes(float32).buffer) }) {
  if (shape.length === 1) return values;
  return Array.from({ length: shape[0] }, (_, row) => values.subarray(row * shape[1], (row + 1) * shape[1]));
}
