// The lesson without a server, as demo/views/lesson/walk.py: a pass with the given settings, and one with the usual ones.

import { decode } from "../../record/record.js";
import { say } from "../../base/words.js";
import { fromHighest, mapped } from "../../base/arrays.js";
import { maskOf } from "./pairs.js";
import { changesOf, idleOf, untrainedOf } from "./settings.js";
import { stepsOf } from "./steps.js";
import { madeTrial, trialValue } from "./trial.js";

const AT_ONCE = 40; // captions per request to the worker, which can answer other requests in between

// begin(facts, state) returns {value, counted, whole}; state: {index, caption, dense, knobs, step, mask}. `value` lacks the
// slow parts: counted() adds the patch with the largest effect, whole(isAsked) also the caption's rank and the captions'
// part of the score; whole returns null if isAsked() becomes false meanwhile.
export function makeWalk(engine, pairs) {
  const remembered = { key: "", scores: null }; // scores of the last image and pool, with the usual settings

  async function begin(facts, state) {
    const { index, caption, dense, knobs, mask } = state;
    const lesson = await engine.lesson(facts.model);
    const pass = passOf(facts, lesson, state);
    const isDrawn = knobs.decision === "gumbel";
    const before = await pairs.explained(facts, index, caption, null, "", dense);
    const packed = await pass.explain();
    const record = pass.isChanged ? decode(packed) : before.record;
    const usual = await pairs.scores(facts, caption, dense);
    const labels = dense ? (await pairs.read(facts, dense, true)).labels : null;
    const scores = isDrawn ? null : await pass.scores();
    const decision = await pass.decision();
    const total = facts.items.length;
    const rank = scores && placeOf(scores, index);
    const decided = { record, rank: rank ?? 0, total: isDrawn ? 0 : total };
    const shown = { facts, lesson, state, pass, before, packed, record, labels, decided, decision, usual: placeOf(usual, index) };
    shown.attempt = async (kept) => {
      if (kept.every((bit, patch) => bit === record.branches[0].kept[patch])) return decided;
      const other = decode(await pass.explain(kept));
      if (isDrawn) return { record: other, rank: 0, total: 0 };
      const ahead = Array.from(scores).filter((score, at) => at !== index && score > other.similarity).length;
      return { record: other, rank: ahead + 1, total };
    };
    return {
      value: await valueOf(shown, null, null),
      counted: async () => {
        shown.effects = mask ? null : await pass.tuned("effects", facts.name, index, caption, pass.dense);
        return valueOf(shown, shown.effects, null);
      },
      whole: async (isAsked) => {
        const captions = await captionsOf(shown, isAsked);
        return isAsked() ? valueOf(shown, shown.effects, captions) : null;
      },
    };
  }

  // One pass, which uses the plain graphs if no setting differs; `dense` is "" if the settings exclude it.
  function passOf(facts, lesson, { index, caption, dense: text, knobs }) {
    const isChanged = changesOf(knobs, lesson.usual, lesson, Boolean(text)).length > 0;
    const dense = knobs.dense ? text : "";
    const tuned = (method, ...values) => tunedBy(facts, lesson, isChanged ? knobs : lesson.usual, method, values);
    const decision = (mask = null) => tuned("explain", facts.name, index, caption, dense, mask);
    const plain = { explain: async (mask = null) => (await pairs.explained(facts, index, caption, mask, "", dense)).packed,
      scores: () => pairs.scores(facts, caption, dense) };
    const changed = { explain: async (mask = null) => (await decision(mask)).record,
      scores: () => tuned("rank", facts.name, caption, dense) };
    return { isChanged, dense, tuned, decision, ...(isChanged ? changed : plain) };
  }

  const tunedBy = ({ model }, { trained_k: trained }, knobs, method, values) =>
    engine.ask("tuned", { model, method, knobs, trained, values });

  // The caption's rank for the image among the captions of a pool (and itself), in both passes and without dense captions;
  // and the captions' part of the score's variance. Null without captions.
  async function captionsOf({ facts, lesson, state: { index, caption, knobs }, pass, record }, isAsked) {
    const pool = await openPool(facts, isAsked);
    if (!pool?.captions.length) return null;
    const { name, captions } = pool;
    const at = captions.indexOf(caption);
    const place = async (scores, explain) => {
      if (at >= 0) return placeOf(scores, at);
      const { similarity } = await explain();
      return 1 + scores.filter((score) => score >= Math.fround(similarity)).length;
    };
    const scored = async (tuned) => {
      const scores = [];
      while (scores.length < captions.length && isAsked()) {
        scores.push(...await tuned("captions", facts.name, index, name, scores.length, scores.length + AT_ONCE));
      }
      return scores;
    };
    const usual = (method, ...values) => tunedBy(facts, lesson, lesson.usual, method, values);
    const key = [facts.name, index, name].join("\n");
    if (remembered.key !== key) {
      const scores = await scored(usual);
      if (!isAsked()) return null;
      Object.assign(remembered, { key, scores });
    }
    const isDrawn = knobs.decision === "gumbel";
    const scores = !pass.isChanged || isDrawn ? remembered.scores : await scored(pass.tuned);
    if (!isAsked()) return null;
    const fraction = await pass.tuned("spread", facts.name, index, name, pass.dense);
    const before = async () => (await pairs.explained(facts, index, caption)).record;
    const now = async () => (pass.dense ? (await pass.tuned("explain", facts.name, index, caption, "", null)).record : record);
    const placeBefore = await place(remembered.scores, before);
    const placeNow = isDrawn ? null : pass.isChanged ? await place(scores, now) : placeBefore;
    return {
      rank: { before: placeBefore, now: placeNow, total: captions.length + (at < 0 ? 1 : 0), gallery: name },
      spread: fraction === null ? null : { fraction, captions: captions.length },
    };
  }

  // Read the captions to compare: those of the image's gallery, or, if it has none, of the model's first gallery.
  async function openPool(facts, isAsked) {
    const { model, items, name } = facts.items.some((item) => item.captions.length) ? facts : await engine.open(engine.firstOf(facts.model));
    const captions = items.flatMap((item) => item.captions);
    let number = 0;
    while (number < captions.length) {
      number = await engine.ask("pool", { model, name, captions, most: AT_ONCE });
      if (!isAsked()) return null;
      if (number < captions.length) engine.tell(say("static.reading_captions", { number, count: captions.length }));
    }
    engine.tell("");
    return { name, captions };
  }

  return { begin };
}

