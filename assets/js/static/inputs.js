// What a person asks with: boxes to type in, and the choice of galleries.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { afterTyped, typingAnswered, waitForAnswer } from "../page/typed.js";

const PAUSE = 150; // milliseconds without a key until what is typed is answered
const MEGABYTE = 1e6;

// Answer what is typed into a box by asked(), which ends when the answer is shown: at once where Enter is pressed in one
// of a single caption. What else is asked for in its view meanwhile comes after the answer.
export function answerTyping(box, asked, isOneCaption = true) {
  let typing = 0;
  let changes = 0;
  const answer = async () => {
    clearTimeout(typing);
    const answered = changes;
    await asked();
    if (answered === changes) typingAnswered(box); // else more was typed by then
  };
  box.addEventListener("input", () => {
    changes += 1;
    waitForAnswer(box);
    clearTimeout(typing);
    typing = setTimeout(answer, PAUSE);
  });
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
      h("label", {}, h("input", { type: "radio", name: place.id, value, change: () => afterTyped(place, () => changed(value)) }), ` ${title}`));
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
