// The text under a picture: the meaning of its colours, and the photo's credit.

import { DENSE_ONLY, SPARSE_ONLY, channels, colour, sideColour, strength } from "../base/colours.js";
import { h } from "../base/dom.js";
import { shownNumber } from "../base/numbers.js";
import { meaning, symbols, say } from "../base/words.js";
import { isMask, isPhoto, layerText, layerValues } from "../record/record.js";

// The key of a layer: a colour scale with its label and the numbers at both ends, or what the mask's looks mean.
export function layerLegend(record, layer, { opacity, range }) {
  if (isPhoto(layer)) return h("div", { class: "seps-legend" });
  const { key: looks } = record.says.layers[layerText(layer)];
  if (isMask(layer)) {
    const swatch = (look) => h("i", { class: `seps-swatch ${look}` });
    const meanings = looks.map(([look, name]) => h("span", {}, swatch(look), name));
    const style = { "--veil": opacity, "--sparse": SPARSE_ONLY, "--dense": DENSE_ONLY };
    return h("div", { class: "seps-legend", style }, ...meanings);
  }
  const { label, range: layerRange, centred } = layerValues(record, layer);
  const [low, high] = range ?? layerRange;
  const end = (value, side) => shownNumber(value, { class: side, "data-value": value });
  return h("div", { class: "seps-legend" },
    h("span", { class: "seps-scale-label" }, ...symbols(label)),
    end(low, "low"), scaleBar({ opacity, centred }), end(high, "high"),
    looks && h("span", { class: "seps-cross", title: meaning("cross") }, looks));
}

const STOPS = Array.from({ length: 33 }, (_, index) => index / 32);

// A scale of colours, as strong as over a photo, on squares of grey; in full colours without `opacity`.
export function scaleBar({ opacity = null, centred = false }) {
  const range = centred ? [-1, 1] : [0, 1];
  const stops = STOPS.map((stop) => {
    const value = centred ? 2 * stop - 1 : stop;
    const [red, green, blue] = channels(centred ? sideColour(value) : colour(value, range));
    return `rgb(${red} ${green} ${blue} / ${opacity === null ? 1 : opacity * strength(value, range, centred)})`;
  });
  const bar = h("i", { class: "seps-scale", "aria-hidden": "true" }, h("i", {}));
  bar.firstChild.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return bar;
}

export function credit({ title, credit: author, link, licence, licence_link: terms }) {
  const linked = (text, address) => {
    if (!text || !/^https?:/.test(address ?? "")) return text;
    return h("a", { href: address, target: "_blank", rel: "noreferrer" }, text);
  };
  const credits = [linked(author, link), linked(licence, terms)].filter(Boolean);
  const parts = credits.flatMap((part, index) => [index ? ", " : title ? " · " : "", part]);
  return h("span", { class: "seps-credit" }, title, ...parts);
}

export const modelName = (name) => name && h("span", {}, say("button.model", { name }));
