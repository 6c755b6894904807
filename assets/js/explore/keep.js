// How much of the photo is kept: a slider from 5 to 95%, exact, with the share that the model was trained with marked.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";

const [LEAST, MOST] = [5, 95]; // percent

// The mask of the highest ranks, as many as a share in percent keeps.
export const maskAt = (rank, percent) => {
  const keep = Math.max(1, Math.ceil((rank.length * percent) / 100)); // see seps/method/selection.py
  return Array.from(rank, (place) => (place < keep ? 1 : 0));
};

// moved(percent): while the slider is moved, null for the trained share; settled(percent): once it rests.
export function keepSlider({ moved, settled }) {
  const slider = h("input", {
    type: "range", min: LEAST, max: MOST, step: "1", id: "keep", "aria-describedby": "keep-note",
    input: () => {
      write();
      moved(valueOf());
    },
    change: () => settled(valueOf()),
  });
  const label = h("label", { for: "keep" });
  const mark = h("span", { class: "keep-mark", "aria-hidden": "true" });
  const reset = button({ class: "quiet", click: back }, say("explore.reset"));
  const note = h("span", { class: "quiet-text", id: "keep-note" });
  const element = h("div", { class: "keep" }, label, h("span", { class: "keep-track" }, slider, mark), reset, note);
  let trained = 50;

  const valueOf = () => (slider.valueAsNumber === trained ? null : slider.valueAsNumber);

  function write() {
    const percent = slider.valueAsNumber;
    label.textContent = say(percent === trained ? "explore.keep_trained" : "explore.keep", { percent });
    reset.disabled = percent === trained || slider.disabled;
  }

  function back() {
    slider.value = String(trained);
    write();
    moved(null);
    settled(null);
  }

  // percent: null for the trained share; fixed, painted: why the slider cannot be moved, or a painted mask decides.
  function show(percent, trainedRatio, { fixed = "", painted = "" } = {}) {
    trained = Math.round(100 * trainedRatio);
    mark.style.setProperty("--at", String((trained - LEAST) / (MOST - LEAST)));
    mark.textContent = say("explore.trained", { percent: trained });
    slider.disabled = Boolean(fixed);
    note.textContent = fixed || painted;
    if (document.activeElement !== slider || slider.disabled) slider.value = String(percent ?? trained);
    write();
  }

  return { element, show };
}
