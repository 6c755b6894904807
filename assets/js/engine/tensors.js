// The tensors of each step of the lesson with their shapes, as demo/views/lesson/steps.py lists them.

import { phrase, say } from "../base/words.js";

// denseLength: L_d of the dense caption that is there, in use or not; null without one.
export function tensorsOf({ record, knobs, facts: { channels, pixels }, denseLength }) {
  const { branches, alignments, terms } = record;
  const [{ kept }] = branches;
  const patches = kept.length;
  const names = [...new Set(branches.flatMap(({ parts }) => Object.keys(parts)))];
  const merging = branches.filter(({ aggregation_weights: merged }) => merged.length);
  const merged = merging[0].aggregation_weights.length;
  return [
    [tensor("I", [3, pixels, pixels]), tensor("V", [patches, channels]), ...(record.has_cls ? [tensor("v_cls", [1, channels])] : [])],
    [
      tensor("T_s", [alignments[0].words.length, channels]),
      ...(denseLength === null ? [] : [tensor("T_d", [denseLength, channels])]),
    ],
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
