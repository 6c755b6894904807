// A judgement: the picture with each patch's contribution to the quality base, and a scale for each score and prompt.

import { floats } from "../base/numbers.js";
import { fitImage, onPhotos } from "../base/canvas.js";
import { checkbox, describedBy, h } from "../base/dom.js";
import { fold } from "../base/fold.js";
import { mounting } from "../base/mount.js";
import { say } from "../base/words.js";
import { credit } from "../picture/legend.js";
import { overPatches } from "../picture/patches.js";
import { placeOf } from "../record/record.js";
import { scaleKey, scoreScale } from "./scale.js";
import { drawShares, sharesKey } from "./attributions.js";

const NARROW = 560; // CSS pixels

function build(root, value) {
  const attributions = value.shares && { ...value.shares, values: floats(value.shares.values) };
  let photo = null;
  let patch = null;
  let shown = Boolean(attributions);

  const canvas = h("canvas", {
    role: attributions ? "application" : "img", tabindex: attributions ? "0" : null, "aria-label": value.photo.title || say("judge.patches"),
  });
  const toggle = checkbox(say("judge.heatmap"), shown, (on) => {
    shown = on;
    draw();
  });
  const reading = h("p", { class: "seps-reading", role: "status", "aria-live": "polite" });
  const scales = value.scales.map((scale) => ({ scale, place: h("div", { class: "seps-scale-place" }) }));
  const parts = scales.map(({ scale, place }) => h(
    "section", { class: "seps-score", "data-score": scale.name, "data-final": scale.final },
    h("h3", {}, scale.title, scale.prompt ? h("span", {}, ` “${scale.prompt}”`) : null),
    place,
    h("p", {}, scale.says),
    fold(scale.numbers),
  ));
  root.append(h("div", { class: "seps-halves" },
    h("figure", {},
      h("h3", {}, say("judge.patches")),
      canvas,
      attributions ? h("div", { class: "seps-settings" }, toggle, sharesKey(attributions.most)) : null,
      reading,
      fold(attributions?.numbers),
      h("figcaption", {}, credit(value.photo)),
    ),
    h("div", { class: "seps-scores" }, ...parts, scaleKey(), value.moved ? h("p", { class: "seps-moved" }, value.moved) : null),
  ));
  describedBy(canvas, reading);
  if (attributions) {
    overPatches(canvas, attributions.grid, () => patch, (next) => {
      patch = next;
      draw();
    });
  }

  function read() {
    if (patch === null) return `${attributions.says} ${attributions.alternative}`;
    const share = attributions.values[patch];
    return say(share < 0 ? "judge.patch_against" : "judge.patch_for", { ...placeOf(attributions, patch), share });
  }

  function draw() {
    reading.textContent = attributions ? read() : say("judge.no_shares");
    if (photo) drawShares(canvas, photo, shown ? attributions : null, { patch });
  }

  draw();
  return onPhotos(root, [value.photo], ([image]) => { photo = image; }, (width) => {
    root.classList.toggle("seps-narrow", width < NARROW);
    fitImage(canvas, photo, canvas.parentElement.clientWidth);
    for (const { scale, place } of scales) place.replaceChildren(scoreScale(scale, place.clientWidth));
    draw();
  });
}

export const mount = mounting("seps-judge", build, say("judge.no_judgement"));
