// A word's shares as two bars, one towards either picture: what it has more than the other one stands out.

import { button, h } from "../base/dom.js";
import { fixed } from "../base/numbers.js";
import { say, symbols } from "../base/words.js";

const DIGITS = 4;

const written = (attribution) => (attribution === null ? say("why.missing") : fixed(attribution, DIGITS).replace("-", "−"));

// The difference with an arrow towards the picture that it supports.
export function differenceOf(amount) {
  const text = fixed(Math.abs(amount), DIGITS);
  if (Number(text) === 0) return text;
  return amount > 0 ? `◂ ${text}` : `${text} ▸`;
}

// A row of numbers: the left one, what it is called over the difference, the right one, with bars between.
function cells(name, { left, right, difference, unfound = [] }, bars = [null, null]) {
  const looks = (side, place) => `seps-for-${side}${unfound[place] ? " seps-unfound" : ""}`;
  return [
    h("output", { class: looks("left", 0), "data-value": left }, written(left)),
    bars[0] ?? h("i", {}),
    h(
      "span",
      { class: "seps-what" },
      h("span", {}, ...name),
      h("small", { "data-difference": difference, class: difference < 0 ? "seps-to-right" : "seps-to-left" }, differenceOf(difference)),
    ),
    bars[1] ?? h("i", {}),
    h("output", { class: looks("right", 1), "data-value": right }, written(right)),
  ];
}

// One bar: the common part, and the excess over the other; hatched for a share below zero.
function bar(side, here, other, scale) {
  const size = Math.abs(here ?? 0);
  const common = here !== null && other !== null && here * other > 0 ? Math.min(size, Math.abs(other)) : 0;
  const piece = (look, amount) => {
    const part = h("b", { class: look });
    part.style.width = `${scale ? (100 * amount) / scale : 0}%`;
    return part;
  };
  const looks = `seps-share-bar seps-for-${side}${(here ?? 0) < 0 ? " seps-less" : ""}`;
  return h("i", { class: looks, "aria-hidden": "true" }, piece("seps-common", common), piece("seps-more", size - common));
}

export function wordRow(row, scale, click) {
  const bars = [bar("left", row.left, row.right, scale), bar("right", row.right, row.left, scale)];
  const looks = { class: "seps-share-row", "data-word": row.number, title: row.says };
  return button({ ...looks, click }, ...cells([row.word], row, bars));
}

// What all words leave; `click` is given what a row means.
export function restRows(rest, click) {
  return rest.map((part) => meaningRow(part.name, part.says, cells([part.title], part), click));
}

export function sumRow([left, right, difference], click) {
  return meaningRow("sum", say("why.sum_means"), cells(symbols(say("why.sum")), { left, right, difference }), click);
}

function meaningRow(name, says, content, click) {
  const looks = { class: `seps-share-row${name === "sum" ? " seps-why-sum" : ""}`, "data-rest": name, title: says };
  return button({ ...looks, "aria-pressed": "false", click: () => click(name, says) }, ...content);
}
