// The pictures of Play: the photo cut into patches, their scores, what is dropped, the tokens, the words, the score.

import { cellOf, extremes, firstHighest, sum } from "../../base/arrays.js";
import { resize } from "../../base/canvas.js";
import { VEIL, colour, channels } from "../../base/colours.js";
import { fixed } from "../../base/numbers.js";
import { say } from "../../base/words.js";

export const STAGES = ["patches", "scores", "decision", "tokens", "words", "similarity"];
const TALLEST = 460; // CSS pixels
const MOST_TOKENS = 16; // that are drawn; those with most weight for the words

const ease = (t) => (t < 0.5 ? 2 * t * t : 1 - (-2 * t + 2) ** 2 / 2);
const between = (from, to, t) => from + (to - from) * t;
const part = (t, from, to) => ease(Math.max(0, Math.min(1, (t - from) / (to - from))));

// image, record: of the visible photo; width: CSS pixels. Returns {draw(stage, t), numbers}, t from 0 to 1.
export function makeFilm(canvas, { image, record, width }) {
  const height = Math.min(TALLEST, Math.max(280, width * 0.62));
  resize(canvas, width, height);
  const pixel = canvas.width / width;
  const context = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  const [ink, accent, line, paper] = ["--ink", "--accent", "--line", "--paper"].map((name) => style.getPropertyValue(name).trim());
  const [branch] = record.branches;
  const [alignment] = record.alignments;
  const [rows, columns] = record.grid;
  const count = rows * columns;
  const range = extremes(branch.score);
  const words = alignment.words.map((text, at) => ({ text, at })).filter(({ text }) => !/^\[.+\]$/.test(text));
  const tokens = chosenTokens();
  const home = fitted(width, height);
  const small = fitted(width * 0.46, height);

  // The photo's place in a box, from its left edge.
  function fitted(wide, high) {
    const factor = Math.min(wide / image.naturalWidth, high / image.naturalHeight);
    const [w, h] = [factor * image.naturalWidth, factor * image.naturalHeight];
    return { x: wide === width ? (width - w) / 2 : 0, y: (high - h) / 2, w, h };
  }

  // The tokens that words met best, and then those after them.
  function chosenTokens() {
    const met = [...new Set(words.map(({ at }) => alignment.best_token[at]))];
    const rest = alignment.tokens.map((_, token) => token).filter((token) => !met.includes(token));
    const extra = alignment.tokens.indexOf("extra");
    const all = [...new Set([...met, ...rest].filter((token) => token !== extra).slice(0, MOST_TOKENS - 1)), extra].filter((token) => token >= 0);
    const weightOf = (patch) => all.map((token) => alignment.token_weights[token][patch]);
    return { all, goal: Array.from({ length: count }, (_, patch) => firstHighest(weightOf(patch))) };
  }

  const tokenPlace = (index) => ({ x: width * 0.62, y: height * ((index + 0.5) / tokens.all.length) });
  const wordPlace = (index) => ({ x: width * 0.8, y: height * ((index + 0.5) / words.length) });

  function cell(patch, box) {
    const [row, column] = cellOf(patch, columns);
    return { x: box.x + (column * box.w) / columns, y: box.y + (row * box.h) / rows, w: box.w / columns, h: box.h / rows, row, column };
  }

  function drawPatch(patch, { x, y, w, h }, alpha = 1) {
    const { row, column } = cell(patch, home);
    const [sw, sh] = [image.naturalWidth / columns, image.naturalHeight / rows];
    context.globalAlpha = alpha;
    context.drawImage(image, column * sw, row * sh, sw, sh, x, y, w, h);
    context.globalAlpha = 1;
  }

  function tint(patch, place, alpha) {
    const [red, green, blue] = channels(colour(branch.score[patch], range));
    context.fillStyle = `rgb(${red} ${green} ${blue} / ${alpha})`;
    context.fillRect(place.x, place.y, place.w, place.h);
  }

  const draws = {
    patches(t) {
      for (let patch = 0; patch < count; patch += 1) {
        const place = cell(patch, home);
        const grown = part(t, (0.6 * patch) / count, 0.4 + (0.6 * patch) / count);
        const gap = 1.5 * grown;
        drawPatch(patch, { x: place.x + gap / 2, y: place.y + gap / 2, w: place.w - gap, h: place.h - gap }, 0.25 + 0.75 * grown);
      }
    },
    scores(t) {
      draws.patches(1);
      for (let patch = 0; patch < count; patch += 1) {
        tint(patch, cell(patch, home), 0.72 * part(t, (0.5 * (patch % columns)) / columns, 0.5 + (0.5 * (patch % columns)) / columns));
      }
    },
    decision(t) {
      for (let patch = 0; patch < count; patch += 1) {
        const place = cell(patch, home);
        if (branch.kept[patch]) {
          drawPatch(patch, place);
          tint(patch, place, 0.72 * (1 - part(t, 0.2, 0.6)));
        } else {
          const fall = part(t, 0.15 + (0.35 * place.column) / columns, 0.75 + (0.25 * place.column) / columns);
          drawPatch(patch, { ...place, y: place.y + fall * height * 0.9 }, 1 - fall);
        }
      }
    },
    tokens(t) {
      const box = Object.fromEntries(Object.keys(home).map((name) => [name, between(home[name], small[name], part(t, 0, 0.3))]));
      for (let patch = 0; patch < count; patch += 1) {
        if (!branch.kept[patch]) continue;
        const from = cell(patch, box);
        drawPatch(patch, from, between(1, 0.45, part(t, 0.3, 0.8)));
        const to = tokenPlace(tokens.goal[patch]);
        const move = part(t, 0.3 + (0.3 * from.column) / columns, 0.7 + (0.3 * from.column) / columns);
        if (move <= 0 || move >= 1) continue;
        const size = between(from.w, 5, move);
        drawPatch(patch, { x: between(from.x, to.x, move) - size / 2, y: between(from.y, to.y, move) - size / 2, w: size, h: size });
      }
      drawThreads(part(t, 0.7, 1));
      drawTokens(part(t, 0.4, 0.9));
    },
    words(t) {
      draws.tokens(1);
      words.forEach(({ at, text }, index) => {
        const [from, to] = [wordPlace(index), tokenPlace(tokens.all.indexOf(alignment.best_token[at]))];
        const shown = part(t, (0.6 * index) / words.length, 0.4 + (0.6 * index) / words.length);
        const cosine = alignment.cosines[alignment.best_token[at]][at];
        context.globalAlpha = shown;
        context.strokeStyle = accent;
        context.lineWidth = 1 + 5 * Math.max(0, cosine);
        stroke([from.x - 8, from.y], [between(from.x - 8, to.x + 9, shown), between(from.y, to.y, shown)]);
        write(text, from.x, from.y, { bold: true });
        write(fixed(cosine, 2), width - 4, from.y, { align: "right" });
        context.globalAlpha = 1;
      });
    },
    similarity(t) {
      draws.words(1);
      context.fillStyle = paper;
      context.globalAlpha = 0.82 * part(t, 0, 0.2);
      context.fillRect(0, 0, width, height);
      context.globalAlpha = 1;
      const terms = Object.entries(record.terms);
      const most = Math.max(1e-6, ...terms.map(([, value]) => Math.abs(value)));
      const high = Math.min(52, height / (terms.length + 3));
      terms.forEach(([name, value], index) => {
        const shown = part(t, 0.15 + (0.5 * index) / terms.length, 0.4 + (0.5 * index) / terms.length);
        const y = height / 2 + (index - terms.length / 2) * high;
        write(record.says.terms[name], width * 0.42, y, { align: "right" });
        context.fillStyle = value < 0 ? line : accent;
        context.fillRect(width * 0.44, y - high * 0.22, (width * 0.36 * shown * Math.abs(value)) / most, high * 0.44);
        write(fixed(value * shown, 2), width * 0.97, y, { align: "right" });
      });
      write(`S(I, T) = ${fixed(record.similarity * part(t, 0.2, 1), 2)}`, width / 2, height / 2 + (terms.length / 2 + 0.9) * high, { align: "center", size: 30, bold: true });
    },
  };

  /** @param {[number, number]} from @param {[number, number]} to */
  function stroke(from, to) {
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  }

  // From each token to the patch of which it takes most.
  function drawThreads(shown) {
    context.globalAlpha = 0.35 * shown;
    context.strokeStyle = accent;
    context.lineWidth = 1;
    tokens.all.forEach((token, index) => {
      const place = cell(firstHighest(alignment.token_weights[token]), small);
      const to = tokenPlace(index);
      stroke([place.x + place.w / 2, place.y + place.h / 2], [to.x, to.y]);
    });
    context.globalAlpha = 1;
  }

  function drawTokens(shown) {
    tokens.all.forEach((token, index) => {
      const { x, y } = tokenPlace(index);
      context.globalAlpha = shown;
      context.fillStyle = alignment.tokens[token] === "extra" ? VEIL : accent;
      context.beginPath();
      context.arc(x, y, Math.min(9, (0.42 * height) / tokens.all.length) * shown, 0, 2 * Math.PI);
      context.fill();
    });
    context.globalAlpha = 1;
  }

  function write(text, x, y, { align = "left", size = 15, bold = false } = {}) {
    context.fillStyle = ink;
    context.font = `${bold ? "700 " : ""}${size}px ${style.fontFamily}`;
    context.textAlign = /** @type {CanvasTextAlign} */ (align);
    context.textBaseline = "middle";
    context.fillText(text, x, y);
  }

  function draw(stage, t) {
    context.setTransform(pixel, 0, 0, pixel, 0, 0);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingQuality = "high";
    draws[stage](t);
  }

  const kept = sum(branch.kept);
  const numbers = {
    rows, columns, total: count, kept, dropped: count - kept, tokens: alignment.tokens.length, words: words.length,
    score: record.similarity, shown: say("button.of", { number: tokens.all.length, count: alignment.tokens.length }),
  };
  return { draw, numbers, isDone: false };
}
