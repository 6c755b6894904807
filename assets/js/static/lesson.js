// The lesson without a server: nine steps through one pair, under settings that a person moves. As
// demo/screens/lesson/view.py answers the triggers in the app.

import { say } from "../base/words.js";
import { fromHighest } from "../engine/numbers.js";
import { mount as lesson } from "../lesson/lesson.js";
import { linked } from "../page/address.js";
import { makeChooser } from "./chooser.js";
import { answerTyping } from "./inputs.js";
import { readCaption, readDense } from "../engine/language.js";
import { denseOf, galleryOf, indexOf, maskOfQuery } from "./link.js";
import { linkTo } from "../engine/pairs.js";
import { checkedKnobs, knobsOf, linkedKnobs } from "../engine/settings.js";
import { STEPS } from "../engine/steps.js";
import { makeView } from "./view.js";
import { makeWalk } from "../engine/lesson.js";

export function lessonView({ site, engine, pairs, line }) {
  const [box, denseBox] = ["lesson-caption", "lesson-dense"].map((id) => document.getElementById(id).querySelector("textarea"));
  const walk = makeWalk(engine, pairs);
  const chooser = makeChooser("lesson", { site, engine, pairs }, (work) => compute(async () => {
    const { facts, index } = await work();
    const { captions: [caption = state.caption], dense = "" } = facts.items[index];
    const knobs = facts.model === state.model ? state.knobs : null;
    return { ...state, step: null, facts, index, caption: caption || facts.chips[0], dense, knobs, mask: "" };
  }));
  const view = makeView(line, {
    strip: chooser.part,
    walk: ["lesson-walk", linked(lesson), { step, knobs: turn, paint }],
  }, put);
  // Captions are as typed.
  let state = { gallery: site.galleries[0].name, model: "", index: 0, caption: "", dense: "", knobs: null, step: 1, mask: "" };
  let asked = 0;

  function put({ state: next, isTyped }) {
    if (!next) return;
    state = next;
    if (!isTyped) [box.value, denseBox.value] = [next.caption, next.dense];
  }

  // Show the pair, settings and step that `work` leads to: first without what takes longer, which ends this, then with that
  // too, as long as nothing else is asked for. `more`: what else the value has; a `problem` of `work` is told. isTyped: the
  // boxes stay as they are.
  async function compute(work, more = {}, isTyped = false) {
    const number = (asked += 1);
    const isAsked = () => number === asked;
    /** @type {any} */
    let begun = null;
    /** @type {any} */
    let finished = null;
    async function finish() {
      for (const part of ["counted", "whole"]) {
        const value = begun && isAsked() ? await begun[part](isAsked) : null;
        if (value && isAsked()) view.place(finished(value));
      }
    }
    await view.show(async () => {
      const { facts, problem = "", ...given } = await work();
      const { usual } = await engine.lesson(facts.model);
      const { caption, note: hint } = await readCaption(pairs, facts, given.caption);
      const { caption: dense, note: denseHint } = await readDense(pairs, facts, given.dense);
      const note = [hint, denseHint].filter(Boolean).join(" ");
      const next = { ...given, gallery: facts.name, model: facts.model, knobs: given.knobs ?? usual };
      begun = await walk.begin(facts, { ...next, caption, dense });
      const strip = await chooser.stripOf(facts, next.index);
      const address = await link(facts, next);
      const step = () => given.step ?? state.step;
      finished = (value) => ({ walk: { ...value, step: step(), keeps_step: given.step === null, link: address, ...more }, note, problem });
      return { ...finished(begun.value), state: { ...next, step: step() }, isTyped, strip };
    });
    finish();
  }

  const link = async (facts, { index, caption, dense, knobs, mask }) => linkTo("lesson", facts, { index, caption }, {
    ...(dense.trim() ? { dense } : {}), ...linkedKnobs(knobs, await engine.lesson(facts.model)), ...(mask ? { mask } : {}),
  });

  // What is shown, for something of it to change; step: null, the one that is chosen by then.
  const now = async () => ({ ...state, step: null, facts: await engine.open(state.gallery) });

  function step({ step: number }) {
    state = { ...state, step: number };
  }

  // Other settings, which the value repeats as `asked`; those that the model does not allow are told, and go back.
  function turn(knobs) {
    return compute(async () => {
      const shown = await now();
      try {
        return { ...shown, knobs: checkedKnobs({ ...state.knobs, ...knobs }, await engine.lesson(state.model)) };
      } catch (error) {
        return { ...shown, problem: error.message };
      }
    }, { asked: knobs });
  }

  function paint({ mask, step: number }) {
    return compute(async () => ({ ...await now(), mask, step: number }));
  }

  const typed = () => compute(async () => ({ ...await now(), caption: box.value, dense: denseBox.value, mask: "" }), {}, true);
  answerTyping(box, typed);
  answerTyping(denseBox, typed, false);

  // The best picture for the first example of a gallery, by the usual settings.
  async function example(name = site.galleries[0].name) {
    const facts = await engine.open(name);
    const [caption] = facts.chips;
    const [index] = fromHighest(await pairs.scores(facts, caption));
    return { facts, index, caption, dense: "", knobs: null, step: 1, mask: "" };
  }

  // What a query asks for, with the picture's own dense caption where it names no caption; throws where it names what is
  // not there.
  async function asking(query) {
    const name = galleryOf(query, site);
    chooser.choose(name);
    const facts = await engine.open(name);
    const start = await example(name);
    const index = indexOf(query, facts) ?? (query.get("caption") ? 0 : start.index);
    const own = query.get("photo") === null ? "" : facts.items[index].captions[0];
    const caption = query.get("caption") || own || start.caption;
    const dense = denseOf(query) || (query.has("caption") ? "" : facts.items[index].dense);
    await readCaption(pairs, facts, caption);
    await readDense(pairs, facts, dense);
    const number = query.get("step") ?? "1";
    if (!STEPS.some((_, at) => String(at + 1) === number)) throw new Error(say("static.no_step", { step: number, count: STEPS.length }));
    return {
      facts, index, caption, dense,
      knobs: knobsOf(query, await engine.lesson(facts.model)), step: Number(number), mask: maskOfQuery(query, facts),
    };
  }

  function open(query, problem = "") {
    if (!view.value("walk")) view.place({ walk: { waiting: say("hint.computing") } });
    return compute(async () => {
      try {
        return problem ? { ...await example(), problem } : await asking(query);
      } catch (error) {
        return { ...await example(), problem: error.message };
      }
    }, { talk: query.get("talk") === "1" });
  }

  const again = (shown) => compute(async () => ({ ...shown, facts: await engine.open(shown.gallery) }));

  return { open, again, state: () => state };
}
