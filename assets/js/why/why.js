// Two pictures with each word's share of either similarity between them: its maps on one scale, or the deciding words.

import { floats } from "../base/numbers.js";
import { fitImage, onPhotos } from "../base/canvas.js";
import { button, describedBy, h, press } from "../base/dom.js";
import { fold } from "../base/fold.js";
import { mounting } from "../base/mount.js";
import { say } from "../base/words.js";
import { modelName, credit, layerLegend } from "../picture/legend.js";
import { drawLayer } from "../picture/layer.js";
import { parseLayer } from "../record/record.js";
import { restRows, wordRow } from "./bars.js";
import { drawMarks } from "./marks.js";

const SIDES = ["left", "right"];
const NARROW = 760; // CSS pixels: below, the bars stand under the pictures
const GAP = 16; // CSS pixels between the pictures

function build(root, value, trigger) {
  const { rows, options } = value;
  const sides = value.sides.map((side) => ({ ...side, record: recordOf(side, rows) }));
  const find = (layer) => rows.find(({ number }) => layer === `word:${number}`) ?? null;
  let chosen = find(value.layer);
  let asked = null; // the row below the words with its meaning shown
  let photos = null;

  const canvases = sides.map(() => h("canvas", { role: "img" }));
  const figures = sides.map((side, place) => h("figure", { "data-side": SIDES[place] },
    (value.captions && place) || !options.length ? h("b", { class: "seps-title" }, side.title) : picker(place),
    side.caption ? h("p", { class: "seps-caption" }, side.caption) : null,
    canvases[place],
    h("p", { class: "seps-score" }, side.reads),
    h("figcaption", {}, credit(side.photo)),
  ));

  // The photographs in their order, to choose one of.
  function picker(place) {
    const change = ({ target }) => trigger("choose", { side: SIDES[place], index: Number(target.value) });
    return h("select", { "aria-label": say(place ? "why.choose_right" : "why.choose_left"), change },
      ...options.map(([number, text]) => h("option", { value: number, selected: number === sides[place].index }, text)));
  }

  function choose(row) {
    chosen = row;
    asked = null;
    update();
    trigger("layer", { layer: row ? `word:${row.number}` : "mask" });
  }

  // What a row below the words means, until it is pressed again.
  function explain(name, says) {
    asked = asked?.name === name ? null : { name, says };
    update();
  }

  const words = rows.map((row) => wordRow(row, value.scale, () => choose(chosen === row ? null : row)));
  const overview = button({ class: "seps-overview", click: () => choose(null) }, say("why.overview"));
  const legend = h("div", { class: "seps-legend-place" });
  const reading = h("p", { class: "seps-reading", role: "status", "aria-live": "polite" });
  const [order, numbers, ...others] = value.says;
  const ordered = h("p", { class: "seps-order" }, order);
  canvases.forEach((canvas) => describedBy(canvas, canvas.nextSibling, ordered));
  const below = restRows(value.rest, value.sum, explain);
  const attributions = h("div", { class: "seps-shares" },
    h("div", { class: "seps-why-rows", role: "group", "aria-label": say("group.words") }, ...words),
    h("div", { class: "seps-why-rest" }, ...below), reading);
  root.append(
    ordered,
    h("p", { class: "seps-told" }, others.join(" ")),
    fold(numbers),
    h("div", { class: "seps-settings" }, overview, legend),
    h("div", { class: "seps-why-pair" }, figures[0], attributions, figures[1]),
    h("div", { class: "seps-foot" }, modelName(value.model)),
  );
  root.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    if (asked) explain(asked.name);
    else if (chosen) choose(null);
  };

  function update() {
    press([overview], () => !chosen);
    press(words, (element) => rows[words.indexOf(element)] === chosen);
    press(below, (element) => element.dataset.rest === asked?.name);
    reading.textContent = (asked ?? chosen)?.says ?? say("why.words");
    const layer = chosen ? `word:${chosen.number}` : "photo";
    const range = chosen ? [0, chosen.most] : null;
    legend.replaceChildren(chosen
      ? layerLegend(sides[0].record, parseLayer(layer), { opacity: 0.75, range })
      : h("span", { class: "seps-note" }, say("why.marks")));
    sides.forEach((side, place) => {
      canvases[place].setAttribute("aria-label", chosen ? chosen.shows[place] : side.shows);
      if (!photos) return;
      const has = chosen && chosen[SIDES[place]] !== null; // else its caption has not got the word
      drawLayer(canvases[place], photos[place], side.record, has ? layer : "photo", { range, lines: Boolean(has) });
      if (!chosen) drawMarks(canvases[place], side.grid, side.marks);
    });
  }

  // Both pictures get one width; each keeps its height, up to the style's limit.
  function fit(width) {
    const narrow = width < NARROW;
    root.classList.toggle("seps-narrow", narrow);
    const room = narrow ? (width - GAP) / 2 : figures[0].clientWidth;
    canvases.forEach((canvas, place) => fitImage(canvas, photos[place], room));
    update();
  }

  update();
  return onPhotos(root, value.sides.map(({ photo }) => photo), (images) => { photos = images; }, fit);
}

// What the drawing of layers needs of a record: the grid, what was kept, and the words' maps with their scales.
export function recordOf({ grid, kept, maps }, rows) {
  const layers = Object.fromEntries(rows.map(({ number, word, most }) => [
    `word:${number}`, { label: say("why.weight", { word }), range: [0, most], key: say("mask.cross") },
  ]));
  return {
    grid,
    branches: [{ name: "sparse", kept }],
    alignments: [{ word_maps: maps ? floats(maps) : [] }],
    says: { layers: { ...layers, photo: { label: "", range: [0, 0], key: null } } },
  };
}

// trigger("choose", {side, index}) asks for another photograph, trigger("layer", {layer}) reports the chosen word.
export const mount = mounting("seps-why", build, say("why.nothing"));
