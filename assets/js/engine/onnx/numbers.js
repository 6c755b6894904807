// Arrays of numbers as graphs take and give them.

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

// The positions of values from the highest on; of equal ones the earlier comes first.
export function fromHighest(values) {
  return Array.from(values, (_, index) => index).sort((first, other) => values[other] - values[first] || first - other);
}

// Parts after each other, in one array of a kind.
export function joined(parts, Kind = Float32Array) {
  const values = new Kind(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return values;
}
