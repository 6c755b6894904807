// Edit: change a drawn scene and see its mask, score and rank follow. It opens with one change made.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { mount } from "../edit/edit.js";
import { rankingStrip } from "../explore/strip.js";
import { latest } from "../shell/latest.js";
import { textBox, working } from "../shell/parts.js";

const BACK = { undo: (changes) => changes.slice(0, -1), original: () => [] };

export function editPart({ engine, line }) {
  const run = latest();
  const box = textBox({ id: "edit-caption" }, say("explore.caption"), (caption) => compute({ caption }));
  const place = h("div", { class: "seps-edit" });
  const strip = rankingStrip({ choose: (index) => compute({ index, caption: "", changes: [] }, true), chooseCaption: () => {} });
  const element = h("div", { class: "lab-part" }, box.element,
    h("div", { class: "lab-columns" }, place, h("section", { class: "lab-strip", "aria-label": say("explore.ranking") }, strip.element)));
  const work = working(element, line);
  let shown = { index: -1, caption: "", changes: [] };
  const view = mount(place, (event, detail) => {
    if (event === "alter") compute({ changes: BACK[detail.do]?.(shown.changes) ?? [...shown.changes, detail] });
  });

  const compute = (changes, opens = false) => work(run, async (signal) => {
    const next = { ...shown, ...changes };
    const ask = (made) => engine.edit({ index: next.index, caption: next.caption, changes: JSON.stringify(made) }, { signal });
    const answer = await ask(next.changes);
    if (!opens) return { answer, changes: next.changes };
    const first = openingChange(answer.scene.objects);
    if (!first) return { answer, changes: [] };
    next.index = answer.index;
    next.caption = answer.caption;
    return { answer: await ask([first]), changes: [first] };
  }, ({ answer, changes: made }) => {
    shown = { index: answer.index, caption: answer.caption, changes: made };
    box.show(answer.caption);
    view.show(answer.scene);
    strip.photos(answer.items, answer.index);
  });

  const files = () => (view.value ? [{ what: "edit", label: "ranking", values: () => ({ ...shown, changes: JSON.stringify(shown.changes) }) }] : []);
  return { element, files, show: (now, before) => !before && !view.value && compute({}, true) };
}

// The change that the scene opens with: its first object that comes in several colours gets another one.
function openingChange(objects) {
  const thing = objects.find(({ colours, colour }) => colours.some((other) => other !== colour));
  return thing && { do: "recolour", object: thing.number, colour: thing.colours.find((other) => other !== thing.colour) };
}
