// What Explore computes: the picture at once, the ranking when it is ready. Only the last of each that was asked for counts.

import { say } from "../base/words.js";
import { decode, hasLayer, parseLayer } from "../record/record.js";
import { cancellable, latest } from "../shell/latest.js";
import { positionOf, readFiles } from "../shell/pictures.js";
import { maskText } from "../viewer/masks.js";
import { maskAt } from "./keep.js";
import { isMeasured, isSlow } from "./layers.js";

const OF_PAIR = ["gallery", "photo", "caption", "dense", "mask", "budget", "ratio"];
const OF_RANKING = ["gallery", "caption", "dense", "ratio", "mode", "pool", "typed", "other"];
const STEP = 24; // photos by which a ranking grows

// Callbacks: picture(): new record; ranking(value); opened(facts, galleries, info): new gallery; waiting(isWaiting).
export function makeLook({ engine, state, line }, { picture, ranking, opened, waiting }) {
  const [explaining, ranks, measuring] = [latest(), latest(), latest()];
  const look = {
    facts: null, value: null, record: null, index: null, order: [], rank: {}, before: null, own: null, isTried: false, noPool: "",
    follow, best, take, begin, search,
    asked: { name: "", count: STEP, all: false }, // which photos are ranked: by their names, how many, all of a large gallery
    pool: "",
    keyOf: (index) => look.facts?.items[index]?.key ?? look.keys.get(index) ?? "",
    keys: new Map(),
  };
  let galleries = [];
  let open = ""; // whether the best photo opens with the next ranking, and for which caption
  let isStep = false; // whether Back then leads to the photo before

  const changed = (now, before, names) => !before || names.some((name) => now[name] !== before[name]);
  const progress = line.progress(say("app.opening"));

  // The worked example, which came with the page.
  function begin({ gallery, chips, index, items, viewer, total = items.length }) {
    const now = state.get();
    if (now.caption || now.gallery || now.photo || now.view !== "explore" || now.mode !== "photos") return;
    look.keys = new Map(items.map(({ index: at, key }) => [at, key]));
    state.set({ gallery, photo: look.keys.get(index), caption: viewer.caption }, { quiet: true });
    Object.assign(look, { index, value: viewer, record: decode(viewer.record), order: items.map(({ index: at }) => at) });
    look.rank = { rank: items.findIndex((item) => item.index === index) + 1, total };
    opened({ name: gallery, chips }, [{ name: gallery, title: gallery }]);
    picture();
    ranking({ items, selected: index });
  }

  async function galleryOf(name) {
    const info = await engine.start();
    look.noPool = info.no_pool;
    galleries = [...info.galleries, ...galleries.filter((own) => !info.galleries.some((each) => each.name === own.name))];
    const facts = await engine.open(name || info.galleries[0].name, { progress });
    if (!galleries.some((each) => each.name === facts.name)) galleries.push({ name: facts.name, title: facts.title });
    line.wait("");
    if (facts !== look.facts) {
      look.facts = facts;
      look.keys = new Map();
      look.asked = { name: "", count: STEP, all: false };
      opened(facts, galleries, info);
    }
    return facts;
  }

  async function indexOf(facts, key) {
    if (!key) return null;
    const index = await positionOf(engine, facts, key);
    if (index < 0) throw new Error(say("explore.no_such_photo", { name: facts.name, photo: key }));
    return index;
  }

  // Follow the state: recompute the values that changed.
  function follow(now, before) {
    if (before && changed(now, before, ["photo"])) open = ""; // a photo that was chosen stays
    const isNew = !look.record || changed(now, before, OF_PAIR);
    const isExample = !before && look.record && look.value.caption === now.caption && !look.facts;
    if (!isExample && isNew) explain(now);
    if (before && changed(now, before, ["caption", "dense"])) look.asked.all = false;
    if (!isExample && (changed(now, before, OF_RANKING) || (now.mode === "captions" && changed(now, before, ["photo"])))) rank(now);
    if (isExample) galleryOf(now.gallery).then(() => explain(state.get()), failed);
    if (!isNew || isExample) measured(now);
  }

  function failed(error) {
    line.wait("");
    waiting(false);
    line.problem(error.message);
  }

  // The record of the pair in the state; under a ratio, that of the highest scores, as many as it keeps.
  async function explain(now) {
    line.problem(""); // clear the previous request's error; a later request keeps its own
    try {
      const done = await explaining(async (signal) => {
        waiting(true);
        const facts = await galleryOf(now.gallery);
        const index = await indexOf(facts, now.photo);
        if (index === null) return null; // the ranking opens the best one
        const caption = now.caption || facts.chips[0];
        const pair = { gallery: facts.name, index, caption, dense: now.dense, layer: isMeasured(now.layer) && !isSlow(now.layer) ? now.layer : "mask" };
        const own = await engine.explain({ ...pair, mask: now.mask, budget: Number(now.budget || 0) }, { signal });
        if (!now.ratio || now.mask) return { index, value: own, before: now.mask ? look.own : null };
        const mask = maskText(maskAt(decode(own.record).branches[0].rank, Number(now.ratio)));
        const value = await engine.explain({ ...pair, mask }, { signal });
        return { index, value, before: own.similarity };
      });
      if (!done) return;
      waiting(false);
      Object.assign(look, done, { record: decode(done.value.record), isTried: true });
      if (!now.mask) look.own = done.before ?? done.value.similarity;
      placeOf();
      picture();
      measured(state.get());
    } catch (error) {
      failed(error);
    }
  }

  async function measured(now) {
    if (!look.record || !isMeasured(now.layer) || hasLayer(look.record, parseLayer(now.layer))) {
      if (!isMeasured(now.layer)) measuring.stop();
      return picture();
    }
    try {
      const value = await measuring(async (signal) => {
        const stop = cancellable();
        const told = line.progress(say("app.measuring"), () => {
          stop.cancel();
          state.set({ layer: "mask" });
        });
        told({});
        try {
          const values = { gallery: look.facts.name, index: look.index, caption: now.caption, dense: now.dense, layer: now.layer, mask: now.mask };
          return await (isSlow(now.layer) ? engine.measure : engine.explain)(values, { signal: AbortSignal.any([signal, stop.signal]), progress: told });
        } finally {
          line.wait("");
        }
      });
      if (!value) return;
      Object.assign(look, { value, record: decode(value.record) });
      picture();
    } catch (error) {
      if (error.name !== "AbortError") failed(error);
    }
  }

  function placeOf() {
    const at = look.order.indexOf(look.index);
    look.rank = at < 0 ? {} : { rank: at + 1, total: look.total ?? look.order.length };
  }

  async function rank(now) {
    try {
      const done = await ranks(async (signal) => {
        const facts = await galleryOf(now.gallery);
        if (now.mode === "captions") return captionsFor(now, facts, signal);
        const caption = now.caption || facts.chips[0];
        const index = await indexOf(facts, now.photo) ?? 0;
        const ratio = now.ratio ? Number(now.ratio) / 100 : null;
        const { name, count, all } = look.asked;
        const values = { gallery: facts.name, index, caption, dense: now.dense, ratio, name, count, other: facts.timed ? now.other : "" };
        const isAll = all && !ratio;
        const answer = await (isAll ? engine.rank_all(values, { signal, progress }) : engine.rank(values, { signal }));
        if (isAll) line.wait("");
        const items = answer.ranking.lists.at(-1).items;
        for (const row of answer.ranking.lists.flatMap((list) => list.items.flatMap((item) => [item, ...item.alike?.items ?? []]))) look.keys.set(row.index, row.key);
        return { answer, items, caption };
      });
      if (!done) return;
      if (done.rows) return ranking(done);
      const { answer, items, caption } = done;
      look.order = items.map(({ index }) => index);
      look.total = answer.total;
      if (answer.place) look.rank = { rank: answer.place.rank, total: answer.total };
      const opens = !now.photo || open === caption;
      open = "";
      const selected = opens ? answer.best : look.index;
      if (opens) state.set({ gallery: look.facts.name, photo: look.keyOf(answer.best), caption: now.caption || caption }, { push: isStep });
      isStep = false;
      placeOf();
      const { lists, note, all } = answer.ranking;
      ranking({ items, selected, lists, note: answer.note, count: note, all: now.ratio ? "" : all, more: answer.more, timeline: answer.timeline });
    } catch (error) {
      failed(error);
    }
  }

  async function captionsFor(now, facts, signal) {
    const index = await indexOf(facts, now.photo) ?? 0;
    const { rows, recall, caption, pool } = await engine.captions(
      { gallery: facts.name, index, pool: now.pool, typed: now.typed, caption: now.caption }, { signal, progress });
    line.wait("");
    look.pool = pool;
    return { rows, selected: now.caption || caption, note: recall, pool };
  }

  // Rank other photos for the same caption: changes of `asked`.
  function search(changes) {
    look.asked = { ...look.asked, ...changes };
    line.problem("");
    rank(state.get());
  }

  // Change the state, then open the best photo of the new ranking.
  function best(changes, isOther = false) {
    const now = { ...state.get(), ...changes };
    open = now.caption;
    if (isOther) {
      open = "";
      return changeGallery(changes);
    }
    const before = state.get();
    isStep = Object.keys(changes).every((name) => before[name] === changes[name]); // else the change below is the step
    state.set(changes, { push: true });
    if (before.caption === now.caption) rank(now);
    return undefined;
  }

  // Another gallery: the caption goes on where its model reads it, else the gallery's first one is shown.
  async function changeGallery({ gallery }) {
    try {
      const model = look.facts?.model;
      const facts = await galleryOf(gallery);
      const caption = facts.model === model ? state.get().caption : facts.chips[0];
      state.set({ gallery, photo: "", caption, dense: facts.model === model ? state.get().dense : "", mask: "", layer: "mask" }, { push: true });
    } catch (error) {
      opened(look.facts, galleries);
      failed(error);
    }
  }

  // A person's own photos or video, read by take(files, options).
  async function take(taking, files) {
    line.problem("");
    try {
      const facts = await readFiles(line, taking, files);
      galleries = galleries.filter(({ name }) => name !== facts.name);
      look.facts = null;
      const isSame = facts.model === (await engine.start()).galleries.find(({ name }) => name === state.get().gallery)?.model;
      const caption = isSame && state.get().caption ? state.get().caption : facts.chips[0];
      line.wait("");
      line.note(facts.note);
      const now = { gallery: facts.name, photo: "", caption, mask: "", layer: "mask" };
      if (state.get().gallery === facts.name) rank({ ...state.get(), ...now });
      state.set(now, { push: true });
    } catch (error) {
      failed(error);
    }
  }

  return look;
}
