// What a person asks with: boxes to type in, and the choice of galleries.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";

const PAUSE = 150; // milliseconds without a key until what is typed is answered
const MEGABYTE = 1e6;

// Answer what is typed into a box, at once where Enter is pressed in one of a single caption.
export function answerTyping(box, asked, isOneCaption = true) {
  let typing = 0;
  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(asked, PAUSE);
  });
  if (!isOneCaption) return;
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    clearTimeout(typing);
    asked();
  });
}

// The choice of galleries in a place, each with what it takes to fetch: choose(name) marks one, offer(name, title) adds one.
export function galleryChoice(place, site, changed) {
  const group = place.id;
  function offer(name, title) {
    if (place.querySelector(`[value="${name}"]`)) return;
    const input = h("input", { type: "radio", name: group, value: name, change: () => changed(name) });
    place.append(h("label", {}, input, ` ${title}`));
  }
  for (const { name, title, bytes } of site.galleries) {
    offer(name, say("static.gallery", { title, megabytes: (bytes + site.engine_bytes) / MEGABYTE }));
  }
  function choose(name) {
    for (const input of place.querySelectorAll("input")) input.checked = input.value === name;
  }
  return { choose, offer };
}
