// The pictures of the lesson's last two steps: words meet tokens, and S(I, T) is summed. See steps.js.

import { extremes, fromHighest, highest } from "../base/arrays.js";
import { h } from "../base/dom.js";
import { fixed, shownNumber, signedShort } from "../base/numbers.js";
import { meaning, phrase, say, sayNodes, symbol, tokenLabel } from "../base/words.js";
import { maximaMarks } from "./charts.js";
import { standing } from "./knobs.js";
import { cellMap } from "./scene.js";
import { footing, heading, masked, patches, shownBranch, stageLegend, valued } from "./stage.js";
import { alignmentOf, emptyTiles, tokenRow, tokenTiles } from "./tokens.js";

// 7: every token against every word; the best of each, and the K best of those.
function matrix(c) {
  const { layout: { corner, rest, type, line, narrow }, record, value } = c;
  const alignment = alignmentOf(c);
  const [tokens, words] = [alignment.tokens.length, alignment.words.length];
  const { tiles: places, size, tall, label } = tokenRow(c, tokens);
  const word = Math.min(c.word, words - 1);
  const paper = record.variant === "paper";
  const rows = (paper ? 3.4 : 2.4) + (narrow ? 3 : 0); // of letters, below the bars
  const bars = 2 * type;
  const grid = {
    x: rest.x + label,
    y: rest.y + tall + 0.4 * type,
    width: size * tokens,
    height: Math.min(rest.height - tall - bars - rows * line - 1.1 * type, words * 4.2 * type),
  };
  const high = grid.height / words;
  const map = alignment.word_maps[word];
  const most = highest(map);
  const sprites = new Map(patches(c, corner, most > 0 ? valued(c, map, [0, most]) : undefined));
  for (const [id, sprite] of tokenTiles(c, alignment, places, false)) sprites.set(id, sprite);
  const range = extremes(alignment.matrix.flatMap((row) => [...row]));
  const image = cellMap(words, tokens, (row, column) => alignment.matrix[column][row], range);
  sprites.set("matrix", { ...grid, sharp: true, image });
  const text = alignment.words[word];
  const best = alignment.best_token[word];
  const notes = [
    heading(c, "home", corner, say("lesson.looks", { word: text })),
    footing(c, "home-legend", corner, h("p", { class: "seps-aside", "data-best": best },
      say("lesson.entry", { token: tokenLabel(alignment.tokens[best]), value: alignment.matrix[best][word] }))),
    heading(c, "side", { ...rest, room: (narrow ? 1 : 0.48) * rest.width }, say("lesson.matrix", { tokens, words })),
    ...emptyTiles(alignment, places),
    { key: "marks", rect: grid, node: maximaMarks(alignment, grid, word) },
  ];
  const scale = stageLegend(c, "score", range, say(paper ? "scale.cosine" : "scale.leaky"), null);
  if (!narrow) notes.push(heading(c, "scale", { ...rest, x: rest.x + 0.5 * rest.width, room: 0.5 * rest.width }, scale));
  if (high >= 10) {
    const style = { "font-size": `${Math.min(type, 0.92 * high)}px` };
    alignment.words.forEach((name, index) => notes.push({
      key: `word:${index}`,
      rect: { x: rest.x, y: grid.y + index * high, width: label - 0.4 * type, height: high },
      node: h("p", { class: index === word ? "seps-word-name seps-strong" : "seps-word-name", style }, name),
    }));
  }
  const ofWord = Array.from(alignment.best_token, (token, index) => alignment.matrix[token][index]);
  const ofToken = Array.from(alignment.best_word, (index, token) => alignment.matrix[token][index]);
  const k = paper ? value.knobs.top_k : 0;
  const top = highest([...ofWord, ...ofToken]);
  const [bestWords, bestTokens] = [ofWord, ofToken].map((values) => fromHighest(values).slice(0, k));
  const gutter = (name, size, values, best) => h("div", { class: `seps-gutter seps-${name}` }, ...values.map((value, at) =>
    h("i", { class: best.includes(at) ? "seps-best" : null, style: { [size]: `${Math.max(0, (100 * value) / top)}%` } })));
  const right = grid.x + grid.width + 0.5 * type;
  const side = { x: right, y: grid.y, width: c.layout.width - right, height: grid.height };
  const under = { x: grid.x, y: grid.y + grid.height + 0.3 * type, width: grid.width, height: bars };
  notes.push(
    { key: "rows", rect: side, node: gutter("rows", "width", ofWord, bestWords) },
    { key: "columns", rect: under, node: gutter("columns", "height", ofToken, bestTokens) },
  );
  const terms = record.terms;
  const name = alignment.caption;
  const summed = (kind, values, chosen, mean, relevance) => {
    const means = { count: values.length, kind: phrase(kind), mean: shownNumber(mean, { "data-mean": mean }) };
    const line = h("div", { class: "seps-best-line", "data-best-of": kind }, h("p", {}, ...sayNodes("lesson.mean", means)));
    if (!paper) return line;
    const shown = shownNumber(relevance, { "data-relevance": relevance }, signedShort(relevance));
    const best = chosen.map((index) => values[index]);
    line.append(
      h("p", {}, ...sayNodes("lesson.top", { count: Math.min(k, values.length), relevance: shown })),
      h("p", { class: "seps-aside", "data-top": best.join(" ") }, shortList(best)),
    );
    return line;
  };
  const foot = { x: rest.x, y: grid.y + grid.height + bars + 0.6 * type, width: rest.width, height: rows * line };
  const sign = (name, text) => h("span", {}, h("i", { class: name }), text);
  const key = h("p", { class: "seps-key" },
    sign("seps-square", say("lesson.best_token")),
    sign("seps-dot", say("lesson.best_word")),
    paper ? sign("seps-best", say("lesson.highest", { count: k })) : "",
  );
  const lines = [
    summed("token", ofToken, bestTokens, terms[`${name} patch-to-word mean`], terms[`${name} patch relevance`]),
    summed("word", ofWord, bestWords, terms[`${name} word-to-patch mean`], terms[`${name} word relevance`]),
  ];
  notes.push({ key: "best", rect: foot, node: h("div", { class: "seps-best-lines" }, key, ...lines) });
  return { sprites, notes };
}

