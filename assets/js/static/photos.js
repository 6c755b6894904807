// Photos without a server: a caption ranks a gallery, and the best picture opens with what the caption kept. As
// demo/screens/photos/view.py answers the triggers in the app.

import { fixed } from "../base/numbers.js";
import { inPageLanguage } from "../base/mount.js";
import { say } from "../base/words.js";
import { fromHighest } from "../engine/numbers.js";
import { chips, ranking } from "../lists/lists.js";
import { linked } from "../page/address.js";
import { afterTyped } from "../page/typed.js";
import { missedSentence } from "../record/unfound.js";
import { mount as viewer } from "../viewer/viewer.js";
import { UPLOADS } from "./engine.js";
import { saveExplanation, saveRanking } from "./files.js";
import { answerTyping, galleryChoice } from "./inputs.js";
import { readCaption, unlikeNote } from "./language.js";
import { PLAIN, galleryOf, stateOf } from "./link.js";
import { MOST, openPicture } from "./own.js";
import { FORMATS, maskOf } from "./pair.js";
import { drawnFor, of } from "./state.js";
import { makeView } from "./view.js";
import { firstTwo } from "./why.js";

const RANKED = 24; // pictures of a ranking that are shown

const place = (id) => document.getElementById(id);

// site: from the page; engine, pairs: what computes; line: the view's message line.
export function photosView({ site, engine, pairs, line, lead }) {
  const [first] = site.galleries;
  const box = place("caption").querySelector("textarea");
  const galleries = galleryChoice(place("gallery"), site, change);
  const view = makeView(line, {
    viewer: ["viewer", linked(viewer), { export: takeAway, layer: draw, measure }],
    ranking: ["ranking", ranking, { pick, export: takeRanking, why }],
    examples: ["examples", chips, { pick: ({ caption }) => ask(caption) }],
  }, put);
  let state = { ...PLAIN, gallery: first.name, index: 0, caption: "" };

  function put({ state: next, caption }) {
    if (next) state = next;
    if (caption !== undefined) box.value = caption;
    galleries.choose(state.gallery);
  }

  // Rank a gallery and open its best picture, or the one at an index; drawn as before, or as `drawn` says.
  async function rankAndShow(name, typed, index = null, drawn = null) {
    const facts = await engine.open(name);
    const started = performance.now();
    const { caption, note: hint } = await readCaption(pairs, facts, typed);
    const scores = await pairs.scores(facts, caption);
    const order = fromHighest(scores);
    const milliseconds = performance.now() - started;
    const note = [hint, await unlikeNote(pairs, facts, caption)].filter(Boolean).join(" ");
    const pair = [name, index ?? order[0], caption];
    const next = drawn ? drawnFor(state, drawn, ...pair) : of(state, ...pair);
    const [best, picture] = [await pairs.explained(facts, order[0], caption), await pairs.viewerValue(facts, next)];
    return { state: next, note, viewer: picture, ranking: {
      note: say(order.length > RANKED ? "list.ranked_best" : "list.ranked", {
        total: order.length, noun: say(`noun.${facts.noun}`), milliseconds, count: RANKED,
      }),
      selected: next.index,
      lists: [{ title: "", items: order.slice(0, RANKED).map((index, rank) => ({
        index, rank: rank + 1, title: facts.items[index].photo.title, thumb: facts.items[index].thumb, score: scores[index],
      })) }],
      missed: missedSentence(best.record, facts.language),
      why: order.length > 1,
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

  function takeAway(detail) {
    return view.aside(async () => {
      const facts = await engine.open(state.gallery);
      const mask = maskOf(state, facts.manifest.grid[0] * facts.manifest.grid[1]);
      const more = mask ? { by_hand: await pairs.decisionNumbers(facts, state, mask) } : {};
      return saveExplanation({ site, pairs }, facts, state, view.value("viewer"), detail, more);
    });
  }

  // The best picture and the one that is shown, the next best where that is the best itself.
  function why() {
    return view.aside(async () => {
      const order = fromHighest(await pairs.scores(await engine.open(state.gallery), state.caption));
      const [index, against] = firstTwo(order, null, state.index === order[0] ? null : state.index);
      await lead({ gallery: state.gallery, index, against, caption: state.caption });
      return "";
    });
  }

  function takeRanking() {
    return view.aside(async () => {
      const facts = await engine.open(state.gallery);
      const scores = await pairs.scores(facts, state.caption);
      const rows = fromHighest(scores).map((index, rank) => [
        rank + 1, facts.items[index].key, facts.items[index].photo.title, Number(fixed(scores[index], 6)), state.caption,
      ]);
      return saveRanking(facts, facts.name, [["rank", "photo", "title", "score", "caption"], ...rows]);
    });
  }

  // Another gallery: its worked example at once, then its model.
  function change(name) {
    return view.show(async () => {
      if (isHere(name)) return example(name);
      return rankAndShow(name, state.caption);
    });
  }

  const isHere = (name) => site.galleries.some((gallery) => gallery.name === name);

  // The worked example of a gallery at once; ends when its model is there.
  async function example(name = first.name) {
    const { captions, ranking: list, viewer: picture } = exampleOf(name);
    const [caption] = captions;
    view.place({
      state: { ...PLAIN, gallery: name, index: list.selected, caption },
      ranking: inPageLanguage(list),
      viewer: { ...picture, formats: FORMATS },
      caption,
      examples: { items: captions },
    });
    await engine.open(name);
    return {};
  }

  const exampleOf = (name) => site.galleries.find((gallery) => gallery.name === name).first;

  answerTyping(box, () => view.show(async () => rankAndShow(state.gallery, box.value)));

  place("uploads").addEventListener("change", ({ currentTarget: input }) => {
    const files = [.../** @type {HTMLInputElement} */ (input).files];
    if (files.length) afterTyped(input, () => view.show(() => openOwn(files)));
  });

  async function openOwn(files) {
    if (files.length > MOST) throw new Error(say("static.many", { count: files.length, limit: MOST }));
    const model = engine.modelOfPhotos;
    const base = site.galleries.find((gallery) => gallery.model === model);
    const pictures = await Promise.all(files.map(openPicture));
    const facts = await engine.take(model, named(pictures));
    pairs.forget(UPLOADS);
    galleries.add(UPLOADS, facts.title);
    const isSame = site.galleries.find(({ name }) => name === state.gallery)?.model === model || state.gallery === UPLOADS;
    const caption = isSame ? state.caption : base.first.captions[0];
    return { caption, examples: { items: base.first.captions }, ...await rankAndShow(UPLOADS, caption) };
  }

  const open = (query, problem) => view.follow(async () => {
    const name = galleryOf(query, site);
    if (!query.get("caption")) return example(name);
    const { captions: items } = exampleOf(name);
    view.place({ caption: query.get("caption"), examples: { items }, viewer: { waiting: say("hint.computing") } });
    galleries.choose(name);
    const { caption, index, ...drawn } = stateOf(query, await engine.open(name));
    return { caption, ...await rankAndShow(name, caption, index, drawn) };
  }, example, { query, problem });

  const again = ({ gallery, index, caption, ...drawn }) =>
    view.show(async () => ({ caption, ...await rankAndShow(gallery, caption, index, drawn) }));

  return { open, again, state: () => state };
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
