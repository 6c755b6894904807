// The playground's tables: the similarities of a batch with its violations, and captions that no class list foresaw.

import { extremes } from "../base/arrays.js";
import { button, h, table } from "../base/dom.js";
import { roving } from "../base/focus.js";
import { fixed } from "../base/numbers.js";
import { listed, say, sayNodes } from "../base/words.js";

// Arrows: along the row (other captions of the photo), along the column (other photos of the caption).
function arrows(value, row, column) {
  return [["to_captions", "counted_captions", "→", "row"], ["to_images", "counted_images", "↓", "column"]]
    .filter(([amounts]) => value[amounts][row][column] > 0)
    .map(([amounts, counted, sign, way]) =>
      ({ sign, way, amount: value[amounts][row][column], counted: value[counted][row][column] }));
}

// Photos by captions; `choose` is given a pair [row, column].
export function similarityTable(value, choose) {
  const [low, high] = extremes(value.similarity.flat());
  const cell = (similarity, row, column) => {
    const beaten = arrows(value, row, column);
    const signs = beaten.map(({ sign, counted }) => h("i", { class: counted ? "seps-counted" : "seps-uncounted" }, sign));
    const click = () => choose([row, column]);
    const pointerenter = (event) => event.pointerType === "mouse" && click();
    const inside = button({ click, pointerenter, focus: click },
      h("span", {}, fixed(similarity, 2)), h("span", { class: "seps-arrows", "aria-hidden": "true" }, ...signs));
    return h("td", {
      "data-row": row, "data-column": column, "data-similarity": similarity,
      class: row === column ? "seps-true" : value.excluded[row][column] ? "seps-masked" : null,
      style: { "--share": `${Math.round((45 * (similarity - low)) / (high - low || 1))}%` },
    }, inside);
  };
  const head = value.captions.map(({ text }, index) => h("th", { scope: "col", title: text }, String(index + 1)));
  const rows = value.similarity.map((row, index) => {
    const { thumb, title } = value.photos[index];
    const name = h("span", {}, String(index + 1), h("img", { src: thumb, alt: "" }), h("em", {}, title));
    return [{}, name, ...row.map((similarity, column) => cell(similarity, index, column))];
  });
  const similarities = table({ "aria-label": say("loss.matrix") }, [null, ...head], rows);
  roving(similarities, "td button", value.captions.length);
  return h("div", { class: "seps-matrix-scroll" }, similarities);
}

export function matrixKey() {
  const entry = (node, text) => h("span", {}, node, text);
  return h("p", { class: "seps-matrix-key" },
    entry(h("b", { class: "seps-true" }), say("loss.true")),
    entry(h("b", { class: "seps-masked" }), say("loss.masked")),
    entry(h("i", { class: "seps-counted" }, "→ ↓"), say("loss.counted")),
    entry(h("i", { class: "seps-uncounted" }, "→ ↓"), say("loss.uncounted")),
  );
}

export function pairLines(value, row, column) {
  const first = say("loss.pair", { row: row + 1, column: column + 1, similarity: value.similarity[row][column] });
  if (row === column) return [first, say("loss.pair_true")];
  if (value.excluded[row][column]) return [first, say("loss.pair_masked")];
  const beaten = arrows(value, row, column);
  if (!beaten.length) return [first, say("loss.pair_beaten")];
  return [first, ...beaten.map(({ way, amount, counted }) => say(counted ? `loss.${way}` : `loss.${way}_uncounted`, { amount }))];
}

export function unforeseenCards({ classes, class_list: list, examples }) {
  const cards = examples.map(({ subject, named_by: names, ...example }) =>
    h("figure", { "data-subject": subject, "data-rank": example.rank },
      h("img", { src: example.thumb, alt: example.title }),
      h("figcaption", {},
        h("p", { class: "seps-quote" }, `“${example.caption}”`),
        h("p", {}, say(names.length ? "loss.named" : "loss.unnamed", { subject, names: listed(names) })),
        h("p", {}, ...sayNodes("loss.its_rank", { ...example, rank: h("b", {}, say("loss.rank", example)) })))));
  const named = examples.some((example) => example.named_by.length);
  const sentence = say(named ? "loss.class_list" : "loss.class_list_none", { list, classes });
  return [h("p", {}, sentence), h("div", { class: "seps-cards" }, ...cards)];
}
