// The view Photos without a server: a caption ranks a gallery, and the best picture opens with what the caption kept. As
// demo/screens/photos/view.py answers the triggers in the app.

import { fixed } from "../base/numbers.js";
import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { fromHighest } from "../engine/numbers.js";
import { chips, ranking } from "../lists/lists.js";
import { linked } from "../page/address.js";
import { missedSentence } from "../record/unfound.js";
import { mount as viewer } from "../viewer/viewer.js";
import { component, latest } from "./component.js";
import { UPLOADS } from "./engine.js";
import { csv, fileName, plainRecord, png, save } from "./files.js";
import { noteOf } from "./language.js";
import { PLAIN, galleryOf, stateOf } from "./link.js";
import { MOST, openPicture } from "./own.js";
import { maskOf, measureOf } from "./pair.js";

const RANKED = 24; // pictures of a ranking that are shown
const PAUSE = 150; // milliseconds without a key until what is typed is ranked
const MEGABYTE = 1e6;

const place = (id) => document.getElementById(id);

// site: from the page; engine, pairs: what computes; line: the message line, {tell, problem}.
export function photosView(site, engine, pairs, line) {
  const [first] = site.galleries;
  const box = place("caption").querySelector("textarea");
  const shown = component(place("viewer"), linked(viewer), null, answerViewer);
  const ranked = component(place("ranking"), ranking, null, answerRanking);
  const offered = component(place("examples"), chips, null, (_event, { caption }) => ask(caption));
  const answer = latest(put, line.problem);
  let state = { ...PLAIN, gallery: first.name, index: 0, caption: "" };
  let typing = 0;

  // Show what was computed: each part that is there.
  function put({ state: next, ranking: list, viewer: picture, caption, examples, problem = "", note = "" }) {
    if (next) state = next;
    if (examples) offered.show({ items: examples });
    if (caption !== undefined) box.value = caption;
    if (list) ranked.show(list);
    if (picture) shown.show(picture);
    choose(state.gallery);
    if (problem) line.problem(problem);
    else line.tell(note);
  }

  // Rank a gallery and open its best picture, or the one at an index.
  async function rankAndShow(name, typed, { index = null, ...drawn } = {}) {
    const facts = await engine.open(name);
    const started = performance.now();
    const { caption, note } = await readCaption(facts, typed);
    const scores = await pairs.scores(facts, caption);
    const order = fromHighest(scores);
    const milliseconds = performance.now() - started;
    const next = of({ ...state, ...drawn }, name, index ?? order[0], caption, drawn);
    const [best, picture] = [await pairs.explained(facts, order[0], caption), await pairs.viewerValue(facts, next)];
    return { state: next, note, viewer: picture, ranking: {
      note: say(order.length > RANKED ? "list.ranked_best" : "list.ranked", {
        total: order.length, noun: facts.noun, milliseconds, count: RANKED,
      }),
      selected: next.index,
      lists: [{ title: "", items: order.slice(0, RANKED).map((index, rank) => ({
        index, rank: rank + 1, title: facts.items[index].photo.title, thumb: facts.items[index].thumb, score: scores[index],
      })) }],
      missed: missedSentence(best.record, facts.language.found),
    } };
  }

  // The caption as read, and what of it the model does not read; throws where it cannot be read.
  async function readCaption(facts, typed) {
    const caption = typed.replaceAll("\0", " ").split(/\s+/).filter(Boolean).join(" ");
    if (!caption) throw new Error(say("static.empty"));
    const { max_characters: limit } = facts.language;
    if (caption.length > limit) throw new Error(say("static.long", { count: caption.length, limit }));
    const read = await pairs.read(facts, caption);
    return { caption, note: noteOf(caption, read, facts.language.common) };
  }

  const ask = (caption) => answer(async () => ({ caption, ...await rankAndShow(state.gallery, caption) }));

  function answerViewer(event, detail) {
    if (event === "export") return takeAway(detail);
    const { layer, opacity, lines, objects, mask = "", budget = 0 } = detail;
    state = { ...state, layer, opacity, lines, objects, mask, budget };
    if (event !== "measure") return null;
    return answer(async () => {
      const facts = await engine.open(state.gallery);
      return { viewer: await pairs.viewerValue(facts, state) };
    });
  }

  function answerRanking(event, { index }) {
    if (event === "export") return takeRanking();
    return answer(async () => {
      const facts = await engine.open(state.gallery);
      const next = of(state, state.gallery, index, state.caption);
      return { state: next, viewer: await pairs.viewerValue(facts, next) };
    });
  }

  async function takeAway({ format, layer, opacity, lines }) {
    const value = shown.value;
    const facts = await engine.open(state.gallery);
    const { index, caption } = state;
    const mask = maskOf(state, facts.manifest.grid[0] * facts.manifest.grid[1]);
    const { record, packed } = await pairs.explained(facts, index, caption, mask, measureOf(layer));
    const name = fileName(value.model, value.photo.title, layer, format);
    if (format === "png") save(name, "image/png", await png(record, value, { layer, opacity, lines }));
    else {
      const description = packed.measures ? { ...site.description, measures: site.measures } : site.description;
      const numbers = {
        model: value.model, photo: value.photo.title, caption, dense_caption: null,
        explanation: plainRecord(packed, description),
        ...(mask ? { by_hand: await pairs.decisionNumbers(facts, state, mask) } : {}),
      };
      save(name, "application/json", JSON.stringify(numbers, null, 1));
    }
    line.tell(say("static.saved", { name }));
  }

  async function takeRanking() {
    const facts = await engine.open(state.gallery);
    const scores = await pairs.scores(facts, state.caption);
    const rows = fromHighest(scores).map((index, rank) => [
      rank + 1, facts.items[index].key, facts.items[index].photo.title, Number(fixed(scores[index], 6)), state.caption,
    ]);
    const name = fileName(facts.model, facts.name, "ranking", "csv");
    save(name, "text/csv", csv([["rank", "photo", "title", "score", "caption"], ...rows]));
    line.tell(say("static.saved", { name }));
  }

  // The choice of galleries: each with what it takes to fetch.
  const radios = site.galleries.map(({ name, title, bytes }) => choice(name, say("static.gallery", {
    title, megabytes: (bytes + site.engine_bytes) / MEGABYTE,
  })));
  place("gallery").append(...radios);

  function choice(name, label) {
    const input = h("input", { type: "radio", name: "gallery", value: name, change: () => change(name) });
    return h("label", {}, input, ` ${label}`);
  }

  function choose(name) {
    for (const input of place("gallery").querySelectorAll("input")) input.checked = input.value === name;
  }

  // Another gallery: its worked example at once, then its model.
  function change(name) {
    const example = site.galleries.find((gallery) => gallery.name === name)?.first;
    if (!example) return answer(async () => rankAndShow(name, state.caption));
    show(name, example);
    return ready(name);
  }

  function show(name, { captions, ranking: list, viewer: picture }) {
    const next = { ...PLAIN, gallery: name, index: list.selected, caption: captions[0] };
    put({ state: next, ranking: list, viewer: { ...picture, formats: ["PNG", "JSON"] }, caption: captions[0], examples: captions });
  }

  // Fetch a gallery's model; what was wrong is told.
  async function ready(name) {
    try {
      await engine.open(name);
    } catch (error) {
      line.problem(error.message);
    }
  }

  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => answer(() => rankAndShow(state.gallery, box.value)), PAUSE);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    clearTimeout(typing);
    answer(() => rankAndShow(state.gallery, box.value));
  });

  place("uploads").addEventListener("change", ({ currentTarget: input }) => {
    const files = [.../** @type {HTMLInputElement} */ (input).files];
    if (files.length) answer(() => openOwn(files));
  });

  async function openOwn(files) {
    if (files.length > MOST) throw new Error(say("static.many", { count: files.length, limit: MOST }));
    const model = site.galleries.find((gallery) => gallery.model === "photos")?.model ?? first.model;
    const base = site.galleries.find((gallery) => gallery.model === model);
    const pictures = await Promise.all(files.map(openPicture));
    const facts = await engine.take(model, named(pictures));
    pairs.forget(UPLOADS);
    if (!place("gallery").querySelector(`[value="${UPLOADS}"]`)) place("gallery").append(choice(UPLOADS, facts.title));
    const isSame = site.galleries.find(({ name }) => name === state.gallery)?.model === model || state.gallery === UPLOADS;
    const caption = isSame ? state.caption : base.first.captions[0];
    return { caption, examples: base.first.captions, ...await rankAndShow(UPLOADS, caption) };
  }

  // What an address leads to.
  async function open(search) {
    const query = new URLSearchParams(search);
    const { name, problem } = galleryOf(query, site);
    const { first: example } = site.galleries.find((gallery) => gallery.name === name);
    if (problem || !query.get("caption")) {
      show(name, example);
      await ready(name);
      if (problem) line.problem(problem);
      return null;
    }
    offered.show({ items: example.captions });
    box.value = query.get("caption");
    choose(name);
    shown.show({ waiting: say("hint.computing") });
    return answer(async () => {
      const { problem: wrong, caption, ...drawn } = stateOf(query, await engine.open(name));
      return { caption, ...await rankAndShow(name, caption, drawn), ...(wrong ? { problem: wrong } : {}) };
    });
  }

  return { open };
}

// The state of another pair, drawn the same way: a word, a token or a decision of one pair is not that of another.
function of(state, gallery, index, caption, drawn = {}) {
  const isSame = state.gallery === gallery && state.index === index && state.caption === caption;
  const isOfPair = /:\d/.test(state.layer);
  const layer = "layer" in drawn || isSame || !isOfPair ? state.layer : "mask";
  const decided = isSame || "mask" in drawn ? { mask: state.mask, budget: state.budget } : { mask: "", budget: state.budget };
  return { ...state, gallery, index, caption, layer, ...decided };
}

// Pictures under names of their own.
function named(pictures) {
  const times = new Map();
  return pictures.map((picture) => {
    const count = (times.get(picture.name) ?? 0) + 1;
    times.set(picture.name, count);
    return count === 1 ? picture : { ...picture, name: `${picture.name} (${count})` };
  });
}
