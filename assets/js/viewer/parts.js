// Parts of the viewer: the caption as buttons, the terms of the similarity as a bar, the tokens as small multiples.

import { extremes } from "../base/arrays.js";
import { resize } from "../base/canvas.js";
import { button, h } from "../base/dom.js";
import { shownNumber, signedShort } from "../base/numbers.js";
import { meaning, say, symbol } from "../base/words.js";
import { drawLayer } from "../picture/layer.js";
import { branchOf, describe, layerText, layerValues } from "../record/record.js";

const GAP = 4; // CSS pixels between small multiples
const SMALLEST = 44; // CSS pixels, their least width

// The words as buttons. preview(index) is called on hover and focus, then with null; pin(index) on a click.
export function captionButtons(words, { preview, pin }) {
  const element = h("div", { class: "seps-words", role: "group", "aria-label": say("group.words") });
  const buttons = words.map((word, index) => button({
    "data-word": index,
    class: /^\[.+\]$/.test(word) ? "seps-special" : null,
    pointerenter: (event) => event.pointerType === "mouse" && preview(index),
    pointerleave: (event) => event.pointerType === "mouse" && preview(null),
    focus: (event) => event.target.matches(":focus-visible") && preview(index),
    blur: () => preview(null),
    click: () => pin(index),
  }, word));
  buttons.forEach((item, index) => {
    const continues = index > 0 && /^##./.test(words[index]);
    if (!continues) element.append(h("span", { class: "seps-word" }));
    element.lastChild.append(item);
  });
  const light = (lit, pinned) => buttons.forEach((element, index) => {
    element.classList.toggle("seps-lit", index === lit);
    element.setAttribute("aria-pressed", index === pinned);
  });
  return { element, light };
}

// The terms laid end to end from 0: those that add, then, hatched, those that take away, back to the similarity.
export function termsBar(record) {
  const entries = Object.entries(record.terms).map(([name, value], index) => ({ name, value, index }));
  const order = [...entries.filter(({ value }) => value >= 0), ...entries.filter(({ value }) => value < 0)];
  let end = 0;
  const segments = order.map((term) => ({ ...term, from: end, to: (end += term.value) }));
  const [low, high] = extremes([0, ...segments.map(({ to }) => to)]);
  const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 0);
  const piece = ({ value, index }, more = {}) =>
    h("i", { class: value < 0 ? "seps-less" : "seps-more", "data-tint": index % 4, ...more });
  const segment = (term) => {
    const [left, right] = extremes([at(term.from), at(term.to)]);
    return piece(term, { title: record.says.terms[term.name], style: { left: `${left}%`, width: `${right - left}%` } });
  };
  const mark = (name, value) => h("b", { class: name, style: { left: `${at(value)}%` } });
  const marks = [mark("seps-zero-mark", 0), mark("seps-sum-mark", record.similarity)];
  const item = ({ name, value, index }) => h("li", { "data-term": name, "data-value": value, title: meaning(termOf(name)) },
    piece({ value, index }), h("span", {}, record.says.terms[name]),
    shownNumber(value, {}, signedShort(value)),
  );
  const total = shownNumber(record.similarity, { "data-similarity": record.similarity });
  return h("div", { class: "seps-terms" },
    h("p", {}, symbol("S(I, T)"), " ", total),
    h("div", { class: "seps-bar", "aria-hidden": "true" }, ...segments.map(segment), ...marks),
    h("ol", {}, ...entries.map(item)),
  );
}

// "sparse patch relevance" is a term of the sparse caption.
const termOf = (name) => name.replace(/^(sparse|dense) /, "");

// What the symbols, the terms, the tokens and the crosses on this page stand for, folded away.
export function glossary(parts, record) {
  const terms = [...new Set(Object.keys(record.terms).map(termOf))];
  const entries = [
    ...["S(I, T)", ...parts].map((name) => [symbol(name), name]),
    ...terms.map((name) => [say(`term.${name}`), name]),
    ...["token", "cross", "colour"].map((name) => [say(`glossary.${name}`), name]),
  ];
  const definitions = entries.flatMap(([shown, name]) => [h("dt", {}, shown), h("dd", {}, meaning(name))]);
  return h("details", { class: "seps-glossary" }, h("summary", {}, say("glossary.title")), h("dl", {}, ...definitions));
}

// Every aggregated token on one scale, as large as `room` [width, height] allows; outline(canvas) draws over each.
export function drawMultiples(place, photo, record, layer, { opacity, room, outline, choose }) {
  const { aggregation_weights: rows } = branchOf(record, layer);
  const { range } = layerValues(record, layer);
  const size = (columns) => {
    const width = Math.floor((room[0] - GAP * (columns - 1)) / columns);
    return [width, Math.max(1, Math.round((width * photo.naturalHeight) / photo.naturalWidth))];
  };
  const most = Math.max(1, Math.floor((room[0] + GAP) / (SMALLEST + GAP)));
  let columns = 1;
  while (columns < most && Math.ceil(rows.length / columns) * (size(columns)[1] + GAP) > room[1]) columns += 1;
  place.style.gap = `${GAP}px`;
  place.style.gridTemplateColumns = `repeat(${columns}, max-content)`;
  place.setAttribute("aria-label", describe(record, layerText(layer)));
  const token = (index) => say("title.token", { number: index + 1, count: rows.length });
  if (place.childElementCount !== rows.length) {
    place.replaceChildren(...rows.map((_, index) => button(
      { "data-token": index + 1, "aria-label": token(index), click: () => choose(index + 1) },
      h("canvas", {}), h("span", { "aria-hidden": "true" }, String(index + 1)))));
  }
  rows.forEach((_, index) => {
    const canvas = place.children[index].firstChild;
    resize(canvas, ...size(columns));
    const text = layerText({ ...layer, name: "token", number: index + 1 });
    drawLayer(canvas, photo, record, text, { opacity, lines: false, range });
    outline(canvas);
  });
}
