// Judge: how good a picture looks and how well it fits a prompt. It opens with the photo in sight.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { mount as judgeMount } from "../judge/judge.js";
import { mount as distortionMount } from "../judge/distortion.js";
import { debounced, latest } from "../shell/latest.js";
import { openGallery, working } from "../shell/parts.js";
import { photoPicker } from "../shell/picker.js";
import { component } from "../base/component.js";

const PAUSE = 350; // milliseconds

export function judgePart(app) {
  const { engine, state, line } = app;
  const [run, degrading] = [latest(), latest()];
  const prompt = h("textarea", { id: "judge-prompt", rows: "1", spellcheck: "false", input: debounced(() => state.set({ caption: prompt.value }), PAUSE) });
  const other = h("textarea", { id: "judge-other", rows: "1", spellcheck: "false", placeholder: say("lab_page.other_hint"), input: debounced(() => state.set({ other: other.value }), PAUSE) });
  const picker = photoPicker({ choose: (photo) => state.set({ photo }) });
  const [judgePlace, spoilPlace] = ["seps-judge", "seps-spoil"].map((name) => h("div", { class: name }));
  const box = (field, label) => h("div", { class: "ask-box" }, h("label", { for: field.id }, say(label)), field);
  const element = h("div", { class: "lab-part" }, h("div", { class: "two" }, box(prompt, "lab_page.prompt"), box(other, "lab_page.other")), picker.element, judgePlace, spoilPlace);
  const work = working(element, line);
  const view = component(judgePlace, judgeMount, null, () => {});
  const spoil = component(spoilPlace, distortionMount, null, (event, detail) => event === "spoil" && degrade(detail));
  let pair = null;

  const progress = ({ text, done }) => line.wait(text || say("app.measuring"), done);
  const degrade = ({ spoil: kind, strength }) => work(degrading, (signal) =>
    engine.degrade({ ...pair, kind, strength }, { signal, progress }), (value) => spoil.show(value));

  function show(now, before) {
    const names = ["view", "part", "gallery", "photo", "caption", "other"];
    if (before && names.every((name) => now[name] === before[name])) return;
    work(run, async (signal) => {
      const facts = await openGallery(app, now.gallery);
      const index = Math.max(0, facts.items.findIndex(({ key }) => key === now.photo));
      const values = { gallery: facts.name, index, prompt: now.caption, other: now.other };
      line.wait(say("lab_page.judging"));
      return { facts, index, values, answer: await engine.judge(values, { signal }) };
    }, ({ facts, index, values, answer }) => {
      pair = { gallery: values.gallery, index, prompt: answer.prompt };
      state.set({ gallery: facts.name, photo: facts.items[index].key, caption: now.caption || answer.prompt }, { quiet: true });
      if (document.activeElement !== prompt) prompt.value = answer.prompt;
      if (document.activeElement !== other) other.value = now.other;
      picker.show(facts.items, facts.items[index].key);
      view.show(answer.judgement);
      spoil.show(answer.distortion);
    });
  }

  return { element, show };
}
