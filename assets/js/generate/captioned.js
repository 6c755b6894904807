// A picture and its captions: each word shows where the captioner looked and, of a photo, where SEPS finds the word.

import { highest } from "../base/arrays.js";
import { floats } from "../base/numbers.js";
import { fitImage, onPhotos } from "../base/canvas.js";
import { button, h, press } from "../base/dom.js";
import { refold } from "../base/fold.js";
import { mounting } from "../base/mount.js";
import { say } from "../base/words.js";
import { drawHeat, heatKey, tokenButtons, statements } from "./parts.js";

const LARGEST = 420; // CSS pixels of a picture's width

function build(root, value) {
  let [beam, word, photo, tokens] = [0, null, null, null];
  let maps = [];

  const sides = value.beams[0].seps ? ["maps", "seps"] : ["maps"];
  const titles = { maps: value.photo.title, seps: say("generate.seps_photo") };
  if (sides.length > 1) titles.maps = say("generate.captioner");
  const figures = sides.map((side) => {
    const canvas = h("canvas", { role: "img", "data-side": side });
    return { side, canvas, element: h("figure", {}, canvas, h("figcaption", {}, titles[side])) };
  });
  const place = h("div", {});
  const key = h("div", { class: "seps-legend-place" });
  const says = h("p", { class: "seps-reading", role: "status", "aria-live": "polite" });
  const truth = h("div", { class: "seps-truth" });
  const numbers = h("div", {});
  const beams = value.beams.map(({ text, measures }, index) =>
    button({ "data-beam": index, click: () => take(index) }, h("q", {}, text), measures ? h("span", { class: "seps-quiet" }, measures) : ""));
  const heading = h("h4", {}, say(sides.length > 1 ? "generate.photo_captions" : "generate.captions"));
  root.append(
    h("p", { class: "seps-note", hidden: !value.note }, value.note),
    h("div", { class: "seps-pair" }, ...figures.map(({ element }) => element),
      h("div", {}, place, key, says, heading, h("div", { class: "seps-beams" }, ...beams), truth, numbers)));

  function take(index) {
    const chosen = value.beams[index];
    beam = index;
    word = null;
    maps = sides.map((side) => floats(chosen[side]));
    tokens = tokenButtons(chosen.words.map(({ label }) => label), say("generate.caption_words"), (number) => {
      word = word === number ? null : number;
      draw();
    });
    place.replaceChildren(tokens.element);
    const { truth: known } = chosen;
    truth.replaceChildren(...(known ? [...statements(known.statements, "truth"), h("p", { class: "seps-note" }, known.summary)] : []));
    press(beams, (element) => Number(element.dataset.beam) === index);
    draw();
  }

  function draw() {
    const { text, words, grid } = value.beams[beam];
    const values = word === null ? null : maps.map((each) => each[word]);
    const high = Math.max(0, ...(values ?? []).map(highest));
    press(tokens.buttons, (element) => Number(element.dataset.token) === word);
    says.textContent = values ? [words[word].says, words[word].seps].filter(Boolean).join(" ") : text;
    refold(numbers, value.beams[beam].numbers, values && words[word].numbers);
    key.replaceChildren(...(values ? [heatKey(say("generate.attention", { word: words[word].label }), high)] : []));
    figures.forEach(({ side, canvas }, number) => {
      const label = values && words[word][side === "seps" ? "seps" : "says"];
      canvas.setAttribute("aria-label", label || say("generate.captioned", { title: value.photo.title, text }));
      if (photo) drawHeat(canvas, photo, { grid, values: values && values[number], high });
    });
  }

  take(0);
  return onPhotos(root, [value.photo], ([image]) => { photo = image; }, () => {
    for (const { canvas, element } of figures) fitImage(canvas, photo, Math.min(LARGEST, element.clientWidth));
    draw();
  });
}

export const mount = mounting("seps-captioned", build, say("generate.no_caption"));
