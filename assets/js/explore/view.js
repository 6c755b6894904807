// Explore: one photo under one caption, with the ranking below it.

import { sum } from "../base/arrays.js";
import { button, h, press } from "../base/dom.js";
import { say, symbols } from "../base/words.js";
import { credit, layerLegend } from "../picture/legend.js";
import { classLine, describe, hasLayer, layerText, measuredLine, parseLayer, patchLines, isByWord } from "../record/record.js";
import { downloadMenu } from "../shell/download.js";
import { maskText } from "../viewer/masks.js";
import { otherMasks } from "../viewer/others.js";
import { askBox } from "./ask.js";
import { keepSlider, maskAt } from "./keep.js";
import { largeGallery } from "./large.js";
import { isMeasured, layerSwitch } from "./layers.js";
import { cameraLens } from "../video/camera.js";
import { makeLook } from "./look.js";
import { looksOf, pictureLooks } from "./looks.js";
import { paintTools } from "./paint.js";
import { player } from "./play/play.js";
import { scorePanel } from "./score.js";
import { captionPool, sourceRow, takeAnywhere } from "./sources.js";
import { makeStage } from "./stage.js";
import { rankingStrip } from "./strip.js";
import { videoTimeline } from "../video/timeline.js";
import { firstWord, wordRow } from "./words.js";

