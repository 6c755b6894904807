// Sentences about one record: its layers, patches, words and terms, from the templates of the page's table. As
// demo/record/layers/layers.py and layer_table.py; tests/helpers/models/record_words.py has all of it in Python.

import { cellOf, extremes, firstHighest, sum } from "../base/arrays.js";
import { rounded } from "../base/numbers.js";
import { layers as rows, listed, phrase, say, tells, template, tokenLabel } from "../base/words.js";
import { whereabouts } from "./whereabouts.js";

const LIES = { zero: "weight", lowest: "highest", diverging: "cost", mask: "most", fates: "most" }; // in table.json

// All sentences about an unpacked record. `layers`: by text form, the `label` and `range` [low, high] of the scale, `says`,
// the `key` (of a mask: each look and its meaning; else what crosses mean, or null) and `diverging` if zero is in the
// middle. `patch`, `branches`, `fates`: templates of a patch's lines. `apart`: per word, where it fits best if elsewhere.
export function recordWords(record) {
  const { branches, alignments: [alignment] } = record;
  const isAlone = branches.length === 1;
  const fates = [say("mask.dropped"), say("mask.kept")];
  const numbers = alignment.words.map((_, number) => number);
  return whenRead({
    layers: () => whenRead(Object.fromEntries(
      layersOf(record).map((layer) => [layerText(layer), () => layerWords(record, layer)]))),
    kept: () => Object.fromEntries(branches.map(({ name, kept }) =>
      [name, say("mask.count", { kept: sum(kept), total: kept.length })])),
    patch: () => template("patch.token"),
    branches: () => branches.map((branch) => branchLine(branch, isAlone)),
    fates: () => (isAlone ? fates.map(capitalized) : fates),
    words: () => numbers.map((number) => wordLine(record, number)),
    apart: () => numbers.map((number) => apartLine(record, number)),
    terms: () => termTitles(record),
  });
}

