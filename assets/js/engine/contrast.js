// Two explanations side by side, computed in this browser. As demo/views/why/values.py.

import { say } from "../base/words.js";
import { attributionOf } from "../record/attribution.js";
import { contrastOf, contrastValue } from "../record/contrast.js";
import { unfound } from "../record/unfound.js";
import { linkTo } from "./pairs.js";

// The two photographs of a ranking: the best and the next, unless others are named; never one twice where there are two.
export function firstTwo(order, index = null, against = null) {
  const left = index ?? order[0];
  const next = order.find((other) => other !== left) ?? left;
  return [left, against === null || against === left ? next : against];
}

// The two that a state names, set side by side.
export async function contrastFor(pairs, facts, { index, against, caption, dense, other }, order) {
  const { language } = facts;
  async function sideOf(at, text, isRanked) {
    const { record } = await pairs.explained(facts, at, text, null, "", other ? "" : dense);
    const place = isRanked ? { rank: 1 + order.indexOf(at), total: order.length } : { rank: 0, total: 0 };
    const attribution = attributionOf(record, language.relevance);
    return { title: facts.items[at].photo.title, caption: text, record, attribution, unfound: unfound(record, language), ...place };
  }
  const right = await sideOf(other ? index : against, other || caption, !other);
  return contrastOf(await sideOf(index, caption, true), right, language.function_words);
}

// What the two are drawn from.
export async function whyValue(pairs, facts, state, order) {
  const value = contrastValue(await contrastFor(pairs, facts, state, order));
  const { caption, other, index, against, layer } = state;
  const dense = other ? "" : state.dense;
  const scores = await pairs.scores(facts, caption, dense);
  const indices = [index, other ? index : against];
  const beside = other ? { other } : { ...(dense ? { dense } : {}), against: facts.items[against].key };
  return {
    ...value,
    sides: value.sides.map((side, place) => ({ ...side, photo: facts.items[indices[place]].photo, index: indices[place] })),
    model: facts.model,
    captions: Boolean(other),
    options: order.map((at, place) =>
      [at, say("why.option", { rank: place + 1, title: facts.items[at].photo.title, score: scores[at] })]),
    keys: Object.fromEntries(order.map((at) => [at, facts.items[at].key])),
    layer: value.rows.some(({ number }) => layer === `word:${number}`) ? layer : "mask",
    link: linkTo("why", facts, { index, caption }, beside),
  };
}