const shortList = (values) =>
  values.slice(0, 5).map((number) => fixed(number, 2)).join(" ") + (values.length > 5 ? " …" : "");

// 8: the terms, one added after the other, and the rank. `c.play` lets them come one by one.
function similarity(c) {
  const { layout: { corner, rest, line }, record, value } = c;
  const terms = Object.entries(record.terms);
  let sum = 0;
  const steps = terms.map(([name, term]) => ({ name, term, from: sum, to: (sum += term) }));
  const [low, high] = extremes([0, ...steps.map(({ to }) => to)]);
  const at = (number) => (100 * (number - low)) / (high - low || 1);
  const items = steps.map(({ name, term, from, to }, index) => {
    const place = { left: `${at(Math.min(from, to))}%`, width: `${Math.abs(at(to) - at(from))}%` };
    return h("li", { "data-term": name, "data-value": term, style: { "--turn": index } },
      h("span", { class: "seps-term", title: meaning(name.replace(/^(sparse|dense) /, "")) }, record.says.terms[name]),
      shownNumber(term, {}, signedShort(term)),
      h("span", { class: "seps-lane" }, h("i", { class: term < 0 ? "seps-less" : null, style: place })),
      shownNumber(to, { "data-sum": to }),
    );
  });
  const total = h("p", { class: "seps-total", style: { "--turn": terms.length } },
    symbol("S(I, T)"), " = ", shownNumber(record.similarity, { "data-similarity": record.similarity }));
  const ranks = standing(value);
  ranks.style.setProperty("--turn", terms.length + 1);
  const place = { x: rest.x, y: rest.y - line, width: rest.width, height: rest.height + line };
  const node = h("div", { class: `seps-sum${c.play ? " seps-play" : ""}` },
    h("p", { class: "seps-quote" }, `“${value.caption}”`), h("ol", {}, ...items), total, ranks);
  const title = heading(c, "home", corner, value.photo.title || say("lesson.photo"));
  return { sprites: new Map(patches(c, corner, masked(shownBranch(c)))), notes: [title, { key: "sum", rect: place, node }] };
}

export const wordSteps = [matrix, similarity];
