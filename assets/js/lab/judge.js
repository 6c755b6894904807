// Judge: how good a picture looks and how well it fits a prompt. It opens with the photo in sight.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { mount as judgeMount } from "../judge/judge.js";
import { mount as distortionMount } from "../judge/distortion.js";
import { mount as severalMount } from "../judge/several.js";
import { latest } from "../shell/latest.js";
import { openGallery, textBox, working } from "../shell/parts.js";
import { itemAt, positionOrFirst, pictureRow } from "../shell/pictures.js";

const PAUSE = 350; // milliseconds
const ASKED = ["view", "part", "gallery", "photo", "caption", "other"]; // names of the state that a judgement depends on

export function judgePart(app) {
  const { engine, state, line } = app;
  const [run, degrading, sorting] = [latest(), latest(), latest()];
  const asksPrompt = (caption) => state.set({ caption, mask: "" });
  const prompt = textBox({ id: "judge-prompt" }, say("lab_page.prompt"), asksPrompt, PAUSE);
  const second = { id: "judge-other", placeholder: say("lab_page.other_hint") };
  const other = textBox(second, say("lab_page.other"), (text) => state.set({ other: text }), PAUSE);
  let sortsNext = false; // whether the pictures that were just opened are judged together
  const pictures = pictureRow(app, { taken: ({ name, items: [first] }) => {
    sortsNext = true;
    const now = state.get();
    if (now.gallery === name && now.photo === first.key) show(now, null); // other files under the same names
  } });
  const [judgePlace, spoilPlace, severalPlace] = ["seps-judge", "seps-spoil", "seps-several"].map((name) => h("div", { class: name }));
  const words = button({ class: "quiet", click: () => {
    const first = Math.max(0, prompt.box.value.trim().split(/\s+/).findIndex((word) => word.length > 3));
    state.set({ view: "explore", part: "", layer: `fit:${first + 1}` }, { push: true });
  } }, say("lab_page.see_words"));
  const element = h("div", { class: "lab-part" }, h("div", { class: "two" }, prompt.element, other.element),
    pictures.element, judgePlace, h("div", { class: "actions" }, words), severalPlace, spoilPlace);
  const work = working(element, line);
  const view = judgeMount(judgePlace, () => {});
  const spoil = distortionMount(spoilPlace, (event, detail) => event === "spoil" && degrade(detail));
  const several = severalMount(severalPlace, (event, detail) => {
    if (event === "all") sort();
    if (event === "export") save(detail.by);
    if (event === "pick") state.set({ photo: keys[detail.index], mask: "" }, { push: true });
  });
  let pair = null;
  let keys = []; // of the photos of the gallery

  const progress = line.progress(say("app.measuring"));
  const degrade = ({ spoil: kind, strength }) => work(degrading, (signal) =>
    engine.degrade({ ...pair, kind, strength }, { signal, progress }), (value) => spoil.show(value));
  const sort = () => work(sorting, (signal) => engine.several(pair, { signal, progress }), (value) => several.show(value));

  const save = (by) => work(sorting, (signal) => engine.save("several", { ...pair, by }, { signal, progress }), line.note);

  function show(now, before) {
    if (before && ASKED.every((name) => now[name] === before[name])) return;
    degrading.stop();
    sorting.stop();
    work(run, async (signal) => {
      const facts = await openGallery(app, now.gallery);
      const index = await positionOrFirst(app, facts, now.photo);
      const values = { gallery: facts.name, index, prompt: now.caption, other: now.other };
      line.wait(say("lab_page.judging"));
      return { facts, index, values, answer: await engine.judge(values, { signal }) };
    }, ({ facts, index, values, answer }) => {
      pair = { gallery: values.gallery, index, prompt: answer.prompt };
      const { key } = itemAt(facts, index);
      keys = facts.items.map(({ key: name }) => name);
      state.set({ gallery: facts.name, photo: key, caption: now.caption || answer.prompt }, { quiet: true });
      prompt.show(answer.prompt);
      other.show(now.other);
      pictures.show(facts, key);
      view.show(answer.judgement);
      spoil.show(answer.distortion);
      several.show(answer.several);
      if (sortsNext && keys.length > 1) sort();
      sortsNext = false;
    });
  }

  const files = () => (pair ? [{ what: "judge", label: "scores", values: () => pair }] : []);
  return { element, files, show };
}
