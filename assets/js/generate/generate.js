// A picture while it is drawn, and the strip of its seeds.

import { button, calm, describedBy, h, press } from "../base/dom.js";
import { keepingFocus } from "../base/focus.js";
import { lasting } from "../base/mount.js";
import { say } from "../base/words.js";

const FRAME = 220; // milliseconds that each picture of a film stays

function build(root, trigger) {
  let value = null;
  let chosen = 0; // the picture that is shown large
  let timer = 0;
  let playing = null; // the picture of a film that is shown now
  let stopped = false; // whether the last drawing was, and none has begun since

  const picture = h("img", { class: "seps-drawn" });
  const bar = h("progress", { max: 1, value: 0, "aria-hidden": "true" });
  const says = h("p", { class: "seps-reading", role: "status", "aria-live": "polite" });
  const strip = h("div", { class: "seps-seeds", role: "group", "aria-label": say("generate.seeds") });
  root.replaceChildren(h("figure", {}, picture), bar, says, strip);

  describedBy(picture, says);

  const finished = () => value.scores.length > 0;
  const pictureOf = (index) => say("generate.picture", { caption: value.caption, seed: value.seeds[index] });

  function choose(index) {
    chosen = index;
    if (finished() && index !== value.chosen) trigger("choose", { index });
    draw();
  }

  function update(next) {
    const isFrame = next.done > 0 && !next.scores.length;
    if (stopped && isFrame) return; // it was on its way when its drawing was stopped
    stopped = Boolean(next.stopped);
    clearTimeout(timer);
    playing = null;
    // What was stopped leaves the pictures as they were.
    value = next.stopped && value ? { ...value, says: next.says, done: 0, scores: [] } : next;
    if (finished() || chosen >= value.seeds.length) chosen = value.chosen;
    says.textContent = value.says;
    if (value.film && !calm()) play(value.film);
    keepingFocus(strip, () => strip.replaceChildren(...(value.seeds.length > 1 ? value.pictures.map(card) : [])));
    draw();
  }

  /** @param {string[]} pictures */
  function play([source, ...others]) {
    playing = others.length ? source : null;
    if (!others.length) draw();
    else {
      picture.src = source;
      timer = setTimeout(() => play(others), FRAME);
    }
  }

  function card(source, index) {
    const seed = value.seeds[index];
    return button({ "data-seed": seed, "aria-label": say("generate.choose", { seed }), click: () => choose(index) },
      h("img", { src: source, alt: "" }),
      h("span", {}, say("generate.seed", { seed })),
      finished() ? h("span", { class: "seps-quiet" }, value.scores[index]) : null,
    );
  }

  function draw() {
    const source = playing ?? value.pictures[chosen];
    picture.hidden = !source;
    if (source) {
      picture.src = source;
      picture.alt = pictureOf(chosen);
    }
    bar.hidden = finished() || !value.done;
    bar.value = value.done / value.of;
    strip.hidden = !strip.children.length;
    press([...strip.children], (element) => Number(element.dataset.seed) === value.seeds[chosen]);
  }

  return { update, end: () => clearTimeout(timer) };
}

// trigger("choose", {index}) asks for the explanation of another seed's picture.
export const mount = lasting("seps-generate", build, say("generate.nothing"));
