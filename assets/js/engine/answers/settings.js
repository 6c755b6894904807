// The settings of the lesson, as demo/record/settings.py has them. facts: lesson.json of demo/static/lesson.py.

import { say } from "../../base/words.js";

const LIMITS = { keep_ratio: [0.05, 1], aggr_ratio: [0.05, 1], beta: [0, 0.5], top_k: [1, 10], temperature: [0.1, 5], seed: [0, 2 ** 31 - 1] };
const CHOICES = { decision: ["top-k", "gumbel"], variant: ["paper", "released"] };
const WHOLE = ["top_k", "seed"];
const NAMES = ["keep_ratio", "aggr_ratio", "beta", "top_k", "decision", "temperature", "seed", "dense", "variant"];

// Settings without effect under the other settings, or without a dense caption, each with the reason.
export function idleOf(knobs, { idle }, hasDense) {
  const reasons = idle.filter(({ by, choice }) => knobs[by] === choice).map(({ knob, why }) => [knob, why]);
  return { ...Object.fromEntries(reasons), ...(hasDense ? {} : { dense: say("setting.dense_none") }) };
}

export function changesOf(knobs, others, facts, hasDense) {
  const still = idleOf(knobs, facts, hasDense);
  return NAMES.filter((name) => knobs[name] !== others[name] && !(name in still));
}

// The settings that stand where the model was not trained; a dense caption never does, see demo/record/settings.py.
export function untrainedOf(knobs, facts) {
  return changesOf(knobs, facts.trained, facts, true).filter((name) =>
    name !== "seed" && name !== "dense" && (name !== "decision" || knobs.decision === "gumbel"));
}

// Settings that the model allows; throws where they are none.
export function checkedKnobs(knobs, { fixed, usual, trained, limits, patches }) {
  for (const [name, [low, high]] of Object.entries(LIMITS)) {
    const value = knobs[name];
    if (!Number.isFinite(value) || (WHOLE.includes(name) && !Number.isInteger(value))) {
      throw new Error(say("static.no_number", { name, value }));
    }
    if (value < low || value > high) throw new Error(say("static.outside", { name, value, low, high }));
  }
  for (const [name, [choice, other]] of Object.entries(CHOICES)) {
    if (![choice, other].includes(knobs[name])) throw new Error(say("static.no_choice", { name, value: knobs[name], choice, other }));
  }
  const merged = (ratio) => Math.trunc(patches * ratio * trained.keep_ratio);
  if (merged(knobs.aggr_ratio) !== merged(trained.aggr_ratio)) throw new Error(fixed.aggr_ratio);
  if (fixed.variant && knobs.variant !== usual.variant) throw new Error(fixed.variant);
  const [low, high] = limits.top_k;
  if (knobs.top_k > high) throw new Error(say("static.outside", { name: "top_k", value: knobs.top_k, low, high }));
  return knobs;
}
