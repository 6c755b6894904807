// Two to six captions over one photo, side by side: one layer, one colour scale, one marked patch for all.

import { extremes } from "../base/arrays.js";
import { onPhotos, resize } from "../base/canvas.js";
import { button, describedBy, h, press, table } from "../base/dom.js";
import { mounting } from "../base/mount.js";
import { fixed, short, shownNumber } from "../base/numbers.js";
import { layerName, listed, say, sayNodes } from "../base/words.js";
import { drawLayer } from "../picture/layer.js";
import { modelName, credit, layerLegend } from "../picture/legend.js";
import { drawObjects, objectsToggle } from "../picture/objects.js";
import { overPatches } from "../picture/patches.js";
import { decode, describe, hasLayer, isMask, keptCount, layerNames, layerValues, parseLayer, placeOf } from "../record/record.js";

const NARROWEST = 200; // CSS pixels, the least width of a picture where two stand side by side
const CAPTION = 270; // CSS pixels, the width that a caption and its score would like
const GAP = 16; // CSS pixels between pictures
const WORDS = 96; // CSS pixels, what a row's captions and scores take of the height

export const letter = (index) => String.fromCharCode(65 + index);

// How much the kept sets overlap: a row and a column for each caption.
function matrix(overlap) {
  const cell = (value) =>
    h("td", { "data-value": value, style: { "--share": `${Math.round(40 * value)}%` } }, `${fixed(100 * value, 0)}%`);
  const rows = overlap.map((row, index) => [{}, letter(index), ...row.map(cell)]);
  const shares = table({ class: "seps-overlap" }, [null, ...overlap.map((_, index) => letter(index))], rows);
  shares.prepend(h("caption", {}, say("term.overlap")));
  return shares;
}

// From the lowest to the highest value of a layer (text form) in all records; null for the mask.
export function sharedRange(records, text) {
  const layer = parseLayer(text);
  return isMask(layer) ? null : extremes(records.flatMap((record) => layerValues(record, layer).range));
}

