// Compare: captions side by side on one photo, and two photos for one caption.

import { sum } from "../base/arrays.js";
import { button, h, press } from "../base/dom.js";
import { say } from "../base/words.js";
import { downloadMenu } from "../shell/download.js";
import { latest } from "../shell/latest.js";
import { openGallery, textBox, working } from "../shell/parts.js";
import { itemAt, positionOf, positionOrFirst, photoPicker } from "../shell/pictures.js";
import { mount as pairMount } from "../why/why.js";
import { mount as captionsMount } from "./compare.js";

const STARTING = 3; // captions

export function build(app) {
  const { engine, state, line, announce } = app;
  const run = latest();
  let facts = null;
  let asked = null; // what is in sight, as files are asked for
  const parts = ["captions", "pair"].map((part) =>
    button({ "data-part": part, click: () => state.set({ part: part === "captions" ? "" : part }, { push: true }) }, say(`compare_page.${part}`)));
  const lines = { id: "captions-box", rows: "3" };
  const box = textBox(lines, say("compare_page.captions_label"), (captions) => state.set({ captions }));
  const caption = textBox({ id: "pair-caption" }, say("explore.caption"), (text) => state.set({ caption: text }));
  const second = { id: "pair-other", placeholder: say("compare_page.other_hint") };
  const other = textBox(second, say("compare_page.other"), (text) => state.set({ other: text }));
  const picker = photoPicker({ choose: (key) => state.set({ photo: key, captions: "" }) });
  const [captionsPlace, pairPlace] = ["seps-compare", "seps-why"].map((name) => h("div", { class: name }));
  const ofCaptions = h("section", { class: "compare-captions" }, box.element, picker.element, captionsPlace);
  const two = h("div", { class: "two" }, caption.element, other.element);
  const ofPair = h("section", { class: "compare-pair" }, two, pairPlace);
  const download = downloadMenu(app, () => (asked ? [asked] : []));
  const element = h("div", { class: "compare-page" }, h("div", { class: "place-head" }, h("div", { class: "switch", role: "group", "aria-label": say("compare_page.which") }, ...parts), download), ofCaptions, ofPair);

  const work = working(element, line);
  let looks = {}; // of the pictures, which their own controls change
  const captionsView = captionsMount(captionsPlace, (event, detail) => {
    if (event === "why") { // the best caption and the next one, as a pair
      const [best, next] = [...captionsView.value.items].sort((first, second) => second.similarity - first.similarity);
      state.set({ part: "pair", caption: best.caption, other: next.caption }, { push: true });
    }
    if (event === "measure") compute({ ...state.get(), layer: detail.layer });
    if (event !== "layer") return;
    looks = detail;
    state.set({ layer: detail.layer }, { quiet: true });
  });
  const pairView = pairMount(pairPlace, (event, detail) => {
    if (event === "layer") looks = detail;
    if (event !== "choose") return;
    const [left, right] = pairView.value.sides.map(({ index }) => index);
    const pair = detail.side === "left" ? [detail.index, right] : [left, detail.index];
    const swapped = pair[0] === pair[1] ? [right, left] : pair;
    state.set({ photo: keyOf(pairView.value, swapped[0]), against: keyOf(pairView.value, swapped[1]) });
  });

  const keyOf = (value, index) => value.keys[index];

  // Captions to begin with: what is shown elsewhere, and others of the photo.
  function linesOf(now, index) {
    if (now.captions) return now.captions;
    const item = itemAt(facts, index);
    const own = item.phrases.length > 1 ? item.phrases : item.captions;
    const lines = [...new Set([now.caption, ...own].filter(Boolean))].slice(0, STARTING);
    return (lines.length > 1 ? lines : [...lines, ...facts.chips.filter((chip) => !lines.includes(chip))].slice(0, STARTING)).join("\n");
  }

  const compute = (now) => work(run, async (signal) => {
    facts = await openGallery(app, now.gallery);
    return now.part === "pair" ? pairOf(now, signal) : captionsOf(now, signal);
  }, (show) => show());

  async function captionsOf(now, signal) {
    const opening = facts.openings.compare;
    const isUntouched = !now.captions && opening && (!now.photo || now.caption === facts.chips[0]);
    const index = isUntouched ? opening.index : await positionOrFirst(app, facts, now.photo);
    const lines = isUntouched ? opening.captions.join("\n") : linesOf(now, index);
    const values = { gallery: facts.name, index, captions: lines, layer: now.layer };
    const value = await engine.compare(values, { signal });
    return () => {
      looks = { layer: value.layer ?? now.layer };
      asked = { what: "compare", values: () => ({ ...values, ...looks }) };
      const { key } = itemAt(facts, index);
      state.set({ gallery: facts.name, photo: key, captions: lines }, { quiet: true });
      box.show(lines);
      picker.show(facts.items, key);
      captionsView.show(value);
      announce(value.shared);
    };
  }

  async function pairOf(now, signal) {
    const [index, against] = await Promise.all([now.photo, now.against].map((key) => positionOf(engine, facts, key)));
    const values = { gallery: facts.name, index, against, caption: now.caption || facts.chips[0], other: now.other, dense: now.dense };
    const value = await engine.contrast(values, { signal });
    return () => {
      looks = {};
      asked = { what: "contrast", values: () => ({ ...values, index: value.sides[0].index, against: now.other ? -1 : value.sides[1].index, ...looks }) };
      const [left, right] = value.sides.map((side) => side.index);
      state.set({ gallery: facts.name, photo: keyOf(value, left), against: now.other ? "" : keyOf(value, right), caption: values.caption }, { quiet: true });
      caption.show(values.caption);
      other.show(now.other);
      pairView.show({ ...value, rest: merged(value.rest) });
      announce(value.says[0]);
    };
  }

  function show(now, before) {
    const isPair = now.part === "pair";
    press(parts, ({ dataset }) => (dataset.part === "pair") === isPair);
    ofCaptions.hidden = isPair;
    ofPair.hidden = !isPair;
    const names = ["view", "part", "gallery", "photo", "caption", "captions", "against", "other", "dense"];
    if (!before || names.some((name) => now[name] !== before[name])) compute(now);
  }

  return { element, show };
}

// One row for all that belongs to no word and no token, and none where that is nothing.
function merged(rest) {
  const isOther = ({ name }) => ["specials", "left_over"].includes(name);
  const [left, right, difference] = ["left", "right", "difference"].map((side) => sum(rest.filter(isOther).map((part) => part[side] ?? 0)));
  const row = { name: "others", title: say("compare_page.others"), says: say("compare_page.others_means"), left, right, difference };
  return [...rest.filter((part) => !isOther(part)), row];
}
