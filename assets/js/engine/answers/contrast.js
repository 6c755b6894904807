// Two explanations side by side, computed in this browser. As demo/views/why/values.py.

import { say } from "../../base/words.js";
import { attributionOf } from "../../record/attribution.js";
import { contrastOf, contrastValue } from "../../record/contrast.js";
import { overlapOf, sharedSentence } from "../../record/decision.js";
import { measureOf } from "./pairs.js";
import { objectsValue } from "./scene.js";

// The two photographs of a ranking: the best and the next, unless others are named; never one twice where there are two.
export function firstTwo(order, index = null, against = null) {
  const left = index ?? order[0];
  const next = order.find((other) => other !== left) ?? left;
  return [left, against === null || against === left ? next : against];
}

export async function contrastFor(pairs, facts, { index, against, caption, dense, other }, order) {
  const { language } = facts;
  async function sideOf(at, text, isRanked) {
    const { record } = await pairs.explained(facts, at, text, null, "", other ? "" : dense);
    const place = isRanked ? { rank: 1 + order.indexOf(at), total: order.length } : { rank: 0, total: 0 };
    const attribution = attributionOf(record, language.relevance);
    return { title: facts.items[at].photo.title, caption: text, record, attribution, ...place };
  }
  const right = await sideOf(other ? index : against, other || caption, !other);
  return contrastOf(await sideOf(index, caption, true), right, language.function_words);
}

export async function whyValue(pairs, facts, state, order) {
  const value = contrastValue(await contrastFor(pairs, facts, state, order));
  const { caption, other, index, against, layer } = state;
  const dense = other ? "" : state.dense;
  const scores = await pairs.scores(facts, caption, dense);
  const indices = [index, other ? index : against];
  return {
    ...value,
    sides: value.sides.map((side, place) => ({ ...side, photo: facts.items[indices[place]].photo, index: indices[place] })),
    model: facts.model,
    captions: Boolean(other),
    options: order.map((at, place) =>
      [at, say("why.option", { rank: place + 1, title: facts.items[at].photo.title, score: scores[at] })]),
    keys: Object.fromEntries(order.map((at) => [at, facts.items[at].key])),
    layer: value.rows.some(({ number }) => layer === `word:${number}`) ? layer : "mask",
  };
}

// What captions over one photograph are drawn from, `state` saying of which and how; as demo/views/compare.py.
export async function comparison(pairs, facts, state, captions) {
  const { index, layer } = state;
  const { photo, scene } = facts.items[index];
  const items = [];
  for (const caption of captions) {
    const { record, packed } = await pairs.explained(facts, index, caption, null, measureOf(layer));
    const objects = scene ? { objects: objectsValue(scene, facts.nouns, caption) } : {};
    items.push({ caption, similarity: record.similarity, record: packed, ...objects });
  }
  const masks = items.map(({ record }) => record.branches[0].kept);
  return {
    photo, model: facts.model, layer, items, unit: scene?.unit ?? null,
    overlap: masks.map((mask) => masks.map((other) => overlapOf(mask, other))),
    shared: sharedSentence(masks),
  };
}
