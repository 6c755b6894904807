// Decision masks as links hold them: the bits of the patches as base64url, as demo/service/masks.py writes them.

// The mask of a text, one 0 or 1 a patch.
export function readMask(text, count) {
  const content = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Array.from({ length: count }, (_, patch) => (content.charCodeAt(patch >> 3) >> (7 - (patch & 7))) & 1);
}

export function maskText(mask) {
  const content = new Uint8Array(Math.ceil(mask.length / 8));
  mask.forEach((kept, patch) => {
    if (kept) content[patch >> 3] |= 128 >> (patch & 7);
  });
  return btoa(String.fromCharCode(...content)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// Whether a text is that of a mask of so many patches which keeps one or more.
export function isMaskText(text, count) {
  try {
    const mask = readMask(text, count);
    return mask.some(Boolean) && maskText(mask) === text;
  } catch {
    return false;
  }
}

// The patches on the straight line from one to another, without the first.
export function between(from, to, columns) {
  const [row, column] = [Math.floor(from / columns), from % columns];
  const [down, across] = [Math.floor(to / columns) - row, (to % columns) - column];
  const steps = Math.max(Math.abs(down), Math.abs(across), 1);
  const along = (start, way, step) => start + Math.round((way * step) / steps);
  return Array.from({ length: steps }, (_, step) =>
    along(row, down, step + 1) * columns + along(column, across, step + 1));
}
