// One line for the reader: what is being done, a note, or what was wrong.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";

// line.wait(text, done, cancel), done: 0 to 1; line.progress(text, cancel): the same as a function that an engine calls
// with {rank, done, text}; line.note(text), line.problem(text). An empty text clears a message.
export function messageLine() {
  const note = h("p", { class: "message note", hidden: true });
  const problem = h("p", { class: "message problem", role: "alert", hidden: true });
  const words = h("span", {});
  const bar = h("progress", { max: "1" });
  const stop = button({ class: "quiet" }, say("app.cancel"));
  const waiting = h("p", { class: "message waiting", role: "status", hidden: true }, words, bar, stop);
  const element = h("div", { class: "messages" }, waiting, problem, note);

  function put(place, text) {
    place.hidden = !text;
    if (place.textContent !== text) place.textContent = text;
  }

  function wait(text, done = null, cancel = null) {
    waiting.hidden = !text;
    words.textContent = text;
    bar.hidden = !text;
    if (done === null) bar.removeAttribute("value");
    else bar.value = done;
    stop.hidden = !cancel;
    stop.onclick = cancel;
  }

  return {
    element,
    note: (text) => put(note, text),
    problem: (text) => put(problem, text),
    wait,
    progress: (usual, cancel = null) => ({ rank = 0, done = null, text = "" }) =>
      wait(rank > 0 ? say("app.queue", { rank }) : text || usual, done, cancel),
  };
}
