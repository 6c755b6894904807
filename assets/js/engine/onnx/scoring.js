// Scores and decisions under settings of the lesson (demo/record/settings.py), in float64: seps/method/selection.py.

import { extremes, fromHighest, mapped, sum } from "../../base/arrays.js";

const EPS = 1e-8;
const LEAST = 1e-12; // a length that is divided by

// The unit mean of a caption's words (L, C), which its attention measures patches against.
export function directionOf({ data, dims: [length, channels] }) {
  const mean = new Float64Array(channels);
  for (let at = 0; at < data.length; at += 1) mean[at % channels] += data[at];
  for (let channel = 0; channel < channels; channel += 1) mean[channel] /= length;
  const norm = Math.max(Math.sqrt(sum(mean.map((value) => value * value))), LEAST);
  return mean.map((value) => value / norm);
}

// s_st: the cosine of each patch with a direction. values: of a picture, [CLS] among them where there is one.
export function textAttention(values, count, direction) {
  const channels = direction.length;
  const start = values.length - count * channels;
  return Float64Array.from({ length: count }, (_, patch) => {
    let [dot, square] = [0, 0];
    for (let at = start + patch * channels, channel = 0; channel < channels; channel += 1, at += 1) {
      dot += values[at] * direction[channel];
      square += values[at] * values[at];
    }
    return dot / Math.max(Math.sqrt(square), LEAST);
  });
}

function stretched(values) {
  const [low, high] = extremes(values);
  return values.map((value) => (value - low) / (high - low + EPS));
}

// Equation (3) for the given parts, s_p and cosines in the order of addition: {parts, coefficients, score}.
export function combined(given, { variant, beta }) {
  const isPaper = variant === "paper";
  const weights = isPaper ? { s_p: 1 - 2 * beta, s_st: beta, s_dt: beta, s_im: 2 * beta } : { s_st: 1, s_dt: 1, s_im: 1 };
  const coefficients = mapped(given, (_, name) => weights[name]);
  const parts = mapped(given, (values, name) => (isPaper && name !== "s_p" ? stretched(values) : values));
  const score = Float64Array.from(given.s_im, (_, patch) =>
    sum(Object.keys(given).map((name) => coefficients[name] * parts[name][patch])));
  return { parts, coefficients, score };
}

// The place of each score in the range that a score can have, in [0, 1]: how likely a draw keeps the patch.
export function keepProbability(score, { variant, beta }) {
  const [low, high] = variant === "paper" ? [0, 1 + 2 * beta] : [-2, 2];
  return score.map((value) => Math.min(Math.max((value - low) / (high - low), 0), 1));
}

// The decision on a picture: the highest scores, as many as the keep ratio asks for, or drawn from noise.
export function decided(score, knobs, noise) {
  if (knobs.decision === "gumbel") return drawn(score, knobs, noise).kept;
  return highest(score, Math.max(1, Math.ceil(score.length * knobs.keep_ratio)));
}

function highest(score, keep) {
  const kept = new Uint8Array(score.length);
  for (const patch of fromHighest(score).slice(0, keep)) kept[patch] = 1;
  return kept;
}

// Draw by Gumbel-Softmax from uniform noise, by default of the seed: the kept patches, and the gradients of their count.
export function drawn(score, knobs, next = uniform(knobs.seed)) {
  const given = keepProbability(score, knobs);
  const probability = given.map((value) => Math.min(Math.max(value, EPS), 1 - EPS));
  const noise = () => probability.map(() => -Math.log(-Math.log(Math.min(Math.max(next(), 1e-30), 1 - EPS))));
  const [keep, drop] = [noise(), noise()];
  const soft = probability.map((value, patch) =>
    1 / (1 + Math.exp(-(Math.log(value) + keep[patch] - Math.log(1 - value) - drop[patch]) / knobs.temperature)));
  const kept = Uint8Array.from(soft, (value) => (value > 0.5 ? 1 : 0));
  const gradient = soft.map((value, patch) => (given[patch] < EPS || given[patch] > 1 - EPS
    ? 0
    : ((value * (1 - value)) / knobs.temperature) * (1 / probability[patch] + 1 / (1 - probability[patch]))));
  return { kept: kept.some(Boolean) ? kept : highest(probability, 1), gradient };
}

// The captions' part of the scores' spread, as seps/explanation/spread.py; null if all are equal. scores: one array each.
export function captionFraction(scores) {
  const count = scores[0].length;
  const centred = scores.map((score) => {
    const mean = sum(score) / count;
    return score.map((value) => value - mean);
  });
  const means = centred[0].map((_, patch) => sum(centred.map((values) => values[patch])) / centred.length);
  let [own, whole] = [0, 0];
  for (const values of centred) {
    values.forEach((value, patch) => {
      own += (value - means[patch]) ** 2;
      whole += value ** 2;
    });
  }
  return whole > 0 ? own / whole : null;
}

// The noise of a drawn decision: uniform numbers as PyTorch draws them on a CPU (MT19937, 53 bits each).

const [SIZE, APART] = [624, 397];

// Numbers in [0, 1) of a seed, one with each call.
export function uniform(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let at = 1; at < SIZE; at += 1) {
    const before = state[at - 1] ^ (state[at - 1] >>> 30);
    state[at] = Math.imul(1812433253, before) + at;
  }
  let next = SIZE;

  function twist() {
    for (let at = 0; at < SIZE; at += 1) {
      const joint = (state[at] & 0x80000000) | (state[(at + 1) % SIZE] & 0x7fffffff);
      state[at] = state[(at + APART) % SIZE] ^ (joint >>> 1) ^ (joint & 1 ? 0x9908b0df : 0);
    }
    next = 0;
  }

  function bits() {
    if (next === SIZE) twist();
    let value = state[next];
    next += 1;
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  }

  return () => {
    const [high, low] = [bits() & 0x1fffff, bits()];
    return (high * 2 ** 32 + low) * 2 ** -53;
  };
}
