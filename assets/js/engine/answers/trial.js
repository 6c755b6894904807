// The lesson's last step: compares the model's decision with another one. As demo/views/lesson/walk.py.

import { firstHighest, sum } from "../../base/arrays.js";
import { say } from "../../base/words.js";
import { maskText } from "../../viewer/masks.js";
import { termTitles } from "../../record/sentences.js";

const keptOf = ({ record: { branches: [{ kept }] } }) => kept;

// {decided, now, isByHand, patch, isAsked}: both decisions, {record, rank, total}; the patch that is dropped if nobody
// chose; whether the result is not known yet. attempt(mask) evaluates a decision; effects: per patch, null if not known.
export async function madeTrial(decided, mask, attempt, effects) {
  const trial = { decided, now: null, isByHand: false, patch: null, isAsked: false };
  if (mask) return { ...trial, now: await attempt(mask), isByHand: true };
  const kept = keptOf(decided);
  if (sum(kept) < 2) return trial;
  if (!effects) return { ...trial, isAsked: true };
  const patch = firstHighest(kept.map((bit, at) => (bit ? effects[at] : -Infinity)));
  return { ...trial, patch, now: await attempt(kept.map((bit, at) => (at === patch ? 0 : bit))) };
}

// What the page draws a trial from, see `trial_value` in demo/views/lesson/walk.py.
export function trialValue(trial) {
  const { decided, now, isByHand, patch } = trial;
  const tried = isByHand ? say("trial.by_hand") : say("trial.without");
  return {
    own: maskText(keptOf(decided)), objects: [], budget: 0, now: null, game: null, patch,
    columns: [say("trial.model"), ...(now ? [tried, say("trial.change")] : [])],
    rows: rowsOf(trial),
  };
}

function rowsOf({ decided, now }) {
  const both = now ? [decided, now] : [decided];
  const row = (key, title, kind, read) => [key, title, written(kind, both.map(read))];
  return [
    row("kept", say("trial.kept"), "whole", (decision) => sum(keptOf(decision))),
    ...Object.entries(termTitles(decided.record)).map(([name, title]) => row(name, title, "term", ({ record }) => record.terms[name])),
    row("score", "S(I, T)", "score", ({ record }) => record.similarity),
    ...(decided.total ? [row("rank", say("trial.rank", { total: decided.total }), "whole", ({ rank }) => rank)] : []),
  ];
}

function written(kind, values) {
  const change = () => say(kind === "whole" ? "trial.whole_change" : "trial.term_change", { value: values[1] - values[0] });
  return [...values.map((value) => say(`trial.${kind}`, { value })), ...(values.length > 1 ? [change()] : [])];
}
