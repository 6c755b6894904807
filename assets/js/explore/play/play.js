// Play: the method on the photo in sight, stage by stage. With reduced motion each stage is a still.

import { calm, button, h, press } from "../../base/dom.js";
import { say, symbols } from "../../base/words.js";
import { STAGES, makeFilm } from "./film.js";

const SECONDS = { patches: 1.6, scores: 2, decision: 2, tokens: 2.8, words: 2.6, similarity: 2.4 };
const PAUSE = 1.1; // seconds between two stages
const LEARN = { patches: 1, scores: 3, decision: 4, tokens: 5, words: 7, similarity: 8 }; // steps of the lesson

// picture(): {image, record, caption} of the visible photo; learn(step): opens a step of the lesson.
export function player({ stage, picture, learn }) {
  const canvas = h("canvas", { role: "img" });
  const title = h("h3", {});
  const says = h("p", {});
  const equation = h("span", { class: "equation" });
  const dots = h("div", { class: "dots", role: "group", "aria-label": say("play.stages") },
    ...STAGES.map((name, at) => button({ "aria-label": say(`play.${name}`), click: () => go(at) }, String(at + 1))));
  const pause = button({ class: "quiet", click: () => (running ? stop() : run(at)) }, "");
  const [back, next] = [-1, 1].map((step) => button({ click: () => go(at + step) }, say(step < 0 ? "play.back" : "play.next")));
  const more = h("a", { href: "#", click: (event) => {
    event.preventDefault();
    close();
    learn(LEARN[STAGES[at]]);
  } }, say("play.learn"));
  const panel = h("div", { class: "play", role: "dialog", "aria-label": say("play.title"), hidden: true, tabindex: "-1" },
    canvas,
    h("div", { class: "play-text", "aria-live": "polite" }, title, says, h("p", { class: "play-more" }, equation, more)),
    h("div", { class: "play-bar" }, back, dots, next, pause, button({ class: "quiet", click: close }, say("play.close"))),
  );
  const open = button({ class: "play-open", click: start }, h("span", { "aria-hidden": "true" }, "▶ "), say("play.open"));
  let [film, at, running, frame] = [null, 0, false, 0];

  function start() {
    const shown = picture();
    if (!shown) return;
    panel.hidden = false;
    film = makeFilm(canvas, { ...shown, width: (panel.clientWidth || stage.clientWidth) - 36 });
    panel.focus();
    if (calm()) go(0);
    else run(0);
  }

  function close() {
    stop();
    panel.hidden = true;
    film = null;
    open.focus();
  }

  function stop() {
    running = false;
    cancelAnimationFrame(frame);
    write();
  }

  // A stage as a still: as it ends.
  function go(to) {
    stop();
    at = Math.max(0, Math.min(STAGES.length - 1, to));
    film.draw(STAGES[at], 1);
    write();
  }

  function run(from) {
    at = film.isDone && from === STAGES.length - 1 ? 0 : from;
    running = true;
    film.isDone = false;
    let began = null;
    const step = (now) => {
      if (!running) return;
      began ??= now;
      const name = STAGES[at];
      const part = (now - began) / 1000 / SECONDS[name];
      film.draw(name, Math.min(1, part));
      if (part > 1 + PAUSE / SECONDS[name]) {
        if (at === STAGES.length - 1) {
          film.isDone = true;
          return stop();
        }
        at += 1;
        began = null;
        write();
      }
      frame = requestAnimationFrame(step);
      return undefined;
    };
    write();
    frame = requestAnimationFrame(step);
  }

  function write() {
    const name = STAGES[at];
    title.textContent = `${at + 1}. ${say(`play.${name}`)}`;
    says.replaceChildren(...symbols(say(`play.${name}_says`, film?.numbers ?? {})));
    equation.textContent = say(`play.${name}_equation`);
    canvas.setAttribute("aria-label", `${title.textContent}. ${says.textContent}`);
    pause.textContent = say(running ? "play.pause" : "play.run");
    pause.hidden = calm();
    back.disabled = at === 0;
    next.disabled = at === STAGES.length - 1;
    press(dots.children, (dot) => dot === dots.children[at]);
  }

  panel.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") close();
    else if (step && !event.target.closest("a")) go(at + step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return { open, panel, close: () => !panel.hidden && close() };
}
