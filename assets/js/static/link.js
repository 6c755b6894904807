// What an address leads to, read as demo/screens/link.py reads it.

import { say } from "../base/words.js";
import { maskText, readMask } from "../viewer/masks.js";

export const PLAIN = { layer: "mask", opacity: 0.75, lines: true, objects: false, mask: "", budget: 0 };

// The gallery of a query: its name, or the first, and what is wrong with it, or nothing.
export function galleryOf(query, site) {
  const names = site.galleries.map(({ name }) => name);
  const name = query.get("gallery") ?? names[0];
  if (!names.includes(name)) return { name: names[0], problem: say("static.no_gallery", { name }) };
  return { name, problem: "" };
}

// The state of a query in an open gallery: {index, caption, ...}, index null for the best picture; with what is wrong.
export function stateOf(query, facts) {
  const caption = query.get("caption") ?? "";
  const key = query.get("photo");
  const index = key === null ? null : facts.items.findIndex((item) => item.key === key);
  if (index === -1) {
    const problem = say("static.no_item", { name: facts.name, photo: key, count: facts.items.length });
    return { ...PLAIN, index: null, caption: facts.chips[0], problem };
  }
  if (!caption) return { ...PLAIN, index: null, caption: facts.chips[0], problem: "" };
  const percent = Number(query.get("opacity") ?? 75);
  const count = facts.manifest.grid[0] * facts.manifest.grid[1];
  const mask = query.get("mask") ?? "";
  const isMask = !mask || (index !== null && isTextOfMask(mask, count));
  const budget = Number(query.get("budget") ?? 0);
  return {
    index,
    caption,
    layer: query.get("layer") ?? "mask",
    opacity: Number.isInteger(percent) && percent >= 0 && percent <= 100 ? percent / 100 : PLAIN.opacity,
    lines: query.get("grid") !== "0",
    objects: query.get("objects") === "1",
    mask: isMask ? mask : "",
    budget: index !== null && Number.isInteger(budget) && budget >= 0 && budget <= count ? budget : 0,
    problem: isMask ? "" : say("static.no_mask", { count }),
  };
}

function isTextOfMask(text, count) {
  try {
    const mask = readMask(text, count);
    return mask.some(Boolean) && maskText(mask) === text;
  } catch {
    return false;
  }
}
