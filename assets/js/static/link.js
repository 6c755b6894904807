// What an address leads to, read as demo/screens/link.py reads it.

import { say } from "../base/words.js";
import { isMaskText } from "../viewer/masks.js";
import { PLAIN } from "../engine/pairs.js";

export { PLAIN };

// The gallery of a query by its name, the first where it names none; throws where it is not here.
export function galleryOf(query, site) {
  const names = site.galleries.map(({ name }) => name);
  const name = query.get("gallery") ?? names[0];
  if (!names.includes(name)) throw new Error(say("static.no_gallery", { name }));
  return name;
}

// How a query has a picture drawn.
export function drawnOf(query) {
  const percent = Number(query.get("opacity") ?? 75);
  return {
    layer: query.get("layer") ?? "mask",
    opacity: Number.isInteger(percent) && percent >= 0 && percent <= 100 ? percent / 100 : PLAIN.opacity,
    lines: query.get("grid") !== "0",
    objects: query.get("objects") === "1",
  };
}

// The dense caption of a query, "" where it has none.
export function denseOf(query) {
  return (query.get("dense") ?? "").trim();
}

// The position of the photograph that a query names, null where it names none; throws where that is not there.
export function indexOf(query, facts, name = "photo") {
  const key = query.get(name);
  if (key === null) return null;
  const index = facts.items.findIndex((item) => item.key === key);
  if (index < 0) throw new Error(say("static.no_item", { name: facts.name, photo: key, count: facts.items.length }));
  return index;
}

// The state of a query in Photos: {index, caption, dense, ...}, index null for the best picture; throws where it names what is
// not there.
export function stateOf(query, facts) {
  const index = indexOf(query, facts);
  const caption = query.get("caption");
  if (!caption) return { ...PLAIN, index: null, caption: facts.chips[0] };
  const count = facts.manifest.grid[0] * facts.manifest.grid[1];
  const mask = query.get("mask") ?? "";
  if (mask && (index === null || !isMaskText(mask, count))) throw new Error(say("static.no_mask", { count }));
  const budget = Number(query.get("budget") ?? 0);
  return {
    index,
    caption,
    dense: denseOf(query),
    ...drawnOf(query),
    mask,
    budget: index !== null && Number.isInteger(budget) && budget >= 0 && budget <= count ? budget : 0,
  };
}

// The decision by hand of a query, "" for the model's own; throws where it is none of the model's patches.
export function maskOfQuery(query, { manifest: { grid: [rows, columns] } }) {
  const mask = query.get("mask") ?? "";
  if (mask && !isMaskText(mask, rows * columns)) throw new Error(say("static.no_mask", { count: rows * columns }));
  return mask;
}
