// Numbers as text: what rounds to zero has no minus.

// A number with so many digits behind the point: "0.0000" of -0.00001.
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

// The same with a sign in front, zero with a plus.
export function signed(value, digits, minus = "-") {
  const text = fixed(value, digits);
  return text.startsWith("-") ? text.replace("-", minus) : `+${text}`;
}
