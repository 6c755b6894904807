// What a browser saves: a file's name, its content, and tables as CSV.

const LONGEST_PART = 60; // characters of each part of a file's name

// A file's name, as demo/drawing/formats.py makes it.
export function fileName(model, title, layer, kind) {
  const part = (text) => text.normalize("NFKD").replace(/[^\0-\x7f]/g, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, LONGEST_PART).replace(/^-+|-+$/g, "");
  return `${["seps", ...[model, title, layer].map(part).filter(Boolean)].join("-")}.${kind}`;
}

export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const harmless = (text) => (/^(?:[\t\r]|\s*[=+\-@＝＋－＠])/.test(text) ? `'${text}` : text);
const cell = (value) => {
  const text = typeof value === "string" ? harmless(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export function csv(rows) {
  return `\ufeff${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}
