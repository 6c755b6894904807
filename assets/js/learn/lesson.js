// The method on the photo and the caption in sight, step by step, under settings.

import { debounced, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { titleOf } from "../explore/sources.js";
import { mount } from "../lesson/lesson.js";
import { latest } from "../shell/latest.js";
import { openGallery, working } from "../shell/parts.js";
import { itemAt, positionOrFirst, photoPicker } from "../shell/pictures.js";
import { KNOBS } from "../shell/state.js";

const PAUSE = 300; // milliseconds
const TEXTS = ["decision", "variant"];
const nameOf = (knob) => (knob === "dense" ? "use_dense" : knob);

export function lessonPart(app) {
  const { engine, state, line } = app;
  const run = latest();
  const caption = h("textarea", { rows: "1", "aria-label": say("explore.caption"), spellcheck: "false", input: debounced(() => state.set({ caption: caption.value, mask: "" }), PAUSE) });
  const dense = h("textarea", { rows: "2", "aria-label": say("explore.dense"), placeholder: say("explore.dense_hint"), spellcheck: "false",
    input: debounced(() => state.set({ dense: dense.value, mask: "" }), PAUSE) });
  const picker = photoPicker({ choose: (photo) => state.set({ photo, mask: "" }) });
  const example = h("details", { class: "fold example" }, h("summary", {}, say("learn_page.example")), picker.element, caption, dense);
  const place = h("div", { class: "seps-lesson" });
  const element = h("div", {}, example, place);
  const work = working(element, line);
  const usual = new Map(); // model -> the settings that it is evaluated with
  let model = "";
  let asked = null;
  let values = null; // of the lesson in sight
  let talks = false;
  const view = mount(place, (event, detail) => {
    if (event === "step") state.set({ step: String(detail.step), talk: detail.talk ? "1" : "" }, { quiet: true });
    if (event === "knobs") turn(detail);
    if (event === "paint") state.set({ mask: detail.mask, step: String(detail.step) });
    return undefined;
  });

  // Other settings, of which the address names those that are not usual.
  function turn(knobs) {
    asked = knobs;
    const now = usual.get(model) ?? {};
    state.set({ ...Object.fromEntries(Object.entries(knobs).map(([knob, value]) =>
      [nameOf(knob), value === now[knob] ? "" : written(value)])), mask: "" });
  }

  function show(now, before) {
    const names = ["view", "part", "gallery", "photo", "caption", "dense", "mask", ...KNOBS];
    talks = !before && now.talk === "1";
    if (!before || names.some((name) => now[name] !== before[name])) compute(now);
    else if (now.step !== before.step && view.value) view.show({ ...view.value, step: Number(now.step || 1) });
  }

  const compute = (now) => work(run, async (signal) => {
    const facts = await openGallery(app, now.gallery);
    const opening = facts.openings.search;
    const index = await positionOrFirst(app, facts, now.photo);
    const text = now.caption || (now.photo ? itemAt(facts, index).captions[0] : opening?.captions[0]) || facts.chips[0];
    const start = now.photo || !opening ? index : opening.index;
    const asks = { gallery: facts.name, index: start, caption: text, dense: now.dense, step: Number(now.step || 1), mask: now.mask, knobs: knobsOf(now) };
    const partial = (value) => !signal.aborted && place_(facts, value);
    const value = await engine.lesson(asks, { signal, partial });
    return { facts, index: start, text, value, asks };
  }, ({ facts, index, text, value, asks }) => {
    values = asks;
    const { key } = itemAt(facts, index);
    state.set({ gallery: facts.name, photo: key, caption: text }, { quiet: true });
    place_(facts, value);
    picker.show(facts.items, key);
    for (const [box, words] of [[caption, text], [dense, state.get().dense]]) if (document.activeElement !== box) box.value = words;
  });

  function place_(facts, value) {
    model = facts.model;
    if (!KNOBS.some((name) => state.get()[name])) usual.set(model, value.knobs);
    const [rank, other] = [value.rank, value.caption_rank].map((place) => place && { ...place, gallery: titleOf(place.gallery) });
    view.show({ ...value, rank, caption_rank: other, step: Number(state.get().step || 1), talk: talks, ...(asked ? { asked } : {}) });
    asked = null;
    talks = false;
  }

  const files = () => (values ? [{ what: "lesson", label: "lesson", values: () => values }] : []);
  return { element, show, ...(engine.formats.lesson ? { files } : {}) };
}

const written = (value) => (typeof value === "boolean" ? (value ? "True" : "False") : String(value));

function knobsOf(now) {
  const knobs = KNOBS.filter((name) => now[name]).map((name) => {
    if (name === "use_dense") return ["dense", now[name] === "True"];
    return [name, TEXTS.includes(name) ? now[name] : Number(now[name])];
  });
  return knobs.length ? JSON.stringify(Object.fromEntries(knobs)) : "";
}
