// One photo and one caption, read layer by layer: words, layers, picture, scale, patch, terms.

import { onPhotos, resize } from "../base/canvas.js";
import { button, checkbox, describedBy, h } from "../base/dom.js";
import { mounting } from "../base/mount.js";
import { isPart, layerName, layers as layerTable, meaning, say, symbol, symbols } from "../base/words.js";
import { drawLayer } from "../picture/layer.js";
import { credit, layerLegend, modelName } from "../picture/legend.js";
import { drawObjects, objectsToggle } from "../picture/objects.js";
import { overPatches } from "../picture/patches.js";
import {
  branchOf, classLine, decode, describe, hasLayer, isByWord, isOfWord, layerNames, layerText, measuredLine, parseLayer, patchLines,
} from "../record/record.js";
import { captionButtons, drawMultiples, glossary, termsBar } from "./parts.js";

const NARROW = 560; // CSS pixels
const GAP = 8; // CSS pixels between two pictures of a word

function build(root, value, trigger) {
  const record = decode(value.record);
  const { scene } = value;
  const asked = parseLayer(value.layer ?? "mask");
  const state = {
    layer: hasLayer(record, asked) ? asked : parseLayer("mask"),
    before: parseLayer("mask"), // what unpinning a word returns to
    preview: null, // the word under the pointer or with focus
    patch: null,
    opacity: value.opacity ?? 0.75,
    lines: value.lines ?? true,
    objects: Boolean(scene && value.outlined), // whether a scene's true objects are outlined
    beside: false, // whether where a word fits best stands beside its word map, where the two are apart
  };
  let photo = null;
  let room = [0, 0];

  const looks = () => ({ layer: layerText(state.layer), opacity: state.opacity, lines: state.lines, objects: state.objects });
  // Whether two pictures of a word stand beside each other now.
  const isApart = ({ name, number }) => name === "word" && Boolean(record.says.apart[number]);
  const isPair = () => state.beside && isApart(state.layer);
  // The layer of a word: its map, or its part of the measured layer that is shown.
  const word = (number) => ({ name: isByWord(state.layer) ? state.layer.name : "word", number, branch: "sparse" });
  const shown = () => (state.preview === null ? state.layer : word(state.preview));

  // Show a layer, in the branch chosen before where that branch has it.
  function choose(name, number = null, branch = state.layer.branch) {
    if (name === "word" && state.layer.name !== "word") state.before = state.layer;
    const sides = [branch, "sparse", "dense"].map((side) => ({ name, number, branch: side }));
    state.layer = sides.find((layer) => hasLayer(record, layer));
    update();
  }

  function unpin() {
    state.preview = null;
    if (isByWord(state.layer)) state.layer = { ...state.layer, number: null };
    else if (isOfWord(state.layer)) state.layer = state.before;
    update();
  }

  // Change the state, and draw it.
  function set(changes) {
    Object.assign(state, changes);
    update();
  }

  const caption = captionButtons(record.alignments[0].words, {
    preview: (preview) => set({ preview }),
    pin: (index) => (layerText(state.layer) === layerText(word(index)) ? unpin() : choose(word(index).name, index)),
  });

  const layerButton = (name, label = layerName(name), title = null) =>
    button({ "data-layer": name, title, click: () => choose(name) }, label);
  const partNames = [...new Set(record.branches.flatMap((branch) => Object.keys(branch.parts)))];
  const parts = partNames.map((name) => layerButton(name, symbol(name), meaning(name)));
  // Layers without a number, in the table's order around the parts, the photo last; classes only if the model has them.
  const isPlain = ({ name, number, measured, scale }) =>
    !number && !measured && !isPart(name) && scale !== "none" && (name !== "class" || record.classes);
  const partsAt = layerTable.findIndex(({ name }) => isPart(name));
  const above = layerNames((row, index) => isPlain(row) && index < partsAt);
  const below = layerNames((row, index) => isPlain(row) && index > partsAt);
  const photoAlone = layerNames(({ scale }) => scale === "none");
  const turn = (step, label, sign) => {
    const click = () => choose("token", state.layer.number + step);
    return button({ class: "seps-turn", "aria-label": say(label), click }, sign);
  };
  const count = h("span", {});
  const [previous, next] = [turn(-1, "button.previous_token", "‹"), turn(1, "button.next_token", "›")];
  const pager = h("div", { class: "seps-pager" }, previous, count, next);
  const group = (name, label, ...children) => h("div", { class: `seps-${name}`, role: "group", "aria-label": say(label) }, ...children);
  const branches = record.branches.length < 2 ? [] : ["sparse", "dense", "both"].map((branch) => button(
    { "data-branch": branch, click: () => choose(state.layer.name, state.layer.number, branch) }, say(`branch.${branch}`)));
  const layers = h("div", { class: "seps-layers" },
    branches.length > 0 && group("branches", "group.branch", ...branches),
    group("names", "group.layer", ...above.map((name) => layerButton(name)), h("div", { class: "seps-parts" }, ...parts),
      ...[...below, ...photoAlone].map((name) => layerButton(name))),
    pager,
    scene && objectsToggle(state.objects, (objects) => set({ objects })),
  );

  const canvas = h("canvas", { role: "application", tabindex: "0" });
  const multiples = h("div", { class: "seps-multiples", role: "group", hidden: true });
  const used = h("p", { class: "seps-used", hidden: true }, say("button.used"));
  const fits = h("figure", { class: "seps-fits", hidden: true }, h("figcaption", {}));
  const stage = h("div", { class: "seps-stage" }, canvas, multiples, used, fits);
  const beside = button({ class: "seps-beside", click: () => {
    set({ beside: !state.beside });
    if (photo) fit();
  } }, say("button.beside"));
  const workspace = h("div", { class: "seps-workspace" }, layers, stage);
  const legendPlace = h("div", { class: "seps-legend-place" });
  const slider = h("input", {
    type: "range", min: "0", max: "100", step: "5", value: String(Math.round(100 * state.opacity)),
    input: () => set({ opacity: slider.valueAsNumber / 100 }),
  });
  const lines = checkbox(say("button.grid"), state.lines, (on) => set({ lines: on }), { class: "seps-lines" });
  const reading = h("div", { class: "seps-reading", role: "status", "aria-live": "polite", style: { "--lines": 1 + record.branches.length } });
  const terms = termsBar(record);
  describedBy(canvas, legendPlace, terms.firstChild);
  const download = button({
    "data-format": "png", "aria-label": say("button.download", { format: "PNG" }), click: () => trigger("export", { format: "png", ...looks() }),
  }, "PNG");
  root.append(
    caption.element,
    ...(value.dense_caption ? [h("details", { class: "seps-dense" }, h("summary", {}, value.dense_caption))] : []),
    workspace,
    h("div", { class: "seps-settings" },
      legendPlace, h("label", { class: "seps-opacity" }, say("button.opacity"), slider), lines, beside),
    reading, terms,
    glossary(partNames, record),
    h("div", { class: "seps-foot" }, credit(value.photo), modelName(value.model), group("downloads", "button.downloads", download)),
  );
  if (root.clientWidth) narrowed();

  overPatches(canvas, record.grid, () => state.patch, (patch) => set({ patch }));
  root.onkeydown = ({ key }) => {
    if (key !== "Escape") return;
    state.patch = null;
    unpin();
  };

  function update() {
    const { name, number, branch } = state.layer;
    const layer = shown();
    const text = layerText(layer);
    const ofWord = (layer) => (isOfWord(layer) ? layer.number : null);
    caption.light(ofWord(layer), ofWord(state.layer));
    for (const element of layers.querySelectorAll("[data-layer]")) {
      const layerOfButton = element.dataset.layer;
      const sides = ["sparse", "dense"].map((side) => ({ name: layerOfButton, number: null, branch: side }));
      element.disabled = !sides.some((side) => hasLayer(record, side));
      element.setAttribute("aria-pressed", layerOfButton === name || (layerOfButton === "tokens" && name === "token"));
    }
    for (const element of branches) {
      element.disabled = !hasLayer(record, { name, number, branch: element.dataset.branch });
      element.setAttribute("aria-pressed", element.dataset.branch === branch);
    }
    pager.hidden = name !== "token";
    const last = branchOf(record, state.layer)?.aggregation_weights.length;
    count.textContent = say("button.of", { number, count: last });
    previous.disabled = number === 1;
    next.disabled = number === last;
    legendPlace.replaceChildren(layerLegend(record, layer, { opacity: state.opacity, range: null }));
    reading.replaceChildren(...readings(layer).map((line) => h("p", {}, ...symbols(line))));
    canvas.hidden = layer.name === "tokens";
    multiples.hidden = !canvas.hidden;
    beside.hidden = !isApart(state.layer);
    beside.setAttribute("aria-pressed", state.beside);
    canvas.setAttribute("aria-label", `${describe(record, text)}. ${say("hint.patches")}`);
    draw(layer, text);
  }

  function readings(layer) {
    const patch = state.preview === null ? state.patch : null;
    if (patch !== null && layer.name !== "tokens") {
      const lines = patchLines(record, patch);
      if (isByWord(layer)) return [measuredLine(record, layer, patch), lines[0]];
      return layer.name === "class" ? [classLine(record, patch), lines[0]] : lines;
    }
    if (layer.name !== "word") return [describe(record, layerText(layer))];
    const { words, apart } = record.says;
    return [words[layer.number], scene?.inside[layer.number]?.says, isPair() && apart[layer.number]].filter(Boolean);
  }

  function draw(layer, text) {
    if (!photo || !room[0]) return;
    const { opacity, lines: withLines, patch } = state;
    const pair = isPair();
    if (stage.classList.contains("seps-pair") !== pair) {
      stage.classList.toggle("seps-pair", pair);
      return fit(); // which draws
    }
    for (const element of [used, fits]) element.hidden = !pair;
    if (pair) drawFits(layer.name === "word" ? layer : state.layer);
    const outline = (picture) => state.objects && drawObjects(picture, scene);
    if (layer.name === "tokens") {
      drawMultiples(multiples, photo, record, layer, { opacity, room, outline, choose: (token) => choose("token", token) });
    } else {
      drawLayer(canvas, photo, record, text, { opacity, lines: withLines, patch });
      outline(canvas);
    }
  }

  // Where a word fits best, beside its word map.
  function drawFits({ number, branch }) {
    const text = layerText({ name: "fit", number, branch });
    if (fits.children.length < 2) fits.prepend(h("canvas", { role: "img" }));
    const [picture, range] = fits.children;
    resize(picture, canvas.clientWidth, canvas.clientHeight);
    drawLayer(picture, photo, record, text, { opacity: state.opacity, lines: state.lines, patch: state.patch });
    if (state.objects) drawObjects(picture, scene);
    picture.setAttribute("aria-label", describe(record, text));
    const [low, high] = record.says.layers[text].range;
    range.textContent = say("button.fits_scale", { low, high });
  }

  // Whether there is little room; told to the styles too, before the photo is there as well.
  function narrowed() {
    const narrow = root.clientWidth < NARROW;
    root.classList.toggle("seps-narrow", narrow);
    return narrow;
  }

  // The picture takes the place that the rest leaves of the height, and never more than the width.
  function fit() {
    const narrow = narrowed();
    const limit = parseFloat(getComputedStyle(canvas).maxHeight);
    const rest = root.offsetHeight - workspace.offsetHeight;
    const least = Math.max(240, layers.offsetHeight); // the list beside it takes as much
    const height = Math.min(limit, narrow ? 0.75 * window.innerHeight : Math.max(least, limit - rest));
    room = [stage.clientWidth, height];
    const most = stage.classList.contains("seps-pair") ? (room[0] - GAP) / 2 : room[0];
    const width = Math.min(most, (height * photo.naturalWidth) / photo.naturalHeight);
    resize(canvas, width, (width * photo.naturalHeight) / photo.naturalWidth);
    draw(shown(), layerText(shown()));
  }

  update();
  return onPhotos(root, [value.photo], ([image]) => { photo = image; }, fit);
}

// trigger("export", {format, layer, opacity, lines, objects}) follows a download.
export const mount = mounting("seps-viewer", build, say("hint.no_picture"));
