// The pictures of the lesson's fifth and sixth step: aggregation, and all tokens together. See steps.js.

import { highest, sum } from "../base/arrays.js";
import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { keptOutlines } from "./charts.js";
import {
  footing, grown, heading, layerNamed, maskLegend, masked, patches, shownBranch, spread, stageLegend, tileOf, valued,
} from "./stage.js";
import { keptCount } from "../record/record.js";

export const alignmentOf = ({ record, branch }) =>
  record.alignments.find(({ caption }) => caption === branch) ?? record.alignments[0];

// 5: one aggregated token's weights over the photo, and all tokens' weights.
function aggregation(c) {
  const { layout: { home, side, type, line }, record } = c;
  const branch = shownBranch(c);
  const kept = sum(branch.kept);
  const rows = branch.aggregation_weights;
  const flow = say("lesson.flow", { total: branch.kept.length, kept, count: rows.length });
  if (!rows.length) {
    const none = h("p", { class: "seps-aside" }, say("lesson.no_tokens"));
    return {
      sprites: new Map(patches(c, home, masked(branch))),
      notes: [heading(c, "home", home, keptCount(record, branch)), { key: "none", rect: side, node: none }],
    };
  }
  const token = Math.min(c.token, rows.length - 1);
  const range = [0, highest(rows[token])];
  const sprites = new Map(patches(c, home, valued(c, rows[token], range)));
  const notes = [
    heading(c, "home", home, say("title.token", { number: token + 1, count: rows.length })),
    footing(c, "home-legend", home, stageLegend(c, layerNamed(c, "score"), range, say("scale.weights"))),
    heading(c, "side", side, flow),
    { key: "outlines", rect: home, node: keptOutlines(record, branch.kept, null) },
  ];
  const all = { x: side.x, y: side.y, width: side.width, height: side.height - 0.3 * line };
  const tiles = spread(rows.length, all, home.height / home.width, 0.35 * type);
  tiles.forEach((rect, index) => {
    const image = tileOf(c, `${branch.name}:${index}`, rows[index], [0, highest(rows[index])], rect, String(index + 1));
    sprites.set(`tile:${index}`, { ...rect, image, from: "patch:0" });
  });
  notes.push({ key: "ring", rect: grown(tiles[token], 2), node: h("div", { class: "seps-ring" }) });
  return { sprites, notes };
}

// The place of all tokens in one row, the same above the patch-word matrix; on a narrow stage steps 6 has several.
export function tokenRow(c, count) {
  const { layout: { rest, type, narrow } } = c;
  const label = Math.min(5.5 * type, 0.24 * rest.width);
  const width = rest.width - label - (narrow ? 3 : 4) * type;
  const size = Math.min(width / count, 3.4 * type);
  const tall = Math.max(size, 1.1 * type);
  const tile = (_, index) => ({ x: rest.x + label + index * size, y: rest.y, width: size, height: tall });
  return { size, tall, label, tiles: Array.from({ length: count }, tile) };
}

const gapped = ({ x, y, width, height }) => ({ x, y, width: Math.max(1, width - 1), height: Math.max(1, height - 1) });

// Tokens as tiny maps on places; one without weights ([CLS], or an extra token of nothing) stays empty.
export function tokenTiles(c, alignment, places, numbered) {
  const weights = alignment.token_weights.map((row) => [row, highest(row)]);
  return weights.flatMap(([weights, most], index) => {
    if (most === 0) return [];
    const aggregated = /^aggregated (\d+)$/.exec(alignment.tokens[index]);
    const rect = gapped(places[index]);
    const key = `${alignment.caption}:all:${index}`;
    const image = tileOf(c, key, weights, [0, most], rect, numbered && aggregated ? aggregated[1] : "");
    const id = aggregated ? `tile:${Number(aggregated[1]) - 1}` : `tile:${alignment.tokens[index]}`;
    return [[id, { ...rect, image, from: "patch:0" }]];
  });
}

const emptyTile = (key, rect) => ({ key, rect, node: h("div", { class: "seps-empty-tile" }) });
export const emptyTiles = (alignment, places) => alignment.token_weights.flatMap((weights, index) =>
  (highest(weights) > 0 ? [] : [emptyTile(`empty:${index}`, gapped(places[index]))]));

// 6: [CLS], aggregated and extra tokens in one row, two of them large.
function together(c) {
  const { layout: { corner, rest, type, line, narrow }, record } = c;
  const alignment = alignmentOf(c);
  const branch = shownBranch(c);
  const count = alignment.tokens.length;
  const merged = count - 1 - Number(record.has_cls);
  const { tiles: inRow, label, tall } = tokenRow(c, count);
  const aspect = corner.height / corner.width;
  const upper = { ...rest, height: 0.5 * rest.height };
  const places = narrow ? spread(count, upper, aspect, 0.2 * type) : inRow;
  const sprites = new Map(patches(c, corner, masked(branch)));
  for (const [id, sprite] of tokenTiles(c, alignment, places, narrow)) sprites.set(id, sprite);
  const ending = record.has_cls ? "_cls" : "";
  const counts = say(`lesson.count${ending}`, { merged, count });
  const notes = [
    heading(c, "home", corner, say("lesson.kept_and_dropped")),
    footing(c, "home-legend", corner, maskLegend(c, branch, null)),
    heading(c, "side", rest, h("b", { "data-tokens": count }, counts), say(`lesson.parts${ending}`, { merged })),
    ...emptyTiles(alignment, places),
  ];
  const rowName = h("p", { class: "seps-aside seps-right" }, say("lesson.all_tokens"));
  const beside = { x: rest.x, y: rest.y, width: label - 0.5 * type, height: tall };
  if (!narrow) notes.push({ key: "row", rect: beside, node: rowName });
  const below = (narrow ? upper.y + upper.height : rest.y + tall) + 2.6 * line;
  const start = narrow ? rest.x : rest.x + label;
  const gap = 2.4 * type;
  const large = Math.min((rest.x + rest.width - start) / 2 - gap / 2, (rest.y + rest.height - below - 1.4 * line) / aspect);
  const token = Math.min(c.token, Math.max(0, merged - 1));
  const extra = count - 1;
  const pitch = Math.max(large + gap, Math.min(15 * type, 0.5 * (rest.x + rest.width - start)));
  const title = say("title.token", { number: token + 1, count: merged });
  const chosen = merged ? [[token + Number(record.has_cls), title]] : [];
  [...chosen, [extra, say("title.extra")]].forEach(([index, name], place) => {
    const rect = { x: start + place * pitch, y: below, width: large, height: large * aspect, room: pitch - 0.8 * type };
    const weights = alignment.token_weights[index];
    const most = highest(weights);
    notes.push(heading(c, `large:${place}`, rect, name));
    if (most === 0) return void notes.push(emptyTile(`void:${place}`, rect));
    const image = tileOf(c, `${alignment.caption}:all:${index}`, weights, [0, most], rect);
    sprites.set(`large:${place}`, { ...rect, image, from: index === extra ? "tile:extra" : `tile:${token}` });
    return notes.push(footing(c, `scale:${place}`, rect, stageLegend(c, "score", [0, most], say("scale.weights"))));
  });
  if (merged) {
    const ring = grown(places[token + Number(record.has_cls)], 2);
    notes.push({ key: "ring", rect: ring, node: h("div", { class: "seps-ring" }) });
  }
  return { sprites, notes };
}

export const tokenSteps = [aggregation, together];
