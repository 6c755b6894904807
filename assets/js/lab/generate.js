// Generate: a scene is drawn for a caption while one looks on, and a captioner reads it.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { mount as drawingMount } from "../generate/generate.js";
import { mount as readsMount } from "../generate/recaption.js";
import { latest } from "../shell/latest.js";
import { component } from "../base/component.js";

export function generatePart({ engine, line }) {
  const run = latest();
  const caption = h("textarea", { id: "generate-caption", rows: "1", spellcheck: "false" });
  const field = (id, min, max, step) => h("input", { id, type: "number", min, max, step });
  const fields = { steps: field("draw-steps", 10, 100, 1), guidance: field("draw-guidance", 1, 15, 0.5), seed: field("draw-seed", 0, 2 ** 31 - 1, 1) };
  const draw = button({ class: "main-action", click: () => ask(true) }, say("lab_page.draw"));
  const stop = button({ hidden: true, click: () => end() }, say("lab_page.stop"));
  const [drawingPlace, readsPlace] = ["seps-generate", "seps-told"].map((name) => h("div", { class: name }));
  const settings = h("details", { class: "fold" }, h("summary", {}, say("lab_page.settings")),
    h("div", { class: "fields" }, ...Object.entries(fields).map(([name, input]) => h("label", {}, say(`lab_page.${name}`), " ", input))));
  const element = h("div", { class: "lab-part" },
    h("div", { class: "ask-box" }, h("label", { for: "generate-caption" }, say("explore.caption")), caption),
    h("div", { class: "actions" }, draw, stop, settings), h("div", { class: "lab-columns" }, drawingPlace, readsPlace));
  const drawing = component(drawingPlace, drawingMount, null, () => {});
  const reads = component(readsPlace, readsMount, null, () => {});
  let controller = null;

  function end() {
    controller?.abort(new Error(say("app.cancelled")));
  }

  function place({ drawing: value, reads: told, caption: text, numbers }) {
    drawing.show(value);
    if (told) reads.show(told);
    if (document.activeElement !== caption) caption.value = text;
    for (const [name, number] of Object.entries(numbers ?? {})) if (document.activeElement !== fields[name]) fields[name].value = String(number);
  }

  // Draw the caption in the box, or what ships.
  async function ask(isOwn) {
    const own = new AbortController();
    controller = own;
    stop.hidden = !isOwn;
    draw.disabled = true;
    line.problem("");
    try {
      const numbers = Object.fromEntries(Object.entries(fields).filter(([, input]) => isOwn && input.value).map(([name, input]) => [name, input.valueAsNumber]));
      const progress = ({ value, rank, text }) => (value ? place(value) : line.wait(rank > 0 ? say("app.queue", { rank }) : text || say("lab_page.drawing")));
      const values = { caption: isOwn ? caption.value : "", ...numbers };
      if (isOwn && !caption.value.trim()) throw new Error(say("explore.empty"));
      const answer = await run((signal) => {
        signal.addEventListener("abort", () => own.abort(signal.reason));
        return engine.generate(values, { signal: own.signal, progress });
      });
      if (answer) place(answer);
    } catch (error) {
      line.problem(error.message);
    }
    line.wait("");
    draw.disabled = false;
    stop.hidden = true;
  }

  return { element, show: (now, before) => !before && !drawing.value && ask(false) };
}
