// A video's timeline below its frame: captions over time, their best moments, a second caption.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { timeline } from "./timeline.js";

const PAUSE = 1000; // milliseconds: frames that are stepped through faster are one entry for Back

// choose(index, isNew): a frame was chosen; isNew: and the one before is to come back. second(caption): another caption
// is followed too; compare(): both are compared on the frame in sight.
export function videoTimeline({ choose, second, compare }) {
  const note = h("p", { class: "note-line" });
  const place = h("div", { class: "seps-list" });
  const element = h("section", { class: "video-timeline", hidden: true }, place, note);
  let film = null;
  let shown = null;
  let steppedAt = -Infinity;

  function pick(index) {
    const now = performance.now();
    choose(index, now - steppedAt > PAUSE);
    steppedAt = now;
  }

  // value: of demo/record/timeline.py, null where the gallery is no video; isTrained: whether the share of patches is.
  function show(value, index, isTrained) {
    element.hidden = !value;
    note.textContent = value && !isTrained ? say("explore.timeline_trained") : "";
    if (!value) {
      film = null;
      return;
    }
    const isFocused = place.contains(document.activeElement) && document.activeElement.className;
    film = timeline(value, index, pick, (event, detail) => (event === "second" ? second(detail.caption) : compare()));
    shown = value;
    place.replaceChildren(film.element);
    if (isFocused) place.querySelector(`.${isFocused.split(" ")[0]}`)?.focus({ preventScroll: true });
  }

  return { element, show, mark: (index) => film?.show(index), get formats() { return film ? shown.formats.map((name) => name.toLowerCase()) : []; } };
}
