// Reads a packed explanation record: its arrays, its layers, its sentences. Nothing of the model is computed here.

import { cellOf, firstHighest, mapped } from "../base/arrays.js";
import { floats, rounded } from "../base/numbers.js";
import { fill, layers, listed, say, tokenLabel } from "../base/words.js";
import { recordWords, layerText, sourceOf } from "./sentences.js";

export { layerText };

const MATCHED = 3; // words that are named with a patch's class

// The packed record with every array unpacked, under the same names, and its sentences under `says`.
export function decode(packed) {
  const record = { measures: {}, ...unpacked(packed) };
  for (const branch of record.branches) branch.aggregation_weights ??= [];
  return { ...record, says: recordWords(record) };
}

function unpacked(value) {
  if (Array.isArray(value)) return value.map(unpacked);
  if (!value || typeof value !== "object") return value;
  return value.shape ? floats(value) : mapped(value, unpacked);
}

export const rowOf = ({ name, number, branch }) => layers.find((row) =>
  row.name === name && Boolean(row.number) === (number !== null) && row.branches.includes(branch));

export const layerNames = (holds) => [...new Set(layers.filter(holds).map(({ name }) => name))];

// Whether a layer is the photo only, shows decisions instead of values, is of one word, exists per word and without one.
export const isPhoto = (layer) => rowOf(layer).scale === "none";
export const isMask = (layer) => ["mask", "fates"].includes(rowOf(layer).scale);
export const isOfWord = (layer) => rowOf(layer).number === "word";
export function isByWord({ name }) {
  const rows = layers.filter((row) => row.name === name);
  return rows.some(({ number }) => number === "word") && rows.some(({ number }) => !number);
}

// "token:7:dense" to {name: "token", number: 7, branch: "dense"}; `layerText` is the way back.
export function parseLayer(text) {
  const [name, ...rest] = text.split(":");
  const number = /^\d+$/.test(rest[0] ?? "") ? Number(rest.shift()) : null;
  return { name, number, branch: rest[0] ?? "sparse" };
}

export const branchOf = (record, layer) => record.branches.find((branch) => branch.name === layer.branch);
export const hasLayer = (record, layer) => layerText(layer) in record.says.layers;

// What a layer shows: {label, range, values, centred}. values: one a patch; an array of them, one a token, for "tokens";
// null for the photo; for masks the fates. centred: whether zero is in the middle of the scale.
export function layerValues(record, layer) {
  const { label, range, diverging: centred = false } = record.says.layers[layerText(layer)];
  return { label, range, centred, values: sourceOf(record, layer, rowOf(layer)) };
}

// For each patch of a mask 3 if it is kept, 0 if dropped; 1 and 2 for other fates.
export function fates(record, layer) {
  const { values } = layerValues(record, layer);
  return rowOf(layer).scale === "fates" ? values : values.map((kept) => (kept ? 3 : 0));
}

// What the picture of a layer (text form) shows, and how many patches a branch kept, in words.
export const describe = (record, text) => record.says.layers[text].says;
export const keptCount = (record, branch = record.branches[0]) => record.says.kept[branch.name];

// What is said of one patch, a line each: the token that gives it most weight, then each branch.
export function patchLines(record, patch) {
  const { token_weights, tokens, words, best_word, cosines } = record.alignments[0];
  const token = firstHighest(token_weights.map((row) => row[patch]));
  const word = best_word[token];
  const met = { token: tokenLabel(tokens[token]), word: words[word], cosine: cosines[token][word] };
  const first = fill(record.says.patch, { ...placeOf(record, patch), ...met });
  const branches = record.branches.map((branch, index) => {
    const parts = mapped(branch.parts, (values) => values[patch]);
    const fate = record.says.fates[branch.kept[patch]];
    const values = { fate, score: branch.score[patch], rank: branch.rank[patch] + 1, ...parts };
    return fill(record.says.branches[index], values);
  });
  return [first, ...branches];
}

// What is said of one patch in a layer that was measured.
export function measuredLine(record, layer, patch) {
  const [{ kept }] = record.branches;
  const value = layerValues(record, layer).values[patch];
  const cost = say(value >= 0 ? "region.cost" : "region.gain", { amount: rounded(Math.abs(value), 4) });
  const place = say("patch.place", placeOf(record, patch));
  const fate = record.says.fates[kept[patch]];
  return say(`patch.${layer.name}_${kept[patch] ? "kept" : "dropped"}`, { place, cost, fate });
}

// Describe a patch in the layer of classes: its best class, and the words that match it more through class vectors.
export function classLine(record, patch) {
  const { classes: { names, probability, word_shares: shares }, alignments: [{ words, patch_cosines: cosines }] } = record;
  const matched = words.map((word, index) => ({ word, share: shares[index][patch], cosine: cosines[index][patch] }))
    .filter(({ word, share, cosine }) => !/^\[.+\]$/s.test(word) && cosine > 0 && share > cosine / 2)
    .sort((one, other) => other.share - one.share)
    .slice(0, MATCHED);
  const values = {
    place: say("patch.place", placeOf(record, patch)), class: names[patch], probability: probability[patch],
    words: listed(matched.map((values) => say("patch.class_word", values))),
  };
  return say(matched.length ? "patch.class_words" : "patch.class", values);
}

// The row and the column of a patch, from 1.
export function placeOf({ grid }, patch) {
  const [row, column] = cellOf(patch, grid[1]);
  return { row: row + 1, column: column + 1 };
}
