// Two pictures side by side and each word's part of either similarity, as PNG.

import { loadImage } from "../../base/canvas.js";
import { fixed } from "../../base/numbers.js";
import { say } from "../../base/words.js";
import { drawLayer } from "../../picture/layer.js";
import { differenceOf } from "../../why/bars.js";
import { drawMarks } from "../../why/marks.js";
import { recordOf } from "../../why/why.js";
import { WIDTH, bar, canvasFor, column, foot, picture, row, sheet, title, words } from "./sheet.js";

const GAP = 24; // pixels
const [NUMBER, NAME] = [110, 240]; // of a row of shares
const BAR = 22;

// Both under a word's maps on one scale or with the words that decide marked, and all shares.
export async function contrastSheet(value, { layer }) {
  const chosen = value.rows.find(({ number }) => layer === `word:${number}`) ?? null;
  const photos = await Promise.all(value.sides.map(({ photo }) => loadImage(photo)));
  const width = (WIDTH - GAP) / 2;
  const sides = value.sides.map((side, place) => {
    const drawn = canvasFor(photos[place], width);
    const has = chosen && chosen[["left", "right"][place]] !== null;
    const range = chosen ? [0, chosen.most] : null;
    drawLayer(drawn, photos[place], recordOf(side, value.rows), has ? layer : "photo", { range, lines: Boolean(has) });
    if (!chosen) drawMarks(drawn, side.grid, side.marks);
    return column([title(side.caption || side.title, width), words(side.reads, width), picture(drawn)], 8);
  });
  const [head, numbers, ...others] = value.says;
  const [left, right, difference] = value.sum;
  return sheet(column([
    words(head, WIDTH, { size: 28, ink: "--ink", weight: 700 }),
    words([numbers, ...others].join(" "), WIDTH),
    row(sides, GAP),
    words(chosen ? chosen.says : say("why.marks"), WIDTH),
    ...value.rows.map((part) => shareRow(part.word, part, value.scale)),
    ...value.rest.map((part) => shareRow(part.title, part)),
    shareRow(say("why.sum"), { left, right, difference }),
    foot(value, value.sides.map(({ photo }) => photo).filter(({ src }, at, all) => !at || src !== all[0].src)),
  ], 10));
}

// A part's shares of both similarities, with bars towards either picture where it is a word's.
export function shareRow(name, { left, right, difference }, scale = 0) {
  const room = (WIDTH - NAME - 2 * NUMBER) / 2;
  const number = (value, align) => words(value === null ? say("why.missing") : fixed(value, 4), NUMBER, { align, ink: "--ink" });
  const towards = (here, other, toLeft) => {
    const size = Math.abs(here ?? 0);
    const common = here !== null && other !== null && here * other > 0 ? Math.min(size, Math.abs(other)) : 0;
    const pixels = (amount) => (scale ? (amount / scale) * room : 0);
    return bar(room, BAR, pixels(common), pixels(size - common), { toLeft, isLess: (here ?? 0) < 0 });
  };
  const middle = words(`${name}  ${differenceOf(difference)}`, NAME, { align: "center", size: 20, ink: "--ink" });
  return row([number(left, "left"), towards(left, right, true), middle, towards(right, left, false), number(right, "right")]);
}
