// The camera in Explore: each frame is answered and forgotten; a frozen frame becomes an uploaded photo.

import { h } from "../base/dom.js";
import { component } from "../base/component.js";
import { camera, lens } from "../video/camera.js";

// caption(), gallery(): what frames are looked at with; frozen(work): work() leads to the frame as a gallery.
export function cameraLens({ engine, caption, gallery, frozen }) {
  const place = h("div", { class: "lens" }, h("div", { class: "seps-lens" }));
  const switchPlace = h("div", { class: "camera-switch" }, h("div", { class: "seps-video" }));
  const view = component(place, lens, {}, async (event, { frame }) => {
    if (event === "freeze") return frozen((_, options) => engine.freeze({ frame }, options));
    try {
      view.show(await engine.look({ gallery: gallery(), caption: caption(), frame }));
    } catch (error) {
      view.show({ key: performance.now(), problem: error.message });
    }
    return undefined;
  });
  component(switchPlace, camera, {}, () => {});
  return { element: place, toggle: switchPlace };
}
