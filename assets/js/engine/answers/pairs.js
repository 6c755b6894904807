// Cached records of an image and a caption, and the value that the viewer draws.

import { say } from "../../base/words.js";
import { decisionWords, gameWords, otherSentence } from "../../record/decision.js";
import { decode } from "../../record/record.js";
import { cellOf, fromHighest, sum } from "../../base/arrays.js";
import { once } from "../../base/once.js";
import { isMaskText, maskText, readMask } from "../../viewer/masks.js";
import { patchesOf, sceneValue, objectsName, phrasesOf } from "./scene.js";
import { whereabouts } from "../../record/whereabouts.js";

const REMEMBERED = 64; // answers in the cache
const OTHERS = 5; // maximum number of other phrases offered for an image
const BUDGET = 20; // patches in the game by default
const MEASURED = ["effect", "blanked"];
const NOTED = 14; // patches between two progress messages
const STRONG = 0.5; // least effect of a patch in the strongest region, as a fraction of the highest effect

// ask(method, values, progress) calls the worker; tell(line) shows progress, as in models.js.
export function makePairs(ask, tell) {
  const remembered = new Map();

  // Return the cached answer, or compute and cache it.
  function remember(method, values, work) {
    const answer = once(remembered, JSON.stringify([method, values]), work);
    if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value);
    return answer;
  }

  const asked = (method, values) => remember(method, values, () => ask(method, values));
  const place = ({ model, name }, index, caption, dense = "") => ({ model, gallery: name, index, caption, dense });

  const read = ({ model }, caption, isDense = false) => asked("read", { model, caption, isDense });
  const scores = ({ model, name }, caption, dense = "") => asked("rank", { model, gallery: name, caption, dense });

  // Explain a pair: {packed, record}, optionally with a forced mask, a measure and a dense caption.
  async function explained(facts, index, caption, mask = null, measure = "", dense = "") {
    const pair = place(facts, index, caption, dense);
    const packed = await asked("explain", { ...pair, mask });
    if (!measure) return remember("decoded", { ...pair, mask }, async () => bothOf(packed));
    return remember(measure, { ...pair, mask }, async () => {
      const name = say(`name.${measure}`);
      const count = packed.branches[0].kept.length;
      const progress = (number) => number % NOTED || tell(say("static.measuring", { name, number, count }));
      const effects = await ask("effects", { ...pair, name: measure, mask }, progress);
      tell("");
      const region = measure === "effect" ? await regionOf(facts, pair, bothOf(packed).record, effects) : null;
      return bothOf({ ...packed, measures: { [measure]: { ...effects, region } } });
    });
  }

  async function regionOf(facts, pair, record, effects) {
    const { index, caption } = pair;
    const scene = facts.items[index].scene && { facts: facts.items[index].scene, nouns: facts.nouns };
    const { patches, name, named } = describedRegion(record, effects.values.values, caption, scene);
    const kept = record.branches[0].kept.map((bit, patch) => (bit && !patches[patch] ? 1 : 0));
    if (!patches.some(Boolean) || !kept.some(Boolean)) return null;
    const without = await ask("explain", { ...pair, mask: kept });
    return { count: sum(patches), name, named, cost: record.similarity - without.similarity };
  }

  // The pair with a forced mask, or with the model's own decision: {record, rank, total}.
  async function decided(facts, { index, caption, dense }, mask = null) {
    const all = await scores(facts, caption, dense);
    const { record } = await explained(facts, index, caption, mask, "", dense);
    if (!mask) return { record, rank: fromHighest(all).indexOf(index) + 1, total: all.length };
    const before = all.filter((score, other) => other !== index && score > record.similarity).length;
    return { record, rank: before + 1, total: all.length };
  }

  async function whatIf(facts, state, own) {
    const { index, budget } = state;
    const { kept } = own.record.branches[0];
    const { scene } = facts.items[index];
    const mask = maskOf(state, kept.length);
    const objects = (scene?.objects ?? []).flatMap(({ name, lines }, number) =>
      lines.length ? [[name, maskText(patchesOf(scene, [number], kept.length))]] : []);
    const same = mask?.every((bit, patch) => bit === kept[patch]);
    const model = mask || budget ? await decided(facts, state) : null;
    const now = !mask ? null : same ? model : await decided(facts, state, mask);
    let game = null;
    if (budget) {
      const chosen = own.record.branches[0].rank.map((rank) => (rank < budget ? 1 : 0));
      const isOwn = chosen.every((bit, patch) => bit === kept[patch]);
      const best = isOwn ? model : await decided(facts, state, chosen);
      game = { ...gameWords(budget, now, best), mask: maskText(best.record.branches[0].kept) };
    }
    return { own: maskText(kept), objects, budget: Math.min(BUDGET, kept.length), now: now && decisionWords(now, model), game };
  }

  // Masks of other phrases of the image; none with a dense caption.
  async function others(facts, { index, caption, dense }, own) {
    if (dense) return [];
    const phrases = facts.items[index].phrases.filter((text) => text !== caption).slice(0, OTHERS);
    const masks = await Promise.all(phrases.map(async (phrase) =>
      (await asked("explain", { ...place(facts, index, phrase), mask: null })).branches[0].kept));
    return phrases.map((caption, at) =>
      ({ caption, mask: maskText(masks[at]), says: otherSentence(own.record.branches[0].kept, masks[at], caption) }));
  }

  // The viewer's value, as demo/views/viewer.py. state: {index, caption, dense, layer, mask, budget}.
  async function viewerValue(facts, state) {
    const { index, caption, dense, layer, mask, budget } = state;
    const own = await explained(facts, index, caption, null, "", dense);
    const count = facts.manifest.grid[0] * facts.manifest.grid[1];
    const { record, packed } = await explained(facts, index, caption, maskOf(state, count), measureOf(layer), dense);
    const { scene, photo } = facts.items[index];
    const { places } = scene ? await read(facts, caption) : {};
    return {
      photo, model: facts.model, caption, dense_caption: dense || null, mask, budget,
      similarity: record.similarity, record: packed,
      scene: scene ? sceneValue(record, scene, facts.nouns, caption, places) : null,
      whatif: await whatIf(facts, state, own),
      others: await others(facts, state, own),
    };
  }

  // The numbers of a decision by hand for a file, see `decision_numbers` in demo/record/counterfactual.py.
  async function decisionNumbers(facts, state, mask) {
    const [model, now] = [await decided(facts, state), await decided(facts, state, mask)];
    const { similarity, terms, branches: [{ kept }] } = model.record;
    return { rank: now.rank, total: now.total, model: { kept, similarity, terms, rank: model.rank } };
  }

  const forget = (gallery) => {
    for (const key of remembered.keys()) if (key.includes(`"gallery":${JSON.stringify(gallery)}`)) remembered.delete(key);
  };
  return { read, scores, explained, viewerValue, decisionNumbers, forget };
}

