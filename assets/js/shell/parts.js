// Shared components of the places: tabs, labelled text boxes and progress lines.

import { button, debounced, h, press } from "../base/dom.js";
import { say } from "../base/words.js";
import { downloadMenu } from "./download.js";

// A place of several parts: a switch above the visible part. makers: by name, the first one for an empty state,
// make(app) returns {element, show(now, before), files()}; files: optional, see `downloadMenu`.
export function placeOfParts(app, section, makers) {
  const names = Object.keys(makers).filter((name) => !app.engine.lacks.includes(name));
  const buttons = names.map((name, at) => button(
    { "data-part": name, click: () => app.state.set({ part: at ? name : "" }, { push: true }) }, say(`${section}.${name}`)));
  const body = h("div", { class: "part-body" });
  const made = new Map();
  let part = null; // in sight
  const download = downloadMenu(app, () => part?.files?.() ?? []);
  const element = h("div", { class: `place ${section}` },
    h("div", { class: "place-head" }, h("div", { class: "switch", role: "group", "aria-label": say(`${section}.parts`) }, ...buttons), download), body);

  function show(now, before) {
    const name = names.includes(now.part) ? now.part : names[0];
    press(buttons, ({ dataset }) => dataset.part === name);
    if (app.engine.lacks.includes(now.part)) app.line.note(say("app.needs_app", { name: say(`${section}.${now.part}`) }));
    if (!made.has(name)) made.set(name, makers[name](app));
    part = made.get(name);
    download.hidden = !part.files;
    const isThere = body.firstElementChild === part.element;
    if (!isThere) body.replaceChildren(part.element);
    return part.show(now, isThere ? before : null);
  }

  return { element, show };
}

// A box of text under its label; typed(text): a person rests; show(text) leaves what a person types there.
export function textBox(attributes, label, typed, pause = 250) {
  const input = debounced(() => typed(box.value), pause);
  const box = h("textarea", { rows: "1", spellcheck: "false", input, ...attributes });
  const element = h("div", { class: "ask-box" }, h("label", { for: attributes.id }, label), box);
  const show = (text) => {
    if (document.activeElement !== box) box.value = text;
  };
  return { element, box, show };
}

// Run work, show that it is on its way, and say what was wrong: working(element, line)(run, work, place).
export function working(element, line) {
  let count = 0; // of works on their way
  return async (run, work, place) => {
    count += 1;
    element.setAttribute("aria-busy", "true");
    try {
      const result = await run(work);
      if (result !== null) {
        line.problem("");
        place(result);
      }
    } catch (error) {
      line.problem(error.message);
    }
    count -= 1;
    if (count) return;
    line.wait("");
    element.setAttribute("aria-busy", "false");
  };
}

// The gallery of a state, open: its facts.
export async function openGallery({ engine, line }, name) {
  const { galleries } = await engine.start();
  const facts = await engine.open(name || galleries[0].name, { progress: line.progress(say("app.opening")) });
  line.wait("");
  return facts;
}
