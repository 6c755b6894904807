// A packed explanation record read in the browser: its arrays, its layers, and what Python says of them.
// Every number comes from the record; nothing of the model is computed here.

import { floats } from "../base/bytes.js";
import { fixed } from "../base/numbers.js";
import { fill, say } from "../base/words.js";

// The packed record with every array unpacked, under the same names, and what is said of it under `says`.
export function decode(packed) {
  const branches = packed.branches.map((branch) => ({
    ...branch,
    score: floats(branch.score),
    parts: Object.fromEntries(Object.entries(branch.parts).map(([name, part]) => [name, floats(part)])),
    aggregation_weights: branch.aggregation_weights ? floats(branch.aggregation_weights) : [],
    extra_weights: floats(branch.extra_weights),
  }));
  const alignments = packed.alignments.map((alignment) => ({
    ...alignment,
    token_weights: floats(alignment.token_weights),
    cosines: floats(alignment.cosines),
    matrix: floats(alignment.matrix),
    word_maps: floats(alignment.word_maps),
    patch_cosines: floats(alignment.patch_cosines),
  }));
  const measures = Object.fromEntries(Object.entries(packed.measures ?? {}).map(([name, measured]) => {
    const { values, words } = measured ?? {};
    return [name, values ? { values: floats(values), words: floats(words) } : measured];
  }));
  return { ...packed, branches, alignments, measures, says: JSON.parse(packed.says) };
}

// Whether a layer shows decisions, and not values; whether it also comes for a word alone.
export function isMask({ name }) {
  return ["mask", "smallest_set", "smallest_change"].includes(name);
}

export function isByWord({ name }) {
  return ["effect", "blanked", "blurred"].includes(name);
}

// "token:7:dense" to {name: "token", number: 7, branch: "dense"}, and back.
export function parseLayer(text) {
  const [name, ...rest] = text.split(":");
  const number = /^\d+$/.test(rest[0] ?? "") ? Number(rest.shift()) : null;
  return { name, number, branch: rest[0] ?? "sparse" };
}

export function layerText({ name, number, branch }) {
  return [name, ...(number === null ? [] : [number]), ...(branch === "sparse" ? [] : [branch])].join(":");
}

export function branchOf(record, layer) {
  return record.branches.find((branch) => branch.name === layer.branch);
}

// Whether the record has this layer.
export function hasLayer(record, layer) {
  return layerText(layer) in record.says.layers;
}

// What a layer shows: {label, range, values, centred}. label: of the scale. range: its ends, [low, high]. values: one a
// patch; an array of them, one a token, for "tokens"; null for the photo; for masks the fates. centred: whether zero
// stands in the middle of the scale.
export function layerValues(record, layer) {
  const { label, range, diverging: centred = false } = record.says.layers[layerText(layer)];
  return { label, range, centred, values: valuesOf(record, layer, branchOf(record, layer)) };
}

function valuesOf(record, layer, branch) {
  const { name, number } = layer;
  if (name === "photo") return null;
  if (name === "mask") return layer.branch === "both" ? fates(record, layer) : branch.kept;
  if (isByWord(layer)) return number === null ? record.measures[name].values : record.measures[name].words[number];
  if (isMask(layer)) return fates(record, layer);
  if (name === "word") return record.alignments[0].word_maps[number];
  if (name === "fit") return record.alignments[0].patch_cosines[number];
  if (name === "tokens") return branch.aggregation_weights;
  if (name === "token") return branch.aggregation_weights[number - 1];
  if (name === "extra") return branch.extra_weights;
  return name === "score" ? branch.score : branch.parts[name];
}

// For each patch 3 where both branches keep it, 1 the sparse alone, 2 the dense alone, 0 none; a single branch
// gives 3 and 0. Of the smallest change 1 are patches to drop, 2 those to keep.
export function fates(record, layer) {
  const measure = record.measures[layer.name];
  if (layer.name === "smallest_set") return measure.kept.map((kept) => (kept ? 3 : 0));
  if (layer.name === "smallest_change" && measure) {
    return measure.kept.map((kept, patch) => (measure.dropped[patch] ? 1 : measure.added[patch] ? 2 : kept ? 3 : 0));
  }
  if (layer.branch !== "both") return branchOf(record, layer).kept.map((kept) => (kept ? 3 : 0));
  const [sparse, dense] = record.branches;
  return sparse.kept.map((kept, patch) => kept + 2 * dense.kept[patch]);
}

// A number of a scale, short.
export function number(value) {
  if (value === 0) return "0";
  return Math.abs(value) < 0.1 ? value.toPrecision(3) : fixed(value, 3);
}

// What the picture of a layer (text form) shows, in words.
export function describe(record, text) {
  return record.says.layers[text].says;
}

// How many patches a branch kept, in words.
export function keptCount(record, branch = record.branches[0]) {
  return record.says.kept[branch.name];
}

// What is said of one patch, a line each: the token that gives it most weight, then each branch.
export function patchLines(record, patch) {
  const { token_weights, tokens, words, best_word, cosines } = record.alignments[0];
  const weights = token_weights.map((row) => row[patch]);
  const token = weights.indexOf(Math.max(...weights));
  const word = best_word[token];
  const met = { token: tokens[token], word: words[word], cosine: cosines[token][word] };
  const first = fill(record.says.patch, { ...placeOf(record, patch), ...met });
  const branches = record.branches.map((branch, index) => {
    const parts = Object.fromEntries(Object.entries(branch.parts).map(([name, values]) => [name, values[patch]]));
    const fate = record.says.fates[branch.kept[patch]];
    const values = { fate, score: branch.score[patch], rank: branch.rank[patch] + 1, ...parts };
    return fill(record.says.branches[index], values);
  });
  return [first, ...branches];
}

// What is said of one patch in a layer that was measured.
export function measuredLine(record, layer, patch) {
  const { branches: [{ kept }] } = record;
  const value = valuesOf(record, layer, branchOf(record, layer))[patch];
  const cost = say(value >= 0 ? "region.cost" : "region.gain", { amount: Math.abs(value) });
  const place = say("patch.place", placeOf(record, patch));
  if (layer.name !== "effect") return say(`patch.${layer.name}`, { place, cost, fate: record.says.fates[kept[patch]] });
  return say(kept[patch] ? "patch.effect_kept" : "patch.effect_dropped", { place, cost });
}

// The row and the column of a patch, from 1.
export function placeOf(record, patch) {
  const columns = record.grid[1];
  return { row: Math.floor(patch / columns) + 1, column: (patch % columns) + 1 };
}
