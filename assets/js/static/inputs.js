// What a person asks with: boxes to type in, and the choice of galleries.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";

const PAUSE = 150; // milliseconds without a key until what is typed is answered
const MEGABYTE = 1e6;

// Answer what is typed into a box, at once where Enter is pressed in one of a single caption.
export function answerTyping(box, asked, isOneCaption = true) {
  let typing = 0;
  const answer = () => {
    clearTimeout(typing);
    typing = 0;
    asked();
  };
  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(answer, PAUSE);
  });
  // What is chosen meanwhile comes after what was typed, and takes it along.
  document.addEventListener("change", ({ target }) => {
    if (typing && target !== box) answer();
  }, true);
  if (!isOneCaption) return;
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    answer();
  });
}

// The choice of one of several in a place: offer([[value, title], ...], chosen) draws them where they are others than
// before, and marks one.
export function choice(place, changed) {
  const inputs = () => /** @type {HTMLInputElement[]} */ ([...place.querySelectorAll("input")]);
  function offer(options, chosen) {
    const labels = options.map(([value, title]) =>
      h("label", {}, h("input", { type: "radio", name: place.id, value, change: () => changed(value) }), ` ${title}`));
    const isSame = inputs().map(({ value }) => value).join("\n") === options.map(([value]) => value).join("\n");
    if (!isSame) place.replaceChildren(place.firstElementChild, ...labels);
    choose(chosen);
  }
  function choose(chosen) {
    for (const input of inputs()) input.checked = input.value === chosen;
  }
  return { offer, choose };
}

// The choice of galleries in a place, each with what it takes to fetch: choose(name) marks one, add(name, title) adds one.
export function galleryChoice(place, site, changed) {
  const galleries = choice(place, changed);
  const options = site.galleries.map(({ name, title, bytes }) =>
    [name, say("static.gallery", { title, megabytes: (bytes + site.engine_bytes) / MEGABYTE })]);
  galleries.offer(options, null);
  function add(name, title) {
    if (options.some(([value]) => value === name)) return;
    options.push([name, title]);
    galleries.offer(options, null);
  }
  return { choose: galleries.choose, add };
}
