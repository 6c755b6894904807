// Photos without a server: a caption ranks a gallery, and the best picture opens with what the caption kept. As
// demo/screens/photos/view.py answers the triggers in the app.

import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { fromHighest } from "../engine/numbers.js";
import { chips, ranking } from "../lists/lists.js";
import { linked } from "../page/address.js";
import { missedSentence } from "../record/unfound.js";
import { mount as viewer } from "../viewer/viewer.js";
import { UPLOADS } from "./engine.js";
import { csv, fileName, plainRecord, png, save } from "./files.js";
import { answerTyping, galleryChoice } from "./inputs.js";
import { readCaption } from "./language.js";
import { PLAIN, galleryOf, stateOf } from "./link.js";
import { MOST, openPicture } from "./own.js";
import { maskOf, measureOf } from "./pair.js";
import { makeView } from "./view.js";

const RANKED = 24; // pictures of a ranking that are shown

const place = (id) => document.getElementById(id);

// site: from the page; engine, pairs: what computes; line: the view's message line.
export function photosView({ site, engine, pairs, line }) {
  const [first] = site.galleries;
  const box = place("caption").querySelector("textarea");
  const galleries = galleryChoice(place("gallery"), site, change);
  const view = makeView(line, {
    viewer: ["viewer", linked(viewer), { export: takeAway, layer: draw, measure }],
    ranking: ["ranking", ranking, { pick, export: takeRanking }],
    examples: ["examples", chips, { pick: ({ caption }) => ask(caption) }],
  }, put);
  let state = { ...PLAIN, gallery: first.name, index: 0, caption: "" };

  function put({ state: next, caption }) {
    if (next) state = next;
    if (caption !== undefined) box.value = caption;
    galleries.choose(state.gallery);
  }

  // Rank a gallery and open its best picture, or the one at an index.
  async function rankAndShow(name, typed, { index = null, ...drawn } = {}) {
    const facts = await engine.open(name);
    const started = performance.now();
    const { caption, note } = await readCaption(pairs, facts, typed);
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

  const ask = (caption) => view.show(async () => ({ caption, ...await rankAndShow(state.gallery, caption) }));

  // A state as the page draws it: its layer and looks, its decision by hand and its game.
  function draw({ layer, opacity, lines, objects, mask = "", budget = 0 }) {
    state = { ...state, layer, opacity, lines, objects, mask, budget };
  }

  function measure(detail) {
    draw(detail);
    return view.show(async () => ({ viewer: await pairs.viewerValue(await engine.open(state.gallery), state) }));
  }

  function pick({ index }) {
    return view.show(async () => {
      const next = of(state, state.gallery, index, state.caption);
      return { state: next, viewer: await pairs.viewerValue(await engine.open(state.gallery), next) };
    });
  }

  async function takeAway({ format, layer, opacity, lines }) {
    const value = view.value("viewer");
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

  // Another gallery: its worked example at once, then its model.
  async function change(name) {
    const example = site.galleries.find((gallery) => gallery.name === name)?.first;
    if (!example) return view.show(async () => rankAndShow(name, state.caption));
    await view.place(exampleOf(name, example));
    return ready(name);
  }

  function exampleOf(name, { captions: [caption, ...others], ranking: list, viewer: picture }) {
    return {
      state: { ...PLAIN, gallery: name, index: list.selected, caption },
      ranking: list,
      viewer: { ...picture, formats: ["PNG", "JSON"] },
      caption,
      examples: { items: [caption, ...others] },
    };
  }

  // Fetch a gallery's model; what was wrong is told.
  async function ready(name) {
    try {
      await engine.open(name);
    } catch (error) {
      line.problem(error.message);
    }
  }

  answerTyping(box, () => view.show(async () => rankAndShow(state.gallery, box.value)));

  place("uploads").addEventListener("change", ({ currentTarget: input }) => {
    const files = [.../** @type {HTMLInputElement} */ (input).files];
    if (files.length) view.show(() => openOwn(files));
  });

  async function openOwn(files) {
    if (files.length > MOST) throw new Error(say("static.many", { count: files.length, limit: MOST }));
    const model = site.galleries.find((gallery) => gallery.model === "photos")?.model ?? first.model;
    const base = site.galleries.find((gallery) => gallery.model === model);
    const pictures = await Promise.all(files.map(openPicture));
    const facts = await engine.take(model, named(pictures));
    pairs.forget(UPLOADS);
    galleries.offer(UPLOADS, facts.title);
    const isSame = site.galleries.find(({ name }) => name === state.gallery)?.model === model || state.gallery === UPLOADS;
    const caption = isSame ? state.caption : base.first.captions[0];
    return { caption, examples: { items: base.first.captions }, ...await rankAndShow(UPLOADS, caption) };
  }

  async function open(query, notice = "") {
    const { name, problem: wrong } = galleryOf(query, site);
    const { first: example } = site.galleries.find((gallery) => gallery.name === name);
    const problem = notice || wrong;
    if (problem || !query.get("caption")) {
      await view.place(exampleOf(name, example));
      await ready(name);
      if (problem) line.problem(problem);
      return;
    }
    await view.place({ caption: query.get("caption"), examples: { items: example.captions }, viewer: { waiting: say("hint.computing") } });
    galleries.choose(name);
    await view.show(async () => {
      const { caption, ...drawn } = stateOf(query, await engine.open(name));
      return { caption, ...await rankAndShow(name, caption, drawn) };
    });
  }

  const again = ({ gallery, index, caption, ...drawn }) =>
    view.show(async () => ({ caption, ...await rankAndShow(gallery, caption, { index, ...drawn }) }));

  return { open, again, state: () => state };
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
