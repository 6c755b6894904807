// The large picture: one layer over the photo, as large as its place allows, with a patch to point at.

import { imageOrBlank, onWidth, resize, tellBlanks } from "../base/canvas.js";
import { h } from "../base/dom.js";
import { drawLayer } from "../picture/layer.js";
import { drawObjects } from "../picture/objects.js";
import { overPatches } from "../picture/patches.js";

// choose(patch): the patch under the pointer, reached by the arrow keys, or null; over(): draws more on top of it.
export function makeStage({ grid, choose, over }) {
  const canvas = h("canvas", { class: "stage-canvas", role: "application", tabindex: "0" });
  const element = h("div", { class: "stage" }, h("div", { class: "stage-frame" }, canvas));
  let shown = null; // {photo, record, layer, opacity, lines, scene, objects}
  let [image, patch, source, listening] = [null, null, "", false];

  // Show a layer of a record over its photo; the picture before stays until another photo has come.
  async function show(next) {
    shown = next;
    if (!listening) {
      overPatches(canvas, grid(), () => patch, (at) => {
        patch = at;
        draw();
        choose(at);
      });
      listening = true;
    }
    if (source !== next.photo.src) {
      source = next.photo.src;
      const loaded = await imageOrBlank(next.photo);
      if (source !== next.photo.src) return undefined; // another one was asked for meanwhile
      image = loaded;
      tellBlanks(element, [image]);
      return fit();
    }
    return draw();
  }

  function fit() {
    if (!image || !element.clientWidth) return;
    const tallest = parseFloat(getComputedStyle(element).maxHeight) || 560;
    const scale = Math.min(element.clientWidth / image.naturalWidth, tallest / image.naturalHeight);
    resize(canvas, Math.round(scale * image.naturalWidth), Math.round(scale * image.naturalHeight));
    draw();
  }

  function draw() {
    if (!image || !shown) return;
    const { record, layer, opacity = 0.75, lines = true, scene, objects } = shown;
    drawLayer(canvas, image, record, layer, { opacity, lines, patch });
    if (objects && scene) drawObjects(canvas, scene);
    over();
  }

  onWidth(element, fit);
  addEventListener("resize", fit);
  return {
    element, canvas, show, draw,
    get image() { return image; },
    get patch() { return patch; },
    release() {
      patch = null;
      draw();
    },
  };
}
