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
import { UPLOADS } from "../engine/models.js";
import { saveExplanation, saveRanking } from "./files.js";
import { answerTyping, galleryChoice } from "./inputs.js";
import { readCaption, readDense, unlikeNote } from "../engine/language.js";
import { PLAIN, galleryOf, stateOf } from "./link.js";
import { MOST, namedApart, openPicture } from "../engine/pictures.js";
import { FORMATS, maskOf } from "../engine/pairs.js";
import { drawnFor, of } from "./state.js";
import { makeView } from "./view.js";
import { firstTwo } from "./why.js";

const RANKED = 24; // pictures of a ranking that are shown

const place = (id) => document.getElementById(id);

// site: from the page; engine, pairs: what computes; line: the view's message line.
export function photosView({ site, engine, pairs, line, lead }) {
  const [first] = site.galleries;
  const [box, denseBox] = ["caption", "dense"].map((id) => place(id).querySelector("textarea"));
  const galleries = galleryChoice(place("gallery"), site, change);
  const view = makeView(line, {
    viewer: ["viewer", linked(viewer), { export: takeAway, layer: draw, measure }],
    ranking: ["ranking", ranking, { pick, export: takeRanking, why }],
    examples: ["examples", chips, { pick: ({ caption }) => ask(caption) }],
  }, put);
  let state = { ...PLAIN, gallery: first.name, index: 0, caption: "" };

  function put({ state: next, caption, dense }) {
    if (next) state = next;
    if (caption !== undefined) box.value = caption;
    if (dense !== undefined) denseBox.value = dense;
    galleries.choose(state.gallery);
  }

  // Rank a gallery and open its best picture, or the one at an index; drawn as before, or as `drawn` says. With a dense
  // caption beside the caption, both rankings are shown.
  async function rankAndShow(name, typed, typedDense, index = null, drawn = null) {
    const facts = await engine.open(name);
    const started = performance.now();
    const { caption, note: hint } = await readCaption(pairs, facts, typed);
    const { caption: dense, note: denseHint } = await readDense(pairs, facts, typedDense);
    const alone = await pairs.scores(facts, caption);
    const scores = dense ? await pairs.scores(facts, caption, dense) : alone;
    const order = fromHighest(scores);
    const milliseconds = performance.now() - started;
    const note = [hint, await unlikeNote(pairs, facts, caption), denseHint].filter(Boolean).join(" ");
    const pair = [name, index ?? order[0], caption, dense];
    const next = drawn ? drawnFor(state, drawn, ...pair) : of(state, ...pair);
    const best = await pairs.explained(facts, order[0], caption, null, "", dense);
    const picture = await pairs.viewerValue(facts, next);
    const lists = dense ? [[say("static.caption_alone"), alone], [say("static.caption_dense"), scores]] : [["", scores]];
    return { state: next, note, viewer: picture, ranking: {
      note: say(order.length > RANKED ? "list.ranked_best" : "list.ranked", {
        total: order.length, noun: say(`noun.${facts.noun}`), milliseconds, count: RANKED,
      }),
      selected: next.index,
      lists: lists.map(([title, all]) => ({ title, items: listed(facts, all) })),
      missed: missedSentence(best.record, facts.language),
      why: order.length > 1,
    } };
  }

  const ask = (caption) => view.show(async () => ({ caption, ...await rankAndShow(state.gallery, caption, denseBox.value) }));

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
      const next = of(state, state.gallery, index, state.caption, state.dense);
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
      const { gallery, caption, dense } = state;
      const order = fromHighest(await pairs.scores(await engine.open(gallery), caption, dense));
      const [index, against] = firstTwo(order, null, state.index === order[0] ? null : state.index);
      await lead({ gallery, index, against, caption, dense });
      return "";
    });
  }

  function takeRanking() {
    return view.aside(async () => {
      const facts = await engine.open(state.gallery);
      const scores = await pairs.scores(facts, state.caption, state.dense);
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
      return rankAndShow(name, state.caption, state.dense);
    });
  }

  const isHere = (name) => site.galleries.some((gallery) => gallery.name === name);

  // The worked example of a gallery at once, under what was wrong; ends when its model is there.
  async function example(name = first.name, problem = "") {
    const { captions, ranking: list, viewer: picture } = exampleOf(name);
    const [caption] = captions;
    view.place({
      state: { ...PLAIN, gallery: name, index: list.selected, caption },
      ranking: inPageLanguage(list),
      viewer: { ...picture, formats: FORMATS },
      caption,
      dense: "",
      examples: { items: captions },
      problem,
    });
    await engine.open(name);
    return {};
  }

  const exampleOf = (name) => site.galleries.find((gallery) => gallery.name === name).first;

  const typed = () => view.show(async () => rankAndShow(state.gallery, box.value, denseBox.value));
  answerTyping(box, typed);
  answerTyping(denseBox, typed, false);

  place("uploads").addEventListener("change", ({ currentTarget: input }) => {
    const files = [.../** @type {HTMLInputElement} */ (input).files];
    if (files.length) afterTyped(input, () => view.show(() => openOwn(files)));
  });

  async function openOwn(files) {
    if (files.length > MOST) throw new Error(say("static.many", { count: files.length, limit: MOST }));
    const model = engine.modelOfPhotos;
    const base = site.galleries.find((gallery) => gallery.model === model);
    const pictures = await Promise.all(files.map(openPicture));
    const facts = await engine.take(model, namedApart(pictures));
    pairs.forget(UPLOADS);
    galleries.add(UPLOADS, facts.title);
    const isSame = site.galleries.find(({ name }) => name === state.gallery)?.model === model || state.gallery === UPLOADS;
    const caption = isSame ? state.caption : base.first.captions[0];
    return { caption, examples: { items: base.first.captions }, ...await rankAndShow(UPLOADS, caption, denseBox.value) };
  }

  const open = (query, problem) => view.follow(async () => {
    const name = galleryOf(query, site);
    if (!query.get("caption")) return example(name);
    const { captions: items } = exampleOf(name);
    const boxes = { caption: query.get("caption"), dense: query.get("dense") ?? "" };
    if (!view.value("viewer")) state = { ...state, gallery: name }; // where what is typed before it is there is ranked
    view.place({ ...boxes, examples: { items }, viewer: { waiting: say("hint.computing") } });
    if (boxes.dense) place("dense-box").setAttribute("open", "");
    galleries.choose(name);
    const { caption, dense, index, ...drawn } = stateOf(query, await engine.open(name));
    return { caption, dense, ...await rankAndShow(name, caption, dense, index, drawn) };
  }, example, problem);

  const again = ({ gallery, index, caption, dense, ...drawn }) =>
    view.show(async () => ({ caption, dense, ...await rankAndShow(gallery, caption, dense, index, drawn) }));

  return { open, again, state: () => state };
}

// The rows of the best pictures of a gallery by their scores.
function listed({ items }, scores) {
  return fromHighest(scores).slice(0, RANKED).map((index, rank) => {
    const { photo: { title }, thumb } = items[index];
    return { index, rank: rank + 1, title, thumb, score: scores[index] };
  });
}
