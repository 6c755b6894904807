// The tensors of each step of the lesson with their shapes, as demo/screens/lesson/steps.py lists them, of a pass without
// a dense caption.

import { phrase, say } from "../base/words.js";

export function tensorsOf({ record, knobs, facts: { channels, pixels } }) {
  const { branches: [{ parts, aggregation_weights: merged, kept }], alignments: [{ matrix, words }], terms } = record;
  const [patches, tokens, length] = [kept.length, matrix.length, words.length];
  const branch = { branch: phrase("sparse") };
  const of = { words: say("tensor.of_sparse") };
  return [
    [tensor("I", [3, pixels, pixels]), tensor("V", [patches, channels]), ...(record.has_cls ? [tensor("v_cls", [1, channels])] : [])],
    [tensor("T_s", [length, channels])],
    [
      ...Object.keys(parts).map((name) => ({ name, shape: [patches], says: say(`part.${name}`) })),
      tensor("score_s", [patches], "score", branch),
    ],
    [tensor("D_s", [patches], "D", branch)],
    [tensor("W_s", [merged.length, patches], "W", branch), tensor("aggregated_s", [merged.length, channels], "aggregated", of)],
    [tensor("e_s", [patches], "e", branch), tensor("tokens_s", [tokens, channels], "tokens", of)],
    [
      tensor("A_s", [tokens, length], "A", of),
      tensor("row maxima_s", [tokens], "row maxima"),
      tensor("column maxima_s", [length], "column maxima"),
      ...(record.variant === "paper" ? [tensor("TopK", [2, knobs.top_k])] : []),
    ],
    [tensor("terms", [Object.keys(terms).length]), tensor("S", [])],
    [tensor("D", [patches], "tried"), tensor("S", [])],
  ];
}

function tensor(name, shape, kind = name, values = {}) {
  return { name, shape, says: say(`tensor.${kind}`, values) };
}
