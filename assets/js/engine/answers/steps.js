// The nine steps of the lesson in words, equations and tensors, as in demo/views/lesson/steps.py.

import { sum } from "../../base/arrays.js";
import { say, phrase } from "../../base/words.js";
import { change, decisionSentence } from "../../record/decision.js";
import { placeOf } from "../../record/record.js";

const STEPS = ["patches", "words", "scores", "decision", "aggregation", "tokens", "matrix", "similarity", "what_if"];
const MATHML = "http://www.w3.org/1998/Math/MathML";

// pass: {record, knobs, facts, denseLength, rank, total, spread, trial}. facts: lesson.json of demo/static/lesson.py;
// denseLength, spread: null without a (dense) caption; rank: null for a drawn decision; trial: see trial.js.
export function stepsOf(pass) {
  const [values, holds] = [numbers(pass), holding(pass)];
  const [sentences, notes, tensors] = [sentencesOf(pass, values), notesOf(pass), tensorsOf(pass)];
  const isHeld = ({ when }) => when.every((name) => holds.includes(name.replace("!", "")) !== name.startsWith("!"));
  return STEPS.map((id, at) => ({
    id,
    title: say(`step.${id}`),
    sentence: sentences[at],
    equation: equation(pass.facts.equations[id].filter(isHeld)),
    legend: pass.facts.legend[id].filter(isHeld).map(({ latex, symbol, says }) => ({ latex, symbol, says: say(`legend.${says}`, values) })),
    tensors: tensors[at],
    note: notes[at].map((name) => say(name, values)).join(" "),
  }));
}

const isPaper = ({ record }) => record.variant === "paper";
const isDrawn = ({ knobs }) => knobs.decision === "gumbel";
const isDense = ({ record: { branches } }) => branches.length > 1;
const isBoth = (pass) => isPaper(pass) && isDense(pass) && pass.record.branches[1].aggregation_weights.length > 0;
const keptOf = ({ record: { branches: [{ kept }] } }) => sum(kept);
const named = (condition, ...names) => (condition ? names : []);

function holding(pass) {
  const { record, denseLength } = pass;
  return [
    record.variant, ...named(isDense(pass), "dense"), ...named(denseLength !== null, "captions"),
    ...named(isBoth(pass), "both"), ...named(record.has_cls, "cls"), ...named(isDrawn(pass), "drawn"),
  ];
}

function equation(rows) {
  const body = rows.map(({ mathml, number }) =>
    `<mtr><mtd>${mathml}</mtd><mtd>${number ? `<mtext>(${number})</mtext>` : ""}</mtd></mtr>`).join("");
  return `<math xmlns="${MATHML}" display="block"><mtable displaystyle="true">${body}</mtable></math>`;
}

function numbers(pass) {
  const { record, knobs, facts, denseLength, rank, total, spread, trial } = pass;
  const { branches: [{ kept, aggregation_weights: merged }], alignments: [{ words }] } = record;
  const [rows, columns] = record.grid;
  return {
    rows, columns, channels: facts.channels, pixels: facts.pixels, classes: facts.classes, patches: kept.length, kept: keptOf(pass),
    merged: merged.length, words: words.length, dense_words: denseLength, times: denseLength / words.length, ...possible(pass), top_k: knobs.top_k, trained_k: facts.trained_k,
    similarity: record.similarity, rank, total,
    ...(spread ? { caption_share: spread.fraction, captions: spread.captions } : {}),
    ...(trial.patch === null || !trial.now ? {} : {
      ...placeOf(record, trial.patch), change: change(trial.now, trial.decided), tried_rank: trial.now.rank,
    }),
  };
}

// The range that a score can have, and where in it the highest and the lowest stand.
function possible(pass) {
  const [lowest, highest] = isPaper(pass) ? [0, 1 + 2 * pass.knobs.beta] : [-2, 2];
  const { score } = pass.record.branches[0];
  const place = (value) => Math.min(Math.max((value - lowest) / (highest - lowest), 0), 1);
  return { lowest, highest, likely: place(Math.max(...score)), unlikely: place(Math.min(...score)) };
}

function sentencesOf(pass, values) {
  const { trial } = pass;
  const first = sentenceNames(pass).map((name) => say(`happens.${name}`, values));
  if (trial.isByHand && trial.now) return [...first, decisionSentence(trial.now, trial.decided)];
  const last = !trial.now ? "what_if_one" : trial.decided.total ? "what_if_ranked" : "what_if";
  return [...first, trial.isAsked ? say("hint.computing") : say(`happens.${last}`, values)];
}

