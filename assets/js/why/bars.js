// A word's shares as two bars, one for each picture; the part that exceeds the other bar is highlighted.

import { button, h } from "../base/dom.js";
import { fixed, short, shownNumber } from "../base/numbers.js";
import { say, symbols } from "../base/words.js";

const written = (attribution, attributes) =>
  (attribution === null ? h("output", attributes, say("why.missing")) : shownNumber(attribution, attributes));

// The difference with an arrow towards the picture that it supports.
export function differenceOf(amount) {
  const text = short(Math.abs(amount));
  if (Number(text) === 0) return text;
  return amount > 0 ? `◂ ${text}` : `${text} ▸`;
}

// A row of numbers: the left one, what it is called over the difference, the right one, with bars between.
function cells(name, { left, right, difference }, bars = [null, null]) {
  return [
    written(left, { class: "seps-for-left", "data-value": left }),
    bars[0] ?? h("i", {}),
    h("span", { class: "seps-what" },
      h("span", {}, ...name),
      h("small", { "data-difference": difference, title: fixed(difference, 6) }, differenceOf(difference))),
    bars[1] ?? h("i", {}),
    written(right, { class: "seps-for-right", "data-value": right }),
  ];
}

// One bar: the common part, and the excess over the other; hatched for a share below zero.
function bar(side, here, other, scale) {
  const size = Math.abs(here ?? 0);
  const common = here !== null && other !== null && here * other > 0 ? Math.min(size, Math.abs(other)) : 0;
  const piece = (look, amount) => h("b", { class: look, style: { width: `${scale ? (100 * amount) / scale : 0}%` } });
  const looks = `seps-share-bar seps-for-${side}${(here ?? 0) < 0 ? " seps-less" : ""}`;
  return h("i", { class: looks, "aria-hidden": "true" }, piece("seps-common", common), piece("seps-more", size - common));
}

export function wordRow(row, scale, click) {
  const bars = [bar("left", row.left, row.right, scale), bar("right", row.right, row.left, scale)];
  const looks = { class: "seps-share-row", "data-word": row.number, title: row.says };
  return button({ ...looks, click }, ...cells([row.word], row, bars));
}

// What all words leave, and the sum; click(name, says) gets what a row means.
export function restRows(rest, [left, right, difference], click) {
  const sum = { name: "sum", title: say("why.sum"), says: say("why.sum_means"), left, right, difference };
  return [...rest, sum].map((part) => {
    const { name, title, says } = part;
    const looks = { class: `seps-share-row${part === sum ? " seps-why-sum" : ""}`, "data-rest": name, title: says };
    const content = cells(part === sum ? symbols(title) : [title], part);
    return button({ ...looks, "aria-pressed": "false", click: () => click(name, says) }, ...content);
  });
}