export function measureOf(layer) {
  const [name] = layer.split(":");
  return MEASURED.includes(name) ? name : "";
}

const bothOf = (packed) => ({ packed, record: decode(packed) });

// Parse a state's mask; null for the model's own decision. Throws if the text is not a mask.
export function maskOf({ mask }, count) {
  if (mask && !isMaskText(mask, count)) throw new Error(say("static.no_mask", { count }));
  return mask ? readMask(mask, count) : null;
}

// The region to remove, as in demo/service/measuring/effects.py: {patches, name, named}. effects: one per
// patch; scene: {facts, nouns}, null for a photograph.
function describedRegion(record, effects, caption, scene) {
  const [{ kept }] = record.branches;
  for (const { objects } of scene ? phrasesOf(scene.facts, scene.nouns, caption) : []) {
    const patches = patchesOf(scene.facts, objects, kept.length).map((inside, patch) => (inside && kept[patch] ? 1 : 0));
    if (patches.some(Boolean)) return { patches, name: objectsName(scene.facts, objects), named: true };
  }
  const patches = strongest(kept, effects, record.grid);
  return { patches, name: whereabouts(patches, record.grid) ?? "", named: false };
}

// The connected kept patches around the one with the highest effect, each with at least half of that effect.
function strongest(kept, effects, [rows, columns]) {
  const amounts = Array.from(effects, (effect, patch) => (kept[patch] ? effect : 0));
  const most = Math.max(...amounts);
  const region = amounts.map(() => 0);
  if (most <= 0) return region;
  const waiting = [amounts.indexOf(most)];
  while (waiting.length) {
    const patch = waiting.pop();
    if (region[patch] || amounts[patch] < STRONG * most) continue;
    region[patch] = 1;
    const [row, column] = cellOf(patch, columns);
    if (row > 0) waiting.push(patch - columns);
    if (row < rows - 1) waiting.push(patch + columns);
    if (column > 0) waiting.push(patch - 1);
    if (column < columns - 1) waiting.push(patch + 1);
  }
  return region;
}
