// Two explanations of one word on one picture: where the UNet looked while it drew, and where SEPS finds the word.

import { floats } from "../base/numbers.js";
import { fitImage, onPhotos } from "../base/canvas.js";
import { describedBy, h, press } from "../base/dom.js";
import { refold } from "../base/fold.js";
import { mounting } from "../base/mount.js";
import { say } from "../base/words.js";
import { drawHeat, heatKey, tokenButtons } from "./parts.js";

const SIDES = ["unet", "seps"];
const LARGEST = 360; // CSS pixels of a picture's width

function build(root, value, trigger) {
  const maps = Object.fromEntries(SIDES.map((side) => [side, floats(value[side])]));
  let chosen = Math.max(0, value.words.findIndex(({ word }) => word === value.selected));
  let photo = null;

  const tokens = tokenButtons(value.words.map(({ label }) => label), say("generate.looks_of"), (index) => {
    chosen = index;
    trigger("word", { word: value.words[index].word });
    draw();
  });
  const figures = SIDES.map((side) => {
    const canvas = h("canvas", { role: "img", "data-side": side, "aria-label": say(`generate.${side}`) });
    const says = h("p", {});
    describedBy(canvas, says);
    return { side, canvas, says, element: h("figure", {}, h("h4", {}, say(`generate.${side}`)), canvas, h("figcaption", {}, says)) };
  });
  const key = h("div", { class: "seps-legend-place" });
  const numbers = h("div", {});
  root.append(
    h("h3", {}, say("generate.looks")),
    h("p", { class: "seps-note" }, say("generate.looks_hint")),
    tokens.element,
    h("div", { class: "seps-pair" }, ...figures.map(({ element }) => element)), key, numbers,
  );

  function draw() {
    const word = value.words[chosen];
    press(tokens.buttons, (element) => Number(element.dataset.token) === chosen);
    if (!word) return;
    key.replaceChildren(heatKey(say("generate.weight", { word: word.label }), word.high));
    refold(numbers, ...word.numbers);
    for (const { side, canvas, says } of figures) {
      says.textContent = word[side];
      if (photo) drawHeat(canvas, photo, { grid: value.grid, values: maps[side][chosen], high: word.high });
    }
  }

  draw();
  return onPhotos(root, [value.photo], ([image]) => { photo = image; }, () => {
    for (const { canvas, element } of figures) fitImage(canvas, photo, Math.min(LARGEST, element.clientWidth));
    draw();
  });
}

// trigger("word", {word}) reports the chosen word.
export const mount = mounting("seps-looks", build, say("generate.no_looks"));
