// Sentences on a manual decision compared with the model's, and on the game, as demo/record/counterfactual.py; and of
// the mask for another caption, as demo/record/packing.py. A decision is {record, rank, total}.

import { say, tokenLabel } from "../base/words.js";
import { wordLine } from "./sentences.js";

const EVEN = 5e-5; // of S(I, T)
const keptOf = ({ record }) => record.branches[0].kept;
/** @type {(mask: ArrayLike<number>, holds?: (bit: number, patch: number) => any) => number} */
const count = (mask, holds = Boolean) => Array.from(mask).filter((bit, patch) => holds(bit, patch)).length;
export const change = (now, model) => now.record.similarity - model.record.similarity;

export function decisionSentence(now, model) {
  const [kept, before] = [keptOf(now), keptOf(model)];
  const numbers = { kept: count(kept), patches: kept.length, similarity: now.record.similarity };
  const dropped = count(before, (bit, patch) => bit && !kept[patch]);
  const added = count(kept, (bit, patch) => bit && !before[patch]);
  if (!now.total) return say("whatif.alone", { change: change(now, model), ...numbers, dropped, added });
  if (!dropped && !added) return say("whatif.own", { rank: model.rank, of: model.total, ...numbers });
  const key = now.rank === model.rank ? "whatif.rank_same" : "whatif.rank";
  const rank = say(key, { rank: now.rank, before: model.rank, of: now.total });
  return say("whatif.now", { change: change(now, model), rank, ...numbers, dropped, added });
}

// The values next to a record's numbers while a decision is forced.
export function decisionWords(now, model) {
  const { terms } = model.record;
  const changed = (value) => say("whatif.change", { change: value });
  return {
    says: decisionSentence(now, model),
    similarity: changed(change(now, model)),
    terms: Object.fromEntries(Object.entries(now.record.terms).map(([name, value]) => [name, changed(value - terms[name])])),
    words: now.record.alignments[0].words.map((_, word) => changedWord(now.record, model.record, word)),
  };
}

function changedWord(record, model, word) {
  const [{ cosines, best_token: best }, before] = [record.alignments[0], model.alignments[0]];
  const token = before.best_token[word];
  const difference = Math.fround(cosines[best[word]][word] - before.cosines[token][word]);
  return say("whatif.word", { line: wordLine(record, word), change: difference, token: tokenLabel(before.tokens[token]) });
}

// The sentences under the game's picture; `hand` is null if nothing is painted.
export function gameWords(budget, hand, model) {
  let says = say("game.ask", { budget });
  if (hand) {
    const ahead = change(hand, model);
    const key = Math.abs(ahead) < EVEN ? "game.even" : ahead > 0 ? "game.ahead" : "game.behind";
    says = say(key, { amount: Math.abs(ahead), overlap: overlapOf(keptOf(hand), keptOf(model)) });
  }
  return { rows: [gameRow("game.hand", hand, budget), gameRow("game.model", model, budget)], says };
}

function gameRow(key, decided, budget) {
  if (!decided) return [say(key), say("game.placed", { count: 0, budget }), "-", "-"];
  const { record: { similarity }, rank, total } = decided;
  return [
    say(key), say("game.placed", { count: count(keptOf(decided)), budget }), say("game.similarity", { similarity }),
    say("game.rank", { rank, of: total }),
  ];
}

// Of the patches that either of two masks keeps, the fraction that both do.
export function overlapOf(mask, other) {
  const union = count(mask, (bit, patch) => bit || other[patch]);
  return union ? count(mask, (bit, patch) => bit && other[patch]) / union : 1;
}

export function sharedSentence(masks) {
  const common = count(masks[0], (_, patch) => masks.every((mask) => mask[patch]));
  const kept = count(masks[0], (_, patch) => masks.some((mask) => mask[patch]));
  const numbers = { count: masks.length, common, kept, share: (100 * common) / Math.max(kept, 1) };
  if (masks.length === 2) return say("shared.two", numbers);
  const pairs = masks.flatMap((mask, at) => masks.slice(at + 1).map((other) => 100 * overlapOf(mask, other)));
  return say("shared.more", { ...numbers, least: Math.min(...pairs), most: Math.max(...pairs) });
}

// The overlap of two masks, the other being a caption's.
export function otherSentence(mask, other, caption) {
  return say("shared.other", { caption, sentence: sharedSentence([mask, other]) });
}