async function valueOf(shown, effects, captions) {
  const { facts, lesson, state: { index, caption, dense, knobs, step, mask }, pass, before, packed, record, labels, decided, decision } = shown;
  const isDrawn = knobs.decision === "gumbel";
  const rank = isDrawn ? null : decided.rank;
  const total = facts.items.length;
  const hand = maskOf({ mask }, record.branches[0].kept.length);
  const trial = await madeTrial(decided, hand, shown.attempt, effects);
  const length = record.alignments[0].words.length;
  const denseLength = labels && labels.length;
  const steps = stepsOf({ record, knobs, facts: lesson, denseLength, rank, total, spread: captions?.spread ?? null, trial });
  Object.assign(steps[3], { keep_probability: decision.probability }, isDrawn ? { decision_gradient: decision.gradient } : {});
  const note = isDrawn ? say("rank.drawn") : "";
  const { trained, limits, channels, idle } = lesson;
  return {
    photo: facts.items[index].photo, model: facts.model, caption, dense_caption: dense || null,
    step, steps, knobs, trained, limits, channels, idle, untrained: untrainedOf(knobs, lesson),
    fixed: { ...idleOf(knobs, lesson, Boolean(dense)), ...lesson.fixed },
    record: packed,
    before: pass.isChanged ? before.packed : null,
    rank: { before: shown.usual, now: rank, total, gallery: facts.name, note },
    caption_rank: captions && { ...captions.rank, note: note || (dense ? say("rank.alone") : "") },
    moved: movedBetween(before.record, record),
    dense_words: labels,
    lengths: { sparse: length, dense: denseLength, denser: labels && denseLength / length },
    by_hand: mask,
    whatif: trialValue(trial),
  };
}

const placeOf = (scores, index) => fromHighest(scores).indexOf(index) + 1;

// The differences between two passes, see `moved_between` in demo/views/lesson/walk.py.
function movedBetween(before, now) {
  const [then, kept] = [before, now].map(({ branches: [branch] }) => branch.kept);
  const patches = (was, is) => kept.flatMap((bit, patch) => (then[patch] === was && bit === is ? [patch] : []));
  return {
    kept: { both: patches(1, 1).length, gained: patches(0, 1), lost: patches(1, 0) },
    terms: mapped({ ...now.terms, ...before.terms }, (_, name) => [before.terms[name] ?? null, now.terms[name] ?? null]),
    score: [before.similarity, now.similarity],
  };
}
