// Arithmetic on arrays, plain or typed.

export const sum = (values) => Array.prototype.reduce.call(values, (total, value) => total + Number(value), 0);

// The highest value, 0 where none is above it; without a call of so many arguments as there are values.
export const highest = (values) => Array.prototype.reduce.call(values, (most, value) => Math.max(most, value), 0);

// The lowest and the highest of some values; what is no number is passed over.
export function extremes(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

export const firstHighest = (values) => values.indexOf(Math.max(...values));

// The positions of values from the highest on; of equal ones the earlier comes first.
export const fromHighest = (values) =>
  Array.from(values, (_, index) => index).sort((first, other) => values[other] - values[first] || first - other);

export const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

// Parts after each other, in one array of a kind.
export function joined(parts, Kind = Float32Array) {
  const values = new Kind(sum(parts.map(({ length }) => length)));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return values;
}

export const cellOf = (patch, columns) => [Math.floor(patch / columns), patch % columns];

// Little-endian float16 to Float32Array, exactly.
export function fromHalf(content) {
  const halves = new Uint16Array(content.buffer, content.byteOffset, content.byteLength / 2);
  const values = new Float32Array(halves.length);
  for (let at = 0; at < halves.length; at += 1) {
    const [half, sign] = [halves[at], halves[at] & 0x8000 ? -1 : 1];
    const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
    values[at] = sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  }
  return values;
}
