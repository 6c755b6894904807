// The part of the picture with most of some amounts, in words, as in demo/service/measuring/measured.py.

import { cellOf, sum } from "../base/arrays.js";

const STANDS_OUT = 1.25; // a third's share of the amount over its share of the patches
const ROWS = ["upper", "middle", "lower"];
const COLUMNS = ["left", "middle", "right"];

// amounts: one a patch, none negative, row by row of the grid. Null if they are spread evenly.
export function whereabouts(amounts, [height, width]) {
  const total = sum(amounts);
  if (total <= 0) return null;
  const byRow = Array.from({ length: height }, (_, y) => sum(amounts.slice(y * width, (y + 1) * width)));
  const byColumn = Array.from({ length: width }, (_, x) => sum(byRow.map((_, y) => amounts[y * width + x])));
  const [[bestRow, rowLift], [bestColumn, columnLift]] = [outstanding(byRow), outstanding(byColumn)];
  let [row, column] = [bestRow, bestColumn];
  if (row !== null && column !== null) {
    const ninth = Array.from(amounts).filter((_, patch) => {
      const [y, x] = cellOf(patch, width);
      return third(y, height) === row && third(x, width) === column;
    });
    if (sum(ninth) / total < (STANDS_OUT * ninth.length) / amounts.length) {
      if (rowLift >= columnLift) column = null;
      else row = null;
    }
  }
  if (row === null && column === null) return null;
  if (column === null) return ["at the top", "across the middle", "at the bottom"][row];
  if (row === null) return ["on the left", "down the middle", "on the right"][column];
  if (row === 1 && column === 1) return "in the centre";
  return `${column === 1 ? "in" : "on"} the ${ROWS[row]} ${COLUMNS[column]}`;
}

// The third in which a line's centre lies.
const third = (line, length) => Math.floor(((2 * line + 1) * 3) / (2 * length));

// The third of the rows (or columns) with more than its share of the weight, and by what factor; null if none has.
function outstanding(lines) {
  const sums = [0, 0, 0];
  const counts = [0, 0, 0];
  lines.forEach((amount, line) => {
    sums[third(line, lines.length)] += amount;
    counts[third(line, lines.length)] += 1;
  });
  const highest = Math.max(...sums);
  const best = sums.indexOf(highest);
  const lift = ((highest / sum(sums)) * lines.length) / counts[best];
  const alone = sums.filter((amount) => amount === highest).length === 1;
  return alone && lift >= STANDS_OUT ? [best, lift] : [null, lift];
}
