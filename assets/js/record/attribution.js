// S(I, T) split among words and tokens, as seps/explanation/attribution.py splits it.

import { fromHighest, sum } from "../base/arrays.js";

// Integrated gradients of the relevance network; relevance: {top_k, first: {weight, bias}, last: {weight, bias}, nodes,
// weights} (points of the way and their weights), null in the released variant.
function splitRelevance(relevance, best) {
  const parts = best.map(() => 0);
  if (!relevance) return { parts, leftOver: 0 };
  const { top_k: most, nodes, weights } = relevance;
  const order = fromHighest(best).slice(0, most);
  const inputs = Array.from({ length: most }, (_, place) => (place < order.length ? best[order[place]] : 0));
  const sums = inputs.map(() => 0);
  nodes.forEach((node, point) => {
    const { slopes } = network(relevance, inputs.map((value) => value * node));
    slopes.forEach((slope, place) => { sums[place] += weights[point] * slope; });
  });
  const terms = inputs.map((value, place) => value * sums[place]);
  order.forEach((at, place) => { parts[at] = terms[place]; });
  return { parts, leftOver: network(relevance, inputs).value - sum(terms) };
}

function network({ first, last }, inputs) {
  const hidden = first.weight.map((row, unit) => row.reduce((sum, weight, place) => sum + weight * inputs[place], first.bias[unit]));
  const bells = hidden.map((value) => (1 + erf(value / Math.SQRT2)) / 2);
  const rises = hidden.map((value, unit) => last.weight[unit] * (bells[unit] + (value * Math.exp((-value * value) / 2)) / Math.sqrt(2 * Math.PI)));
  return {
    value: hidden.reduce((sum, value, unit) => sum + last.weight[unit] * value * bells[unit], last.bias),
    slopes: inputs.map((_, place) => rises.reduce((sum, rise, unit) => sum + rise * first.weight[unit][place], 0)),
  };
}

// The error function, by the series with terms of one sign.
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

// What each word and each token has of a record's similarity: {ofWords, ofTokens, leftOver, similarity}.
export function attributionOf(record, relevance) {
  const { matrix } = record.alignments[0];
  const ofWord = matrix[0].length ? Array.from(matrix[0], (_, word) => Math.max(...matrix.map((row) => row[word]))) : [];
  const ofToken = matrix.map((row) => Math.max(...row));
  const [words, tokens] = [ofWord, ofToken].map((best) => splitRelevance(relevance, best));
  const ofWords = ofWord.map((value, word) => value / ofWord.length + words.parts[word]);
  const ofTokens = ofToken.map((value, token) => value / ofToken.length + tokens.parts[token]);
  const leftOver = words.leftOver + tokens.leftOver;
  const similarity = [...ofWords, ...ofTokens].reduce((sum, part) => sum + part, leftOver);
  return { ofWords, ofTokens, leftOver, similarity };
}
