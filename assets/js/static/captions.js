// Captions without a server: a photograph ranks captions, right and wrong ones marked where the truth is known. As
// demo/screens/captions/view.py answers the triggers in the app.

import { fixed } from "../base/numbers.js";
import { listed, say } from "../base/words.js";
import { rankCaptions, rankingValue } from "../engine/captions.js";
import { captions as list } from "../lists/lists.js";
import { linked } from "../page/address.js";
import { mount as viewer } from "../viewer/viewer.js";
import { makeChooser } from "./chooser.js";
import { saveExplanation, saveRanking } from "./files.js";
import { answerTyping, choice } from "./inputs.js";
import { readDense } from "../engine/language.js";
import { PLAIN, denseOf, drawnOf, galleryOf, indexOf } from "./link.js";
import { drawnFor, of } from "./state.js";
import { makeView } from "./view.js";

const LONGEST = 4000; // characters of typed captions that a link holds

export function captionsView({ site, engine, pairs, line, lead }) {
  const typed = document.getElementById("captions-typed").querySelector("textarea");
  const pools = choice(document.getElementById("captions-pool"), otherPool);
  const chooser = makeChooser("captions", { site, engine, pairs }, (work) => view.show(async () => {
    const { facts, index } = await work();
    return values(facts, { index, typed: typed.value, pool: poolOf(facts, index, state.pool) });
  }));
  const view = makeView(line, {
    strip: chooser.part,
    ranking: ["captions-ranking", list, { pick, export: takeRanking, why }],
    viewer: ["captions-viewer", linked(viewer), { layer: draw, measure, export: takeAway }],
  }, put);
  let state = { ...PLAIN, gallery: site.galleries[0].name, index: 0, caption: "", typed: "", pool: "" };

  function put({ state: next, typed: text }) {
    if (next) state = next;
    if (text !== undefined) typed.value = text;
    if (state.pool) pools.offer(poolsOf(modelOf(state)), state.pool);
  }

  const modelOf = ({ gallery }) => site.galleries.find(({ name }) => name === gallery)?.model ?? engine.modelOfPhotos;

  // Whose captions can be ranked for photographs of a model, as [value, title]; typed ones alone are the last.
  const poolsOf = (model) => [
    ...site.galleries.filter((gallery) => gallery.model === model).map(({ name, title }) => [name, title]),
    [site.no_pool, site.no_pool],
  ];

  function otherPool(pool) {
    return view.show(async () => values(await engine.open(state.gallery), { index: state.index, typed: typed.value, pool }));
  }

  // Whose captions are ranked: those of `pool` where the model of the photograph has it, else those of its own gallery.
  function poolOf({ name, model, items }, index, pool) {
    const names = poolsOf(model).map(([value]) => value);
    if (names.includes(pool)) return pool;
    return items[index].captions.length ? name : names[0];
  }

  // Rank captions for a photograph and open the best, or the one named; drawn as before, or as `drawn` says.
  async function values(facts, { index, typed: text, pool, caption = "" }, drawn = null) {
    const ranking = await ranked(facts, { index, pool, typed: text });
    const pair = [facts.name, index, caption || ranking.rows[0].caption];
    const next = { ...(drawn ? drawnFor(state, drawn, ...pair) : of(state, ...pair)), typed: text, pool };
    return {
      state: next,
      strip: await chooser.stripOf(facts, index),
      ranking: rankingValue(ranking, next.caption),
      viewer: await picture(facts, next),
    };
  }

  async function ranked(facts, asked) {
    const pool = asked.pool === site.no_pool ? null : await engine.open(asked.pool);
    return rankCaptions({ engine, pairs }, facts, pool, asked);
  }

  function picture(facts, now) {
    const text = now.typed.trim() && now.typed.length <= LONGEST ? { typed: now.typed } : {};
    return pairs.pictureValue(facts, { ...now, mask: "" }, "captions", { pool: now.pool, ...text });
  }

  function draw({ layer, opacity, lines, objects }) {
    state = { ...state, layer, opacity, lines, objects };
  }

  function measure(detail) {
    draw(detail);
    return view.show(async () => ({ viewer: await picture(await engine.open(state.gallery), state) }));
  }

  function pick({ caption }) {
    return view.show(async () => {
      const next = of(state, state.gallery, state.index, caption);
      return { state: next, viewer: await picture(await engine.open(state.gallery), next) };
    });
  }

  function takeAway(detail) {
    return view.aside(async () =>
      saveExplanation({ site, pairs }, await engine.open(state.gallery), state, view.value("viewer"), detail));
  }

  function takeRanking() {
    return view.aside(async () => {
      const facts = await engine.open(state.gallery);
      const { rows } = await ranked(facts, state);
      const truth = { right: "yes", wrong: "no", typed: "" };
      const lines = rows.map(({ caption, score, is }, rank) => [rank + 1, caption, Number(fixed(score, 6)), truth[is]]);
      const head = ["rank", "caption", "score", "written for this photo"];
      return saveRanking(facts, facts.items[state.index].photo.title, [head, ...lines]);
    });
  }

  // The best caption and the one that is shown, the next best where that is the best itself.
  function why() {
    return view.aside(async () => {
      const { rows } = await ranked(await engine.open(state.gallery), state);
      const [best, ...others] = [...new Set(rows.map(({ caption }) => caption))];
      if (!others.length) throw new Error(say("static.one_caption"));
      await lead({ gallery: state.gallery, index: state.index, caption: best, other: others.includes(state.caption) ? state.caption : others[0] });
      return "";
    });
  }

  answerTyping(typed, () => view.show(async () =>
    values(await engine.open(state.gallery), { ...state, caption: "", typed: typed.value })), false);

  const again = (now) => view.show(async () => ({ ...await values(await engine.open(now.gallery), now, now), typed: now.typed }));

  // The photograph and the caption that were chosen for a gallery.
  async function example(name = site.galleries[0].name) {
    const facts = await engine.open(name);
    const index = facts.openings.captions?.index ?? 0;
    return { ...await values(facts, { index, typed: "", pool: poolOf(facts, index, "") }), typed: "" };
  }

  const open = (query, problem) => view.follow(async () => {
    const name = galleryOf(query, site);
    const isFirst = !view.value("viewer"); // then what is typed before it is there is of the link's photograph
    if (isFirst) state = { ...state, gallery: name };
    if (isFirst) view.place({ viewer: { waiting: say("hint.computing") } });
    chooser.choose(name);
    const facts = await engine.open(name);
    const index = indexOf(query, facts);
    if (isFirst) state = { ...state, index: index ?? 0 };
    const caption = query.get("caption") ?? "";
    await readDense(pairs, facts, denseOf(query)); // which has no part in a ranking of captions, as in the app
    if (index === null && !caption) return example(name);
    const text = query.get("typed") ?? "";
    const pool = poolOf(facts, index ?? 0, query.get("pool"));
    if ((query.get("pool") ?? pool) !== pool) {
      const names = listed(poolsOf(facts.model).map(([value]) => value));
      throw new Error(say("static.no_pool", { pool: query.get("pool"), names }));
    }
    return { ...await values(facts, { index: index ?? 0, caption, typed: text, pool }, drawnOf(query)), typed: text };
  }, example, problem);

  return { open, again, state: () => state };
}

export { rankCaptions, rankingValue };