// An object of which each value is computed when it is first read: of a hundred layers a view shows one or two.
function whenRead(works) {
  const object = {};
  for (const [name, work] of Object.entries(works)) {
    const get = () => {
      const value = work();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}

const capitalized = (text) => text[0].toUpperCase() + text.slice(1).toLowerCase();

function layersOf(record) {
  return rows.flatMap((row) => row.branches.flatMap((branch) => {
    if (!hasRow(record, row, branch)) return [];
    const count = Math.max(0, ...Object.keys(row.source).map((path) => resolve(record, path, branch)?.length ?? 0));
    const numbers = row.number ? Array.from({ length: count }, (_, index) => row.first + index) : [null];
    return numbers.map((number) => ({ name: row.name, number, branch, row }));
  }));
}

function branchNamed(record, name) {
  const [sparse, dense] = record.branches;
  if (name === "sparse") return sparse;
  return name === "both" && dense ? sparse : dense;
}

function hasRow(record, row, branch) {
  if (!branchNamed(record, branch)) return false;
  if (row.measured) return row.name in record.measures;
  return Object.keys(row.source).every((path) => resolve(record, path, branch)?.length);
}

function layerWords(record, layer) {
  const shown = shownLayer(record, layer);
  const { row } = layer;
  let key = null;
  if (isMask(row)) key = Object.entries(row.looks).map(([look, meaning]) => [look, say(`mask.${meaning}`)]);
  else if (shown.isOne && !shown.kept.every(Boolean)) key = say("mask.cross");
  const words = { label: shown.label, range: shown.range, says: described(record, layer, shown), key };
  return row.scale === "diverging" ? { ...words, diverging: true } : words;
}

const isMask = (row) => ["mask", "fates"].includes(row.scale);

// A layer's title, label and sentence, its values and the ends of its scale.
function shownLayer(record, layer) {
  const { name, number, row } = layer;
  const branch = branchNamed(record, layer.branch);
  const { kept } = branch;
  const values = sourceOf(record, layer, row);
  const flat = values === null ? [] : Array.isArray(values) && values[0]?.length ? values : [values];
  const [low, high] = flat.length ? extremes(flat.flatMap((each) => [...each])) : [0, 0];
  const named = {
    name, number, low, high, kept: sum(kept), dropped: kept.length - sum(kept), total: kept.length,
    count: branch.aggregation_weights.length,
    ...(row.number === "word" ? { word: record.alignments[0].words[number] } : {}),
  };
  const facts = FACTS[row.facts]({ name, number, record, branch, values, measured: record.measures[name] });
  Object.assign(named, facts.named);
  const words = row.words || name;
  const title = say(`title.${facts.title ?? words}`, named);
  return {
    kept, flat,
    isOne: !Array.isArray(values) && flat.length > 0,
    range: ends(row, low, high),
    label: say(`scale.${row.unit || name}`, named),
    title: record.branches.length > 1 && row.branches.includes("dense")
      ? say("title.of_branch", { title, branch: phrase(branch.name) })
      : title,
    sentence: say(`sentence.${facts.sentence ?? words}`, named),
  };
}

function ends(row, low, high) {
  if (isMask(row)) return [0, row.scale === "mask" ? 1 : 3];
  if (row.scale === "diverging") {
    const most = Math.max(Math.abs(low), Math.abs(high));
    return [-most, most];
  }
  return row.scale === "lowest" ? [low, high] : [0, Math.max(0, high)];
}

// Values for titles and sentences of single layers, as in demo/record/layers/layer_table.py.
const FACTS = {
  no_more: () => ({ named: {} }),
  of_part: ({ name, branch }) => ({ named: { part: say(`part.${name}`), weight: branch.coefficients[name] } }),
  of_both: ({ values }) => ({
    named: Object.fromEntries(["none", "sparse", "dense", "both"].map((name, fate) =>
      [name, sum(values.map((value) => value === fate))])),
  }),
  of_tokens: ({ values }) => ({ named: {}, title: values.length > 1 ? "tokens" : "tokens_one" }),
  of_extra: ({ branch }) => ({ named: {}, sentence: branch.kept.every(Boolean) ? "extra_none" : "extra" }),
  of_word: ({ number, record, values }) => {
    const { best_token: best, tokens, matrix } = record.alignments[0];
    const named = { token: tokenName(tokens[best[number]]), entry: matrix[best[number]][number] };
    return { named, sentence: values.some(Boolean) ? "word" : "word_placeless" };
  },
  of_class: ({ record: { classes: { names } } }) => {
    const count = (name) => names.filter((other) => other === name).length;
    const most = [...new Set(names)].sort().reduce((best, name) => (count(name) > count(best) ? name : best));
    return { named: { class: most, patches: count(most) } };
  },
  of_effects: ({ measured: { region } }) => ({ named: { region: region ? ` ${regionSentence(region)}` : "" } }),
  of_decision: ({ name, measured }) => {
    if (!measured) return { named: {}, sentence: `${name}_none` };
    const { count, rank, rank_before: before, similarity, dropped, added } = measured;
    const greedy = count > 1 ? say("sentence.greedy") : "";
    return { named: { count, rank, before, similarity, greedy, dropped: sum(dropped), added: sum(added) } };
  },
};

function tokenName(label) {
  const [name, number = ""] = label.split(" ");
  return tells(`token.${name}`) ? say(`token.${name}`, { number }) : label;
}

function regionSentence({ count, name, named, cost }) {
  const costs = say(cost >= 0 ? "region.cost" : "region.gain", { amount: rounded(Math.abs(cost), 4) });
  return say(named ? "region.named" : "region.placed", { count, name: phrase(name), cost: costs });
}

// What a layer shows, in words, with the place where most of it lies.
function described(record, layer, shown) {
  const { row, name } = layer;
  if (row.scale === "none") return say(`alternative.${name}`);
  const amounts = amountsOf(row, shown);
  const title = row.brief ? say(row.brief, { kept: sum(amounts), total: amounts.length }) : titled(shown);
  if (!amounts.some(Boolean) || (row.brief && amounts.every(Boolean))) return title;
  const place = whereabouts(amounts, record.grid);
  return say(place === null ? "alternative.even" : `alternative.${LIES[row.scale]}`, { said: title, place: phrase(place) });
}

function amountsOf(row, { flat, range: [low] }) {
  const [values] = flat;
  if (isMask(row)) return Array.from(values, (value) => (row.marked.includes(value) ? 1 : 0));
  if (row.scale === "diverging") return values.map((value) => Math.max(value, 0));
  const sums = new Float32Array(flat[0].length);
  for (const values of flat) values.forEach((value, patch) => { sums[patch] += value; });
  return sums.map((value) => value - low);
}

function titled({ title, sentence }) {
  const text = `${sentence[0].toLowerCase()}${sentence.slice(1).replace(/[.。]+$/, "")}`;
  return say("alternative.values", { title, sentence: text });
}

// The template of a patch's line: its fate, its score and rank, and the parts of the score.
function branchLine(branch, isAlone) {
  const part = template("patch.part");
  const named = (name) => part.replaceAll("{name}", name).replaceAll("{value", `{${name}`);
  const parts = listed(Object.keys(branch.parts).map(named), "clause");
  return template(isAlone ? "patch.branch" : "patch.of_branch")
    .replaceAll("{branch}", capitalized(phrase(branch.name)))
    .replaceAll("{total}", String(branch.kept.length))
    .replaceAll("{parts}", parts);
}

// The token that a word met best.
export function wordLine(record, number) {
  const { best_token: best, word_maps: maps, words, cosines, tokens } = record.alignments[0];
  const token = best[number];
  const key = maps[number].some(Boolean) ? "word.met" : "word.placeless";
  return say(key, { word: words[number], cosine: cosines[token][number], token: tokenLabel(tokens[token]) });
}

// What the score used of a word and where the word by itself fits best, where these are not the same place; else null.
function apartLine(record, number) {
  const { word_maps: maps, patch_cosines: cosines, words } = record.alignments[0];
  const [used, fits] = [maps[number], cosines[number]];
  const [[row, column], [otherRow, otherColumn]] = [used, fits].map((values) => cellOf(firstHighest(values), record.grid[1]));
  if (!used.some(Boolean) || Math.max(Math.abs(row - otherRow), Math.abs(column - otherColumn)) <= 1) return null;
  const places = { row: row + 1, column: column + 1, other_row: otherRow + 1, other_column: otherColumn + 1 };
  return say("word.apart", { word: words[number], cosine: Math.max(...fits), ...places });
}

// Each term's title: with its caption's name where two captions have terms.
export function termTitles(record) {
  const isBoth = record.alignments.length > 1;
  return Object.fromEntries(Object.keys(record.terms).map((name) => {
    const [caption, ...rest] = name.split(" ");
    const title = say(`term.${rest.join(" ")}`);
    return [name, isBoth ? say("term.of_caption", { caption: phrase(caption), term: title }) : title];
  }));
}

// The values of a layer by its row's source: a sum for the scale "fates", else of its only path; null for the photo.
export function sourceOf(record, layer, { source, first, scale }) {
  const terms = Object.entries(source).map(([path, times]) => {
    const values = resolve(record, path, layer.branch);
    return [layer.number === null ? values : values[layer.number - first], times];
  });
  if (!terms.length) return null;
  if (scale !== "fates") return terms[0][0];
  return record.branches[0].kept.map((_, patch) => sum(terms.map(([values, times]) => times * (values?.[patch] ?? 0))));
}

// The value at a path in the record, see demo/record/layers/layer_table.py; undefined where the record lacks it.
function resolve(record, path, branch) {
  const { branches, alignments: [alignment], classes, measures } = record;
  const [sparse, dense] = branches;
  const [root, ...steps] = path.split(".");
  const roots = { branch: branches.find(({ name }) => name === branch), sparse, dense, alignment, classes, measures };
  return steps.reduce((value, step) => value?.[step], roots[root]);
}

// {name: "token", number: 7, branch: "dense"} to "token:7:dense".
export function layerText({ name, number, branch }) {
  return [name, ...(number === null ? [] : [number]), ...(branch === "sparse" ? [] : [branch])].join(":");
}
