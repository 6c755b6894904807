// The engine in this browser: ONNX Runtime in a worker. Its answers are those of engine/server.js.

import { listed, phrase, say } from "../base/words.js";
import { inPageLanguage } from "../base/mount.js";
import { once } from "../base/once.js";
import { UPLOADS, makeEngine as makeModels } from "./onnx/models.js";
import { readCaption, readDense, readLines } from "./answers/language.js";
import { MOST, namedApart, openPicture } from "./onnx/pictures.js";
import { keepOffline } from "./onnx/offline.js";
import { makePairs } from "./answers/pairs.js";
import { checkedKnobs } from "./answers/settings.js";
import { makeWalk } from "./answers/lesson.js";
import { rankCaptions, rankingValue } from "./answers/captions.js";
import { comparison, firstTwo, whyValue } from "./answers/contrast.js";
import { fetchedJson } from "./onnx/fetching.js";
import { playgroundUnder } from "./answers/loss.js";
import { fromHighest } from "../base/arrays.js";
import { failure } from "./onnx/remote.js";
import { FORMATS, makeSaving } from "./answers/saving.js";

const RANKED = 24; // photos of a ranking
const COMPARED = [2, 6]; // captions
const LACKS = ["lab", "paper", "claims", "camera", "video"]; // what needs the app

