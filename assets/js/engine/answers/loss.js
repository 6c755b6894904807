// L_align, equation (6), under settings that a person moves, in float32: as demo/views/losses/values.py.

import { sum } from "../../base/arrays.js";

const { fround, max } = Math;

// The playground's value under other settings. value: of the same batch; settings: {margin, mining, mask_ids}.
export function playgroundUnder(value, { margin, mining, mask_ids: isMasked }) {
  const { similarity, photos, curve: { margins } } = value;
  const ids = photos.map(({ img_id: id }) => id);
  const [alone, same] = [(row, column) => row === column, (row, column) => ids[row] === ids[column]];
  const excludes = isMasked ? same : alone;
  const lossOf = (alpha, name, isExcluded) => alignLoss(violations(similarity, alpha, isExcluded), name === "hardest");
  const amounts = violations(similarity, margin, excludes);
  const counted = mining === "hardest" ? hardest(amounts) : each(amounts, (amount) => amount > 0);
  const [rows, columns] = amounts;
  return {
    ...value, margin, mining, mask_ids: isMasked,
    excluded: similarity.map((row, at) => row.map((_, column) => excludes(at, column))),
    to_captions: rows, to_images: columns, counted_captions: counted[0], counted_images: counted[1],
    violating: rows.flat().filter((amount, at) => amount > 0 || columns.flat()[at] > 0).length,
    counted: counted.flat(2).filter(Boolean).length,
    loss: Object.fromEntries(value.minings.map((name) => [name, lossOf(margin, name, excludes)])),
    now: lossOf(margin, mining, excludes),
    masked: { ...value.masked, with_ids: lossOf(margin, mining, same), without_ids: lossOf(margin, mining, alone) },
    curve: { margins, ...Object.fromEntries(value.minings.map((name) =>
      [name, margins.map((alpha) => lossOf(alpha, name, excludes))])) },
  };
}

// By how much each pair violates a margin along its row, and along its column: two matrices.
/** @type {(similarity: number[][], margin: number, isExcluded: any) => [number[][], number[][]]} */
function violations(similarity, margin, isExcluded) {
  const alpha = fround(margin);
  const beyond = (trueAt) => similarity.map((row, at) => row.map((score, column) => {
    const own = trueAt(at, column);
    return isExcluded(at, column) ? 0 : max(0, fround(fround(alpha - similarity[own][own]) + score));
  }));
  return [beyond((row) => row), beyond((_, column) => column)];
}

const each = (matrices, change) => matrices.map((matrix) => matrix.map((row) => row.map(change)));

// Of each row of the first matrix and of each column of the second, whether it is the first highest and above 0.
function hardest([rows, columns]) {
  const firstHighest = (values) => values.map((value, at) => value > 0 && at === values.indexOf(max(...values)));
  return [rows.map(firstHighest), transposed(transposed(columns).map(firstHighest))];
}

const transposed = (matrix) => matrix[0].map((_, column) => matrix.map((row) => row[column]));

function alignLoss([rows, columns], isHardest) {
  if (!isHardest) return sum(rows.flat()) + sum(columns.flat());
  return sum(rows.map((row) => max(...row))) + sum(transposed(columns).map((column) => max(...column)));
}