function build(root, value, trigger) {
  const items = value.items.map((item) => ({ ...item, record: decode(item.record), objects: item.objects ?? [] }));
  const first = items[0].record;
  const has = (name) => hasLayer(first, parseLayer(name));
  const available = layerNames((row) => row.compared && (row.measured || has(row.name)));
  let measuring = null; // the layer that Python is asked for
  const state = {
    layer: available.includes(value.layer) && has(value.layer) ? value.layer : "mask",
    patch: null,
    objects: Boolean(value.unit && value.outlined), // whether a scene's true objects are outlined
  };
  const settings = () => ({ layer: state.layer, objects: state.objects });
  let photo = null;

  const buttons = available.map((name) => button({ "data-layer": name, click: () => {
    measuring = has(name) ? null : name;
    if (!measuring) state.layer = name;
    update();
    trigger(measuring ? "measure" : "layer", { ...settings(), layer: name });
  } }, layerName(name)));
  const why = value.why !== false && button({ class: "seps-why-ask", click: () => trigger("why", {}) }, say("why.ask"));
  const legendPlace = h("div", { class: "seps-legend-place" });
  const canvases = items.map(() => h("canvas", { role: "application", tabindex: "0" }));
  const figures = items.map(({ caption, similarity, record }, index) => h("figure", { "data-item": letter(index) },
    h("figcaption", {}, h("b", {}, letter(index)), h("span", {}, caption)),
    canvases[index],
    h("p", {},
      h("span", { class: "seps-count" }, keptCount(record)),
      h("span", {}, ...sayNodes("reading.score", { score: shownNumber(similarity, { "data-similarity": similarity }) })))));
  const pictures = h("div", { class: "seps-pictures" }, ...figures);
  const reading = h("div", { class: "seps-reading", role: "status", "aria-live": "polite" });
  const shared = h("p", { class: "seps-shared" }, value.shared ?? "");
  canvases.forEach((canvas, index) => describedBy(canvas, figures[index].lastChild, shared));
  const overlaps = matrix(value.overlap);
  const foot = h("div", { class: "seps-foot" },
    overlaps, h("div", { class: "seps-foot-side" }, why, credit(value.photo), modelName(value.model)));
  root.append(
    h("div", { class: "seps-settings" },
      h("div", { class: "seps-names", role: "group", "aria-label": say("group.layer") }, ...buttons),
      legendPlace,
      value.unit && objectsToggle(state.objects, (on) => {
        state.objects = on;
        update();
        trigger("layer", settings());
      }),
    ),
    h("div", { class: "seps-body" }, h("div", { class: "seps-main" }, shared, pictures, reading), foot),
  );
  const mark = (patch) => {
    state.patch = patch;
    update();
  };
  canvases.forEach((canvas) => overPatches(canvas, first.grid, () => state.patch, mark));
  root.onkeydown = ({ key }) => key === "Escape" && mark(null);

  // Kept or dropped, or the value, of the marked patch in every picture.
  function reads() {
    if (measuring) return say("button.measuring_layer", { name: layerName(measuring) });
    if (state.patch === null) return say("patch.hint");
    const layer = parseLayer(state.layer);
    const sentences = items.map(({ record }, index) => {
      const fate = say(record.branches[0].kept[state.patch] ? "mask.kept" : "mask.dropped");
      if (isMask(layer)) return say("patch.compared_mask", { letter: letter(index), fate });
      const value = short(layerValues(record, layer).values[state.patch]);
      return say("patch.compared_value", { letter: letter(index), fate, value });
    });
    const place = say("patch.place", placeOf(first, state.patch));
    return say("patch.compared", { place, found: listed(sentences, "clause") });
  }

  function update() {
    press(buttons, (element) => element.dataset.layer === state.layer);
    const range = sharedRange(items.map(({ record }) => record), state.layer);
    const layer = parseLayer(state.layer);
    legendPlace.replaceChildren(layerLegend(first, layer, { opacity: value.opacity ?? 0.75, range }));
    reading.replaceChildren(h("p", {}, reads()));
    items.forEach(({ caption, record, objects }, index) => {
      const words = describe(record, state.layer);
      canvases[index].setAttribute("aria-label", `${letter(index)}, "${caption}": ${words}. ${say("hint.patches")}`);
      if (!photo) return;
      const options = { opacity: value.opacity ?? 0.75, lines: value.lines ?? true, range, patch: state.patch };
      drawLayer(canvases[index], photo, record, state.layer, options);
      if (state.objects) drawObjects(canvases[index], { unit: value.unit, objects });
    });
  }

  // As many columns as make the pictures largest; one on a phone. The overlaps are next to the pictures if there is room.
  function fit(width) {
    const tallest = parseFloat(getComputedStyle(canvases[0]).maxHeight);
    const aspect = photo.naturalHeight / photo.naturalWidth;
    const wide = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
    const size = (columns) => {
      const rows = wide === 1 ? 1 : Math.ceil(items.length / columns);
      return Math.min((width - GAP * (columns - 1)) / columns, (tallest - WORDS * (rows - 1)) / rows / aspect);
    };
    let columns = 1;
    for (let more = 2; more <= Math.min(wide, items.length); more += 1) {
      if (size(more) > size(columns)) columns = more;
    }
    const column = Math.max(size(columns), CAPTION);
    const rest = width - columns * column - (columns - 1) * GAP;
    root.classList.toggle("seps-narrow", wide === 1);
    root.classList.toggle("seps-beside", rest >= overlaps.offsetWidth + 3 * GAP);
    pictures.style.gap = `${GAP}px`;
    pictures.style.gridTemplateColumns = `repeat(${columns}, minmax(0, ${column}px))`;
    for (const canvas of canvases) resize(canvas, size(columns), size(columns) * aspect);
    update();
  }

  update();
  return onPhotos(root, [value.photo], ([image]) => { photo = image; }, fit);
}

// trigger("layer", {layer, objects}), trigger("measure", {the same}) to measure a layer, trigger("why", {}) for the pair.
export const mount = mounting("seps-compare", build, say("hint.no_comparison"));