export function build(app) {
  const { engine, state, line, site, announce } = app;
  const look = makeLook(app, { picture, ranking: showRanking, opened: showGallery,
    waiting: (isWaiting) => element.setAttribute("aria-busy", String(isWaiting)) });
  let preview = null; // the word under the pointer
  let elsewhere = null; // the masks of other captions
  let offeredNow = "";
  let listed = []; // captions that are ranked
  let tried = null; // the decision that is drawn while its numbers are not there yet

  const ask = askBox({
    typed: (caption) => isThere(caption) && state.set({ caption, mask: "" }),
    asked: (caption) => isThere(caption) && look.best({ caption, mask: "" }),
    denseTyped: (dense) => state.set({ dense, mask: "" }),
  });
  const stage = makeStage({ grid: () => look.record.grid, choose: () => read(), over: () => paint.over() });
  const paint = paintTools({
    canvas: stage.canvas,
    grid: () => look.record.grid,
    patch: () => stage.patch,
    changed: painted,
    redraw: () => draw(),
  });
  const play = player({
    stage: stage.element,
    picture: () => look.record && stage.image && { image: stage.image, record: drawn() },
    learn: (step) => state.set({ view: "learn", part: "", step: String(step) }, { push: true }),
  });
  const words = wordRow({ choose: (word) => state.set({ layer: word === null ? "mask" : `fit:${word}` }), preview: (word) => {
    preview = word;
    draw();
  } });
  const layers = layerSwitch({ choose: (layer) => state.set({ layer }), firstWord: () => firstWord(look.record) });
  const keep = keepSlider({
    moved: (percent) => {
      if (!look.record) return;
      tried = percent === null ? null : maskAt(look.record.branches[0].rank, percent);
      draw();
      if (tried) score.pending(sum(tried), tried.length);
    },
    settled: (percent) => state.set({ ratio: percent === null ? "" : String(percent), mask: "" }),
  });
  const score = scorePanel();
  const strip = rankingStrip({
    choose: (index) => state.set({ photo: look.keyOf(index), mask: "" }, { push: true }),
    chooseCaption: (caption) => state.set({ caption, mask: "" }),
  });
  const large = largeGallery({ engine, search: look.search });
  const pool = captionPool({ changed: (changes) => state.set(changes) });
  const video = videoTimeline({
    choose: (index, isNew) => state.set({ photo: look.keyOf(index), mask: "" }, { push: isNew }),
    second: (other) => state.set({ other }),
    compare: () => state.set({ view: "compare", part: "", captions: [state.get().caption, state.get().other].join("\n") }, { push: true }),
  });
  const looks = pictureLooks({
    changed: (changes) => {
      state.set(changes);
      draw();
    },
    branch: (branch) => state.set({ layer: layerText({ ...parseLayer(shownLayer()), branch }) }),
  });
  const download = downloadMenu(app, explorerFiles({ look, state, layer: () => shownLayer(), film: () => video.formats }));
  const others = h("div", { class: "others" });
  const rankings = h("div", { class: "switch modes rankings", role: "group", "aria-label": say("explore.ranking"), hidden: true });
  const lens = cameraLens({
    engine,
    caption: () => state.get().caption,
    gallery: () => look.facts?.name ?? "",
    frozen: (freeze) => look.take(freeze, null),
  });
  const sources = sourceRow({
    lacks: engine.lacks,
    gallery: (gallery) => look.best({ gallery, photo: "", mask: "" }, true),
    photos: (files) => look.take(engine.takePhotos, files),
    video: (file) => look.take(engine.takeVideo, file),
    camera: lens.toggle, failed: line.problem,
  });
  const legend = h("div", { class: "legend" });
  const reading = h("div", { class: "reading", role: "status", "aria-live": "polite" });
  const note = h("p", { class: "note-line" });
  const modes = ["photos", "captions"].map((mode) => button({ "data-mode": mode, click: () => state.set({ mode }) }, say(`explore.mode_${mode}`)));
  const why = button({ class: "quiet", click: compareTwo }, say("explore.why"));
  const title = h("p", { class: "photo-title" });
  const owner = h("p", { class: "owner" });
  const element = h("div", { class: "explore" },
    h("div", { class: "col-main" }, ask.element, words.element, lens.element, stage.element, play.panel, keep.element, paint.tools, video.element),
    h("aside", { class: "col-side", "aria-label": say("explore.score") }, title, score.element, layers.element, looks.branches, legend, reading,
      h("div", { class: "actions" }, play.open, paint.toggle, download), note, looks.element, others, ask.fold, owner),
    h("section", { class: "col-strip", "aria-label": say("explore.ranking") },
      sources.element, h("div", { class: "switch modes", role: "group", "aria-label": say("explore.mode") }, ...modes),
      pool.element, large.head, large.says, rankings, strip.element, h("div", { class: "actions" }, why), large.foot),
  );
  let ending = null;

  // Whether there is a caption; what is shown for the one before stays.
  function isThere(caption) {
    line.problem(caption.trim() ? "" : say("explore.empty"));
    return Boolean(caption.trim());
  }

  // The record as it is drawn: with the decision that is tried, or the mask of another caption.
  function drawn() {
    const { record } = look;
    if (elsewhere?.says) return elsewhere.masked(record);
    const kept = tried ?? (state.get().ratio ? null : paint.kept);
    if (!kept) return record;
    const [first, ...rest] = record.branches;
    return { ...record, branches: [{ ...first, kept }, ...rest] };
  }

  // The decision by hand is another one: drawn at once, its numbers follow.
  function painted(mask, budget) {
    tried = null;
    if (mask || paint.isEmpty) score.pending(sum(paint.kept ?? []), look.record.branches[0].kept.length, paint.isEmpty);
    const isOwn = !mask && !budget && !state.get().mask && !state.get().budget && !state.get().ratio;
    state.set({ mask, budget: budget ? String(budget) : "", ratio: "", layer: "mask" });
    if (isOwn) picture(); // back to the model's decision, which needs no new computation
    else draw();
  }

  const shownLayer = () => {
    const { layer } = state.get();
    const asked = preview === null ? layer : `fit:${preview}`;
    return hasLayer(look.record, parseLayer(asked)) ? asked : "mask";
  };

  function draw() {
    const { record, value } = look;
    if (!record) return;
    const layer = shownLayer();
    const parsed = parseLayer(layer);
    const drawing = looksOf(state.get());
    stage.show({ photo: value.photo, record: drawn(), layer, scene: value.scene, ...drawing });
    legend.replaceChildren(layerLegend(record, parsed, { opacity: drawing.opacity, range: null }));
    looks.show(state.get(), record, parsed, value.scene);
    stage.canvas.setAttribute("aria-label", `${value.photo.title}. ${describe(record, layer)}. ${say("hint.patches")}`);
    const word = isByWord(parsed) || ["word", "fit"].includes(parsed.name) ? parsed.number : null;
    words.show(record, preview === null ? word : null);
    layers.show(record, state.get().layer);
    read();
  }

  // What is said of the layer, or of the patch that is pointed at.
  function read() {
    const { record } = look;
    const layer = shownLayer();
    const parsed = parseLayer(layer);
    if (elsewhere?.says) return reading.replaceChildren(h("p", {}, elsewhere.says));
    const ofLayer = () => (parsed.name === "word" ? [record.says.words[parsed.number]] : [describe(record, layer)]);
    const ofPatch = (patch) => (isMeasured(layer) ? [measuredLine(record, parsed, patch)] : patchLines(record, patch));
    const lines = stage.patch !== null ? ofPatch(stage.patch) : layer === "mask" ? [] : ofLayer(); // of the mask, the numbers say it
    if (parsed.name === "class" && stage.patch !== null) lines.unshift(classLine(record, stage.patch));
    reading.replaceChildren(...lines.map((text) => h("p", {}, ...symbols(text))));
    return undefined;
  }

  // What the mask would be for other things in the photo.
  function offerOthers({ others: rows = [], mask, budget }) {
    const offered = mask || budget || state.get().ratio ? [] : rows;
    const now = JSON.stringify(offered);
    if (now === offeredNow) return;
    offeredNow = now;
    elsewhere = otherMasks(offered, () => {
      if (parseLayer(shownLayer()).name !== "mask") state.set({ layer: "mask" });
      draw();
    });
    others.replaceChildren(...(elsewhere.isEmpty ? [] : [elsewhere.element]));
  }

  // A new record, or the same under another decision.
  function picture() {
    const { record, value, rank } = look;
    const { ratio, mask } = state.get();
    if (!mask || !ratio || look.isTried) tried = null;
    title.textContent = value.photo.title;
    owner.replaceChildren(credit({ ...value.photo, title: "" }));
    paint.show(ratio ? { ...value, mask: "", budget: 0 } : value); // the slider's decision is not one by hand
    offerOthers(value);
    video.mark(look.index);
    if (paint.isEmpty) score.pending(0, record.branches[0].kept.length, true);
    else score.show(record, { ...rank, before: look.before });
    const fixed = state.get().dense ? say("explore.keep_dense") : "";
    const painted = !ratio && (mask || state.get().budget) ? say("explore.keep_painted") : "";
    keep.show(ratio ? Number(ratio) : null, look.facts?.keep_ratio ?? 0.5, { fixed, painted });
    strip.mark(state.get().mode === "captions" ? state.get().caption : look.index);
    draw();
  }

  function showGallery(facts, galleries, { indexes = false } = {}) {
    sources.show(galleries, facts.name);
    large.open(facts, indexes);
    ask.suggest(facts.chips, state.get().caption);
  }

  function showRanking({ note: text, items, rows, selected, lists, pool: ranked, ...more }) {
    const { mode, ratio } = state.get();
    pool.element.hidden = !rows;
    offerRankings(lists ?? [], items);
    listed = rows?.map(({ caption }) => caption) ?? [];
    large.head.hidden = large.says.hidden = large.foot.hidden = Boolean(rows);
    press(modes, (each) => each.dataset.mode === mode);
    if (rows) {
      pool.show(look.facts.pools, look.noPool, ranked, state.get().typed);
      strip.captions(rows, selected);
    } else {
      large.show({ ...more, listed: items.length });
      video.show(more.timeline ?? null, selected, !ratio);
      strip.photos(items, selected);
    }
    note.textContent = text ?? "";
    if (look.record && !score.waits) score.show(look.record, { ...look.rank, before: look.before });
    announce([say("explore.announce", { title: look.value?.photo.title ?? "" }), ...[...score.element.querySelector(".headline").childNodes].map(({ textContent }) => textContent)].join(" "));
  }

  // With a long description there are two rankings: without it, and with it.
  function offerRankings(lists, shown) {
    rankings.hidden = lists.length < 2;
    rankings.replaceChildren(...lists.map(({ title: name, items }) => button({ "aria-pressed": String(items === shown), click: ({ currentTarget }) => {
      press(rankings.children, (each) => each === currentTarget);
      strip.photos(items, look.index);
    } }, name)));
  }

  // The photo in sight and the one that is best, or next to it, side by side.
  function compareTwo() {
    const { photo, mode, caption } = state.get();
    if (mode === "captions") return compareCaptions(photo, caption);
    const [first, second] = look.order;
    const against = look.index === first ? second : first;
    state.set({ view: "compare", part: "pair", photo, against: look.keyOf(against), other: "" }, { push: true });
    return undefined;
  }

  // The best caption of the photo, and the one in sight, or next to it, side by side.
  function compareCaptions(photo, caption) {
    const [best, ...rest] = [...new Set(listed)];
    const other = rest.includes(caption) ? caption : rest[0];
    if (other) state.set({ view: "compare", part: "pair", photo, caption: best, other, against: "" }, { push: true });
  }

  function show(now, before) {
    ending ??= takeAnywhere(sources.take);
    ask.show(now);
    press(modes, (each) => each.dataset.mode === now.mode);
    look.follow(now, before);
  }

  function hide() {
    play.close();
    ending?.();
    ending = null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.isConnected || event.defaultPrevented) return;
    stage.release();
    elsewhere?.release();
    if (parseLayer(state.get().layer).number !== null) state.set({ layer: "mask" });
  });
  element.addEventListener("keydown", (event) => {
    const isTyped = event.target.closest("textarea, input:not([type=range], [type=checkbox])");
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || isTyped || !paint.isOpen) return;
    event.preventDefault();
    paint.back();
  });
  if (site.example) look.begin(site.example);
  return { element, show, hide };
}

// The files to download in Explore; layer(): the visible one; film(): formats of the video's timeline, if any.
function explorerFiles({ look, state, layer, film }) {
  return () => {
    if (!look.facts || !look.record) return [];
    const now = state.get();
    const pair = { gallery: look.facts.name, index: look.index, caption: now.caption || look.value.caption, dense: now.dense };
    const { name, all } = look.asked;
    const ratio = now.ratio ? Number(now.ratio) / 100 : null;
    const mask = ratio && !now.mask ? maskText(maskAt(look.record.branches[0].rank, Number(now.ratio))) : now.mask;
    const picture = { what: "pair", values: () => ({ ...pair, ...looksOf(now), layer: layer(), mask }) };
    if (now.mode === "captions") {
      return [picture, { what: "captions", label: "ranking", values: () => ({ ...pair, pool: look.pool, typed: now.typed }) }];
    }
    const ranking = { what: "ranking", label: "ranking", values: () => ({ ...pair, mask: now.mask, ratio, name, exhaustive: all && !ratio }) };
    return [picture, ranking, { what: "film", formats: film(), label: "timeline", values: () => ({ ...pair, other: now.other }) }];
  };
}
