// Files that this browser makes, as the page without a server always did. Each comes to the sentence that says so.

import { rounded } from "../../base/numbers.js";
import { say } from "../../base/words.js";
import { csv, fileName, save } from "../../files/saving.js";
import { comparisonSheet } from "../../files/sheets/compare.js";
import { layerSheet } from "../../files/sheets/layer.js";
import { contrastSheet } from "../../files/sheets/why.js";
import { contrastRecord } from "../../record/contrast.js";
import { rankCaptions } from "./captions.js";
import { contrastFor, whyValue } from "./contrast.js";
import { maskOf, measureOf } from "./pairs.js";

export const FORMATS = { pair: ["png", "json"], ranking: ["csv"], captions: ["csv"], compare: ["png"], contrast: ["png", "json", "csv"] };
const TRUTH = { right: "yes", wrong: "no", typed: "" };
const TYPES = { png: "image/png", json: "application/json", csv: "text/csv" };
const WRITTEN = { png: (picture) => picture, json: (value) => JSON.stringify(value, null, 1), csv };

// Save a file; content: by its format a picture, an object or rows.
function saved(model, title, layer, format, content) {
  const name = fileName(model, title, layer, format);
  save(name, TYPES[format], WRITTEN[format](content));
  return say("static.saved", { name });
}

// read, scoresOf, orderOf, compare, sides: functions of engine/browser.js.
export function makeSaving({ site, models, pairs, read, scoresOf, orderOf, compare, sides }) {
  const maskIn = (facts, mask) => maskOf({ mask }, facts.manifest.grid[0] * facts.manifest.grid[1]);

  return {
    async pair({ layer = "mask", mask: text = "", opacity = 0.75, lines = true, file_format: format, ...values }) {
      const { facts, index, caption, dense } = await read(values);
      const state = { index, caption, dense, layer, mask: text, budget: 0 };
      const mask = maskIn(facts, text);
      const more = mask ? { by_hand: await pairs.decisionNumbers(facts, state, mask) } : {};
      const value = await pairs.viewerValue(facts, state);
      const { model, photo: { title } } = value;
      const { record, packed } = await pairs.explained(facts, index, caption, mask, measureOf(layer), dense);
      if (format === "png") return saved(model, title, layer, format, await layerSheet(record, value, { layer, opacity, lines }));
      const description = packed.measures ? { ...site.description, measures: site.measures } : site.description;
      const explanation = { description, ...plain(packed) };
      return saved(model, title, layer, format, { model, photo: title, caption, dense_caption: dense || null, explanation, ...more });
    },

    // A photo under a decision by hand is at its new place.
    async ranking({ ratio, mask, name, ...values }) {
      const { facts, index, caption, dense } = await read(values);
      const scores = Array.from(await scoresOf(facts, caption, dense, ratio));
      const forced = ratio ? null : maskIn(facts, mask);
      if (forced) scores[index] = (await pairs.explained(facts, index, caption, forced, "", dense)).record.similarity;
      const decision = (at) => (forced ? [at === index ? "by hand" : "the model's"] : []);
      const rows = orderOf(facts, scores, name).map((at, rank) =>
        [rank + 1, facts.items[at].key, facts.items[at].photo.title, rounded(scores[at], 6), caption, ...decision(at)]);
      const heads = ["rank", "photo", "title", "score", "caption", ...(forced ? ["decision"] : [])];
      return saved(facts.model, facts.name, "ranking", "csv", [heads, ...rows]);
    },

    async captions({ gallery, index, pool, typed }) {
      const facts = await models.open(gallery);
      const source = pool === site.no_pool ? null : await models.open(pool);
      const rows = await rankCaptions({ engine: models, pairs }, facts, source, { index, typed });
      const lines = rows.map(({ caption, score, is }, rank) => [rank + 1, caption, rounded(score, 6), TRUTH[is]]);
      const heads = ["rank", "caption", "score", "written for this photo"];
      return saved(facts.model, facts.items[index].photo.title, "ranking", "csv", [heads, ...lines]);
    },

    async compare({ layer = "mask", objects = false, file_format: format, ...values }) {
      const value = await compare({ ...values, layer });
      return saved(value.model, value.photo.title, `compare-${layer}`, format, await comparisonSheet(value, { layer, objects }));
    },

    async contrast({ file_format: format, layer = "mask", ...values }) {
      const { facts, state, order } = await sides(values);
      const record = contrastRecord(await contrastFor(pairs, facts, state, order), facts.model);
      const value = await whyValue(pairs, facts, state, order);
      const contents = { png: () => contrastSheet(value, { layer }), json: () => record, csv: () => contrastRows(record, value) };
      return saved(record.model, `${record.left.photo} ${record.right.photo}`, "why", format, await contents[format]());
    },
  };
}

// A packed record with plain lists of numbers, as `plain` in demo/record/packing.py writes it.
function plain(value) {
  if (value && Array.isArray(value.shape) && value.values) return nested(Array.from(value.values), value.shape);
  if (Array.isArray(value)) return value.map(plain);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "region").map(([name, part]) => [name, plain(part)]));
}

/** @type {(values: any[], shape: number[]) => any[]} */
function nested(values, [count, ...rest]) {
  if (!rest.length) return values;
  const size = values.length / count;
  return Array.from({ length: count }, (_, row) => nested(values.slice(row * size, (row + 1) * size), rest));
}

function contrastRows({ left, right }, { rows, rest, sum: sums }) {
  const number = (value) => (value === null ? "" : rounded(value, 6));
  const about = [left.photo, right.photo, left.caption, right.caption];
  const row = (name, kind, part) => [name, kind, number(part.left), number(part.right), number(part.difference), ...about];
  return [
    ["part", "kind", "left", "right", "difference", "left_photo", "right_photo", "left_caption", "right_caption"],
    ...rows.map((part) => row(part.word, "word", part)),
    ...rest.map((part) => row(part.title, "rest", part)),
    row(say("why.sum"), "sum", { left: sums[0], right: sums[1], difference: sums[2] }),
  ];
}