function sentenceNames(pass) {
  const ranked = isDrawn(pass) ? "" : "_ranked";
  const scores = isDense(pass) ? "scores_dense" : "scores";
  const beside = pass.knobs.dense ? "words_dense" : "words_left_out";
  return [
    "patches",
    pass.denseLength === null ? "words" : beside,
    isPaper(pass) ? scores : "scores_released",
    isDrawn(pass) ? "decision_drawn" : "decision",
    isBoth(pass) ? "aggregation_both" : "aggregation",
    pass.record.has_cls ? "tokens_cls" : "tokens",
    isPaper(pass) ? "matrix" : "matrix_released",
    `${isPaper(pass) ? "similarity" : "similarity_released"}${ranked}`,
  ];
}

// What else is true of each step, by templates.
function notesOf(pass) {
  const { facts: { context: [patches, words], classes, trained_k: trained }, record, knobs, spread } = pass;
  const { branches: [{ aggregation_weights: merged, kept }], alignments: [{ matrix }] } = record;
  const fewer = Math.min(matrix.length, matrix[0].length, knobs.top_k) < trained;
  return [
    ["note.patches", ...named(patches, "note.patches_context"), ...named(classes, "note.patches_classes")],
    ["note.words", ...named(words, "note.words_context")],
    [
      ...named(spread, isPaper(pass) && isDense(pass) ? "note.scores_caption_dense" : "note.scores_caption"),
      ...named(spread && isPaper(pass), "note.scores_beta"),
      isPaper(pass) ? "note.scores" : "note.scores_released",
    ],
    [isDrawn(pass) ? "note.decision_drawn" : "note.decision"],
    ["note.aggregation", ...named(merged.length > keptOf(pass), "note.aggregation_more")],
    kept.every(Boolean) ? ["note.tokens_all_kept"] : isBoth(pass) ? ["note.tokens_both"] : named(!isPaper(pass) && isDense(pass), "note.tokens_own"),
    ["note.matrix_fits", ...named(isPaper(pass) ? fewer : true, isPaper(pass) ? "note.matrix_fewer" : "note.matrix_released")],
    isDrawn(pass) ? ["rank.drawn"] : named(isDense(pass), "note.similarity_dense"),
    isDrawn(pass) ? ["note.what_if_drawn"] : ["note.what_if", "note.what_if_ranked", ...named(isDense(pass), "note.what_if_dense")],
  ];
}

// The tensors of each step with their shapes, as demo/views/lesson/steps.py.
function tensorsOf({ record, knobs, facts: { channels, pixels }, denseLength }) {
  const { branches, alignments, terms } = record;
  const [{ kept }] = branches;
  const patches = kept.length;
  const names = [...new Set(branches.flatMap(({ parts }) => Object.keys(parts)))];
  const merging = branches.filter(({ aggregation_weights: merged }) => merged.length);
  const merged = merging[0].aggregation_weights.length;
  return [
    [tensor("I", [3, pixels, pixels]), tensor("V", [patches, channels]), ...(record.has_cls ? [tensor("v_cls", [1, channels])] : [])],
    [tensor("T_s", [alignments[0].words.length, channels]), ...(denseLength === null ? [] : [tensor("T_d", [denseLength, channels])])],
    [
      ...names.map((name) => ({ name, shape: [patches], says: say(`part.${name}`) })),
      ...branches.map(({ name }) => tensor(`score_${name[0]}`, [patches], "score", branchNamed(name))),
    ],
    branches.map(({ name }) => tensor(`D_${name[0]}`, [patches], "D", branchNamed(name))),
    [
      ...merging.map(({ name }) => tensor(`W_${name[0]}`, [merged, patches], "W", branchNamed(name))),
      ...alignments.map(({ caption }) => tensor(`aggregated_${caption[0]}`, [merged, channels], "aggregated", wordsOf(caption))),
    ],
    [
      ...merging.map(({ name }) => tensor(`e_${name[0]}`, [patches], "e", branchNamed(name))),
      ...alignments.map(({ caption, matrix }) => tensor(`tokens_${caption[0]}`, [matrix.length, channels], "tokens", wordsOf(caption))),
    ],
    [
      ...alignments.flatMap(({ caption, matrix, words }) => [
        tensor(`A_${caption[0]}`, [matrix.length, words.length], "A", wordsOf(caption)),
        tensor(`row maxima_${caption[0]}`, [matrix.length], "row maxima"),
        tensor(`column maxima_${caption[0]}`, [words.length], "column maxima"),
      ]),
      ...(record.variant === "paper" ? [tensor("TopK", [2, knobs.top_k])] : []),
    ],
    [tensor("terms", [Object.keys(terms).length]), tensor("S", [])],
    [tensor("D", [patches], "tried"), tensor("S", [])],
  ];
}

const branchNamed = (name) => ({ branch: phrase(name) });
const wordsOf = (caption) => ({ words: say(`tensor.of_${caption}`) });

function tensor(name, shape, kind = name, values = {}) {
  return { name, shape, says: say(`tensor.${kind}`, values) };
}
