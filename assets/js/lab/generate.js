// Generate: a scene is drawn for a caption, with where its words shaped it, and what a captioner reads in it.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { mount as drawingMount } from "../generate/generate.js";
import { mount as looksMount } from "../generate/looks.js";
import { mount as readsMount } from "../generate/recaption.js";
import { latest } from "../shell/latest.js";
import { captionsOfPhoto } from "./captions.js";

const SEVERAL = 4; // pictures of a series, as in demo/service/generating/request.py
const NUMBERS = { steps: "steps", guidance: "guidance", seed: "draw_seed" }; // of a drawing -> in the address
const ASKED = ["draw", "count", ...Object.values(NUMBERS)];
const EXAMPLES = [
  "a red boat at sea",
  "two yellow balloons and a black cat on a starry night",
  "a white sheep and a green tree in the park",
  "a green tractor standing on the left in winter",
  "a violet owl sits on the right of a mouse in the park",
];

export function generatePart(app) {
  const { engine, state, line } = app;
  const run = latest();
  const caption = h("textarea", { id: "generate-caption", rows: "1", spellcheck: "false", keydown: (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    press(1);
  } });
  const field = (id, min, max, step) => h("input", { id, type: "number", min, max, step });
  const fields = { steps: field("draw-steps", 10, 100, 1), guidance: field("draw-guidance", 1, 15, 0.5), seed: field("draw-seed", 0, 2 ** 31 - 1, 1) };
  const draw = button({ class: "main-action", "data-do": "draw", click: () => press(1) }, say("lab_page.draw"));
  const series = button({ "data-do": "series", click: () => press(SEVERAL) }, say("lab_page.series", { count: SEVERAL }));
  const stop = button({ hidden: true, "data-do": "stop", click: () => controller?.abort(new Error(say("app.cancelled"))) }, say("lab_page.stop"));
  const examples = h("div", { class: "chips", role: "group", "aria-label": say("lab_page.examples") }, ...EXAMPLES.map((text) =>
    button({ class: "chip", click: () => { caption.value = text; press(1); } }, text)));
  const [drawingPlace, readsPlace, looksPlace] = ["seps-generate", "seps-told", "seps-looks"].map((name) => h("div", { class: name }));
  const settings = h("details", { class: "fold" }, h("summary", {}, say("lab_page.settings")),
    h("div", { class: "fields" }, ...Object.entries(fields).map(([name, input]) => h("label", {}, say(`lab_page.${name}`), " ", input))));
  const captions = captionsOfPhoto(app);
  const element = h("div", { class: "lab-part" },
    h("div", { class: "ask-box" }, h("label", { for: "generate-caption" }, say("explore.caption")), caption),
    h("div", { class: "actions" }, draw, series, stop, settings), examples,
    h("div", { class: "lab-columns" }, drawingPlace, readsPlace), looksPlace, captions.element);
  const drawing = drawingMount(drawingPlace, (event, detail) => event === "choose" && choose(detail.index));
  const reads = readsMount(readsPlace, () => {});
  const looks = looksMount(looksPlace, (event, detail) => {
    if (event === "word") ({ word } = detail);
  });
  const explore = button({ class: "quiet", hidden: true, "data-do": "explore", click: () => state.set({
    view: "explore", part: "", gallery: "drawn", photo: String(drawn.seed + drawing.value.chosen), caption: drawn.caption, mask: "",
    layer: `fit:${word ?? looks.value.selected}`,
  }, { push: true }) }, say("lab_page.open_explore"));
  looksPlace.after(h("div", { class: "actions" }, explore));
  let controller = null;
  let explained = []; // of each picture of the drawing
  let word = null; // the word that was chosen, by its position; null for the first one
  let drawn = null; // the finished drawing: its caption and numbers

  function press(count) {
    const text = caption.value.trim();
    if (!text) return line.problem(say("explore.empty"));
    const numbers = Object.fromEntries(Object.entries(NUMBERS).map(([name, key]) => [key, fields[name].value]));
    const next = { draw: text, ...numbers, count: count > 1 ? String(count) : "" };
    const now = state.get();
    if (ASKED.every((name) => now[name] === next[name])) ask(now);
    else state.set(next, { push: true });
    return undefined;
  }

  function choose(index) {
    const { says, reads: read, looks: looked } = explained[index];
    drawing.show({ ...drawing.value, film: undefined, chosen: index, says });
    reads.show(read);
    looks.show({ ...looked, selected: word ?? looked.selected });
  }

  function place({ drawing: value, explained: found, caption: text, numbers }) {
    drawing.show(value);
    drawingPlace.dataset.caption = text;
    if (found) {
      explained = found;
      drawn = { caption: text, ...numbers };
      word = null;
      explore.hidden = false;
      reads.show(found[value.chosen].reads);
      looks.show(found[value.chosen].looks);
    }
    if (document.activeElement !== caption) caption.value = text;
    for (const [name, number] of Object.entries(numbers)) if (document.activeElement !== fields[name]) fields[name].value = String(number);
  }

  // Draw the caption of the state, or show the drawing that ships.
  async function ask(now) {
    const own = new AbortController();
    controller = own;
    const isOwn = Boolean(now.draw);
    stop.hidden = !isOwn;
    for (const each of [draw, series]) each.disabled = true;
    element.setAttribute("aria-busy", "true");
    line.problem("");
    explained = [];
    explore.hidden = true;
    if (isOwn) [reads, looks].forEach((each) => each.show(null));
    const values = { caption: now.draw, count: Number(now.count || 1) };
    for (const [name, key] of Object.entries(NUMBERS)) values[name] = isOwn && now[key] ? Number(now[key]) : null;
    const says = line.progress(say("lab_page.drawing"));
    const progress = ({ value, rank, text }) => (value ? place(value) : says({ rank, text }));
    let isLast = false;
    try {
      const answer = await run((signal) => {
        signal.addEventListener("abort", () => own.abort(signal.reason));
        return engine.generate(values, { signal: own.signal, progress });
      });
      isLast = Boolean(answer);
      if (answer) place(answer);
    } catch (error) {
      isLast = true;
      line.problem(error.message);
      if (drawing.value) drawing.show({ ...drawing.value, done: 0, film: null, says: say("generate.stopped"), stopped: true });
    }
    if (!isLast && controller !== own) return; // a newer drawing is on its way
    line.wait("");
    for (const each of [draw, series]) each.disabled = false;
    stop.hidden = true;
    element.setAttribute("aria-busy", "false");
  }

  function show(now, before) {
    captions.show(now, before);
    if (!before ? !drawing.value || (now.draw && drawingPlace.dataset.caption !== now.draw) : ASKED.some((name) => now[name] !== before[name])) ask(now);
  }

  const files = () => (drawn ? [{ what: "drawing", values: () => ({ ...drawn, seed: drawn.seed + drawing.value.chosen }) }] : []);
  return { element, files, show };
}