// site: from the page, see demo/static/page.py.
export function makeEngine(site) {
  if (history.state?.own) history.replaceState(null, ""); // a person's own photos are gone with the page that read them
  let progress = null; // of the one that is waited for
  const tell = (text) => progress?.({ text, done: null });
  const notes = { engine: say("static.no_engine"), gpu: "", size: "", kept: "" }; // for About
  const models = makeModels(site, tell, (running) => { notes.engine = say("static.engine", running); }, (text) => { notes.gpu = text; });
  const pairs = makePairs(models.ask, tell);
  notes.size = say("static.own_size", models.ownSize);
  const lists = new Map(); // gallery -> its facts as the page takes them

  // Run work that says how far it is; a signal that is aborted leaves its answer aside.
  async function told(work, { progress: noted = null, signal = null } = {}) {
    signal?.throwIfAborted();
    progress = noted ?? progress;
    try {
      return await work();
    } finally {
      if (noted === progress) progress = null;
      signal?.throwIfAborted();
    }
  }

  // Cache what was opened, after the first model is there: until then the network is for what a person waits for.
  let keep = null;
  function cache(gallery) {
    keep ??= keepOffline(site, (galleries) => {
      notes.kept = say("static.kept", { titles: listed(galleries.map(({ title }) => phrase(title))) });
      document.body.dataset.offline = galleries.map(({ name }) => name).join(" ");
    });
    for (const name of [site.galleries[0].name, gallery]) keep(name);
  }

  const listOf = (facts) => once(lists, facts, async () => {
    const { name, title, model, note, chips, openings, items } = facts;
    const alike = site.galleries.filter((gallery) => gallery.model === model);
    return {
      name, title, model, note, openings, chips, total: items.length, timed: false,
      pools: alike.map((gallery) => gallery.name), keep_ratio: alike[0].keep_ratio,
      items: items.map(({ key, photo, thumb, captions, phrases }) => ({ key, title: photo.title, thumb, captions, phrases })),
    };
  });

  const open = (gallery, options) => told(async () => {
    const facts = await models.open(gallery);
    cache(gallery);
    return listOf(facts);
  }, options);

  async function read({ gallery, index, caption, dense = "" }) {
    const facts = await models.open(gallery);
    const reading = await readCaption(pairs, facts, caption);
    const beside = await readDense(pairs, facts, dense);
    return { facts, index, caption: reading.caption, dense: beside.caption, notes: [reading.note, beside.note] };
  }

  const explain = (values, options) => told(async () => {
    const { facts, ...pair } = await read(values);
    const { layer = "mask", mask = "", budget = 0 } = values;
    return pairs.viewerValue(facts, { ...pair, layer, mask, budget });
  }, options);

  // S(I, T) of every photo; at a ratio under the lesson's settings.
  async function scoresOf(facts, caption, dense, ratio) {
    if (!ratio) return pairs.scores(facts, caption, dense);
    const { usual, trained_k: trained } = await models.lesson(facts.model);
    const values = [facts.name, caption, dense];
    return models.ask("tuned", { model: facts.model, method: "rank", knobs: { ...usual, keep_ratio: ratio }, trained, values });
  }

  // Indices of the photos in order of their scores, the highest first; only those with `text` in their title.
  function orderOf(facts, scores, text = "") {
    const plain = (words) => words.normalize("NFC").toLowerCase();
    const name = text.trim();
    const order = fromHighest(scores).filter((at) => plain(facts.items[at].photo.title).includes(plain(name)));
    if (!order.length) throw new Error(say("explore.no_name", { name }));
    return order;
  }

  const rank = (values, options) => told(async () => {
    const started = performance.now();
    const { facts, index, caption, dense, notes } = await read(values);
    const scores = await scoresOf(facts, caption, dense, values.ratio);
    const order = orderOf(facts, scores, values.name);
    const milliseconds = performance.now() - started;
    const items = order.slice(0, values.count ?? RANKED).map((at, place) => {
      const { key, photo, thumb } = facts.items[at];
      return { index: at, key, rank: place + 1, title: photo.title, thumb, score: scores[at] };
    });
    const [total, more] = [order.length, items.length < order.length];
    const noun = total === 1 ? facts.noun.replace(/s$/, "") : facts.noun;
    const counts = { total, noun: say(`noun.${noun}`), milliseconds, count: items.length };
    return {
      note: notes.filter(Boolean).join(" "), best: order[0], total, more,
      place: order.includes(index) ? { rank: order.indexOf(index) + 1, score: scores[index] } : null,
      ranking: { note: say(more ? "list.ranked_best" : "list.ranked", counts), lists: [{ title: "", items }] },
    };
  }, options);

  const captions = ({ gallery, index, pool = "", typed = "", caption = "" }, options) => told(async () => {
    const facts = await models.open(gallery);
    const { pools } = await listOf(facts);
    const own = facts.items[index].captions.length ? facts.name : pools[0];
    const chosen = pool || own;
    const names = [...pools, site.no_pool];
    if (!names.includes(chosen)) throw new Error(say("page.no_pool", { pool, names: listed(names) }));
    const source = chosen === site.no_pool ? null : await models.open(chosen);
    const rows = await rankCaptions({ engine: models, pairs }, facts, source, { index, typed });
    const selected = rows.some((row) => row.caption === caption) ? caption : rows[0].caption;
    return { ...rankingValue(rows), pool: chosen, caption: selected };
  }, options);

  const compare = ({ gallery, index, captions: text, layer = "mask" }, options) => told(async () => {
    const facts = await models.open(gallery);
    const lines = await readLines(pairs, facts, text);
    const [fewest, most] = COMPARED;
    if (lines.length < fewest || lines.length > most) throw new Error(say("page.compared", { count: lines.length, fewest, most }));
    return comparison(pairs, facts, { index, layer }, lines);
  }, options);

  // The two that a question sets side by side: their state, and the ranking that they are of.
  async function sides({ gallery, index = -1, caption, against = -1, other = "", dense = "" }) {
    const pair = await read({ gallery, index, caption, dense: other ? "" : dense });
    const { facts } = pair;
    const second = other.trim() ? (await readCaption(pairs, facts, other)).caption : "";
    if (!second && facts.items.length < 2) throw new Error(say("page.one_photo"));
    const order = fromHighest(await pairs.scores(facts, pair.caption, pair.dense));
    const place = (at) => (at < 0 ? null : at);
    const [left, right] = firstTwo(order, place(index), place(against));
    return { facts, order, state: { ...pair, index: left, against: second ? left : right, other: second === pair.caption ? "" : second, layer: "mask" } };
  }

  const contrast = (values, options) => told(async () => {
    const { facts, state, order } = await sides(values);
    return whyValue(pairs, facts, state, order);
  }, options);

  const takePhotos = (files, options) => told(async () => {
    if (files.length > MOST) throw new Error(say("sources.too_many", { count: files.length, limit: MOST }));
    const pictures = await Promise.all(files.map(openPicture));
    const facts = await models.take(models.modelOfPhotos, namedApart(pictures), UPLOADS);
    pairs.forget(UPLOADS);
    return listOf(facts);
  }, options);

  const walk = makeWalk(models, pairs);
  let lessons = 0; // that were asked for

  // The lesson; what takes longer comes to options.partial(value) later, as long as nothing else is asked for.
  function lesson(values, options = {}) {
    const number = (lessons += 1);
    const isAsked = () => number === lessons && !options.signal?.aborted;
    return told(async () => {
      const { facts, index, caption, dense } = await read(values);
      const known = await models.lesson(facts.model);
      const knobs = checkedKnobs({ ...known.usual, ...JSON.parse(values.knobs || "{}") }, known);
      const begun = await walk.begin(facts, { index, caption, dense, knobs, step: values.step ?? 1, mask: values.mask ?? "" });
      finish(begun).catch(() => {});
      return begun.value;
    }, options);

    async function finish(begun) {
      for (const part of ["counted", "whole"]) {
        const value = isAsked() ? await begun[part](isAsked) : null;
        if (value && isAsked()) options.partial?.(value);
      }
    }
  }

  const files = new Map(); // what is known of the losses, to be
  const ofLosses = () => once(files, `${site.parts.losses}/losses.json`, () =>
    fetchedJson(`${site.parts.losses}/losses.json`).catch(({ message }) => Promise.reject(failure(message, "static.no_losses"))));
  const losses = async (settings) => playgroundUnder((await ofLosses()).playground, settings);
  const claims = async () => inPageLanguage((await ofLosses()).claims);

  const saving = makeSaving({ site, models, pairs, read, scoresOf, orderOf, compare, sides });
  const save = (what, values, options) => told(() => saving[what](values), options);

  return {
    lacks: LACKS, formats: FORMATS, save,
    about: () => ["about_page.browser", "about_page.browser_numbers", "about_page.browser_lacks"].map((name) => say(name)).concat(Object.values(notes).filter(Boolean)),
    lesson, losses, claims,
    start: async () => ({
      galleries: site.galleries.map(({ name, title, model }) => ({ name, title, model })),
      credits: site.credits, no_pool: site.no_pool,
    }),
    open, explain, measure: explain, rank, captions, compare, contrast, takePhotos,
  };
}
