// What stands under a picture: what its colours mean, and whose photo it is.

import { DENSE_ONLY, DIVERGING, SPARSE_ONLY, VIRIDIS } from "../base/colours.js";
import { h } from "../base/dom.js";
import { meaning, symbols } from "../base/words.js";
import { isMask, layerText, layerValues, number } from "../record/record.js";

// The key of a layer: a colour scale with its label and the numbers at both ends, or what the mask's looks mean.
export function layerLegend(record, layer, { opacity, range }) {
  if (layer.name === "photo") return h("div", { class: "seps-legend" });
  const { key: said } = record.says.layers[layerText(layer)];
  if (isMask(layer)) {
    const swatch = (look) => h("i", { class: `seps-swatch ${look}` });
    const meanings = said.map(([look, name]) => h("span", {}, swatch(look), name));
    const key = h("div", { class: "seps-legend" }, ...meanings);
    key.style.setProperty("--veil", opacity);
    key.style.setProperty("--sparse", SPARSE_ONLY);
    key.style.setProperty("--dense", DENSE_ONLY);
    return key;
  }
  const { label, range: own, centred } = layerValues(record, layer);
  const [low, high] = range ?? own;
  const bar = h("i", { class: "seps-scale", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${(centred ? DIVERGING : VIRIDIS).filter((_, index) => index % 15 === 0).join(", ")})`;
  const end = (value, side) => h("output", { class: side, "data-value": value }, number(value));
  return h(
    "div",
    { class: "seps-legend" },
    h("span", { class: "seps-scale-label" }, ...symbols(label)),
    end(low, "low"), bar, end(high, "high"),
    said ? h("span", { class: "seps-cross", title: meaning("cross") }, said) : null,
  );
}

// The link or the text that says whose photo it is.
export function credit({ title, credit: author, link, licence, licence_link: terms }) {
  const linked = (text, address) => {
    if (!text || !/^https?:/.test(address ?? "")) return text;
    return h("a", { href: address, target: "_blank", rel: "noreferrer" }, text);
  };
  const told = [linked(author, link), linked(licence, terms)].filter(Boolean);
  const parts = told.flatMap((part, index) => [index ? ", " : title ? " · " : "", part]);
  return h("span", { class: "seps-credit" }, title, ...parts);
}
