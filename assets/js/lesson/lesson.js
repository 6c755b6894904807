// The lesson: nine steps through the method on one photo and one caption, its settings, and a mode for talks.

import { firstHighest } from "../base/arrays.js";
import { imageOrBlank, resize, tellBlanks } from "../base/canvas.js";
import { button, calm, debounced, describedBy, h, press } from "../base/dom.js";
import { lasting } from "../base/mount.js";
import { math, phrase, say, symbols } from "../base/words.js";
import { createKnobs, movedTable } from "./knobs.js";
import { createScene } from "./scene.js";
import { shownBranch, stageLayout } from "./stage.js";
import { patchSteps } from "./steps.js";
import { askedEarly, createTalk } from "./talk.js";
import { tokenSteps } from "./tokens.js";
import { createHand } from "./whatif.js";
import { wordSteps } from "./words.js";
import { modelName, credit } from "../picture/legend.js";
import { decode } from "../record/record.js";

const DEBOUNCE = 300; // milliseconds
const CORNERS = { 6: 0.28, 7: 0.28, 8: 0.36 }; // a step's share of the width for the photo, in its upper left
const BRANCHED = [3, 4, 5, 6]; // steps that show one of two branches

// The name of a step in the row of all of them: of "what_if", "What if".
const shortName = (id) => phrase(id[0].toUpperCase() + id.slice(1).replaceAll("_", " "));

function build(root, trigger, talkAsked) {
  const pictures = [...patchSteps, ...tokenSteps, ...wordSteps, (shown) => hand.picture(shown)];
  const state = { step: 1, touched: false, branch: "sparse", token: 0, word: null };
  let [value, record, before, photo] = [null, null, null, null];
  let drawn = new Map();
  let hand = null; // the decision by hand on this example
  let alive = true;

  const steps = h("ol", { class: "seps-steps" });
  const pager = (by, name, sign) =>
    button({ class: "seps-turn", "aria-label": say(`group.${name}`), click: () => turn(by) }, sign);
  const turn = (by) => go(state.step + by);
  const [previous, next] = [pager(-1, "back", "‹"), pager(1, "next", "›")];
  const talk = createTalk(root, {
    turn,
    go: (step) => go(step ?? pictures.length),
    changed: (announces) => {
      if (talk.on()) title.focus({ preventScroll: true });
      if (announces) tell();
      fit();
    },
  });
  const turning = [previous, steps, next, ...talk.buttons];
  const rail = h("nav", { class: "seps-rail", "aria-label": say("group.steps") }, ...turning);
  const title = h("h2", { tabindex: "-1" });
  const sentence = h("p", { class: "seps-sentence" });
  const note = h("p", { class: "seps-note" });
  const equation = h("div", { class: "seps-equation" });
  const legend = h("ul", { class: "seps-symbols" });
  const description = h("div", { class: "seps-said", "aria-live": "polite" }, title, sentence, note);
  const stage = h("div", { class: "seps-scene" });
  const choices = h("div", { class: "seps-choices" });
  const tensors = h("ul", { class: "seps-tensors", "aria-label": say("group.tensors") });
  const knobs = createKnobs((now) => {
    state.touched = true;
    root.setAttribute("aria-busy", "true");
    trigger("knobs", now);
  });
  const moved = h("div", { class: "seps-moved-place" });
  const facts = h("span", {});
  root.replaceChildren(
    rail,
    h("div", { class: "seps-head" }, description, equation, legend),
    h("div", { class: "seps-floor" }, h("div", { class: "seps-picture" }, stage, choices), knobs.element),
    tensors, moved,
    h("div", { class: "seps-foot" }, facts),
  );
  const scene = createScene(stage);
  describedBy(scene.canvas, sentence, note);

  // Whether nothing here can be recomputed: on a page that is one file.
  const still = () => Boolean(value.still);

  const [token, word] = ["token", "word"].map((name) => {
    const reading = h("output", {});
    const input = () => choose({ [name]: control.valueAsNumber });
    const control = h("input", { type: "range", min: 0, step: 1, input });
    return { control, reading, element: h("label", {}, say(`knob.${name}`), control, reading) };
  });
  const branches = ["sparse", "dense"].map((name) =>
    button({ "data-branch": name, click: () => choose({ branch: name }) }, say("button.branch", { name: phrase(name) })),
  );
  const both = h("div", { class: "seps-branches", role: "group", "aria-label": say("group.branch") }, ...branches);
  const again = button({ class: "seps-again", click: () => draw(true, true) }, say("button.sum"));
  const tools = h("div", { class: "seps-hand" });
  choices.append(both, token.element, word.element, again, tools);

  function choose(what) {
    Object.assign(state, what);
    draw(true);
  }

  const tell = debounced(() => trigger("step", { step: state.step, talk: talk.on() }), DEBOUNCE);

  function go(step) {
    const to = Math.max(1, Math.min(pictures.length, step));
    if (to === state.step) return;
    Object.assign(state, { step: to, touched: true });
    draw(true, true);
    tell();
  }

  function onClick(event) {
    const box = scene.canvas.getBoundingClientRect();
    const hit = scene.at(event.clientX - box.left, event.clientY - box.top, (id) => /^(tile:\d+|matrix)$/.test(id));
    if (hit === "matrix") {
      const marks = stage.querySelector(".seps-marks").getBoundingClientRect();
      const words = Number(word.control.max) + 1;
      choose({ word: Math.min(words - 1, Math.floor((words * (event.clientY - marks.top)) / marks.height)) });
    } else if (hit && state.step < 7) {
      choose({ token: Number(hit.slice(5)) });
    }
  }

  function write() {
    const step = value.steps[state.step - 1];
    title.replaceChildren(h("span", { class: "seps-number" }, String(state.step)), step.title);
    sentence.replaceChildren(...symbols(step.sentence));
    note.replaceChildren(...symbols(step.note ?? ""));
    showEquation(equation, step.equation);
    legend.replaceChildren(...(step.legend ?? []).map(({ symbol, says }) =>
      h("li", {}, h("span", { class: "seps-symbol" }, math(symbol)), ` ${says}`)));
    tensors.replaceChildren(...step.tensors.map(({ name, shape, says }) => h(
      "li", { "data-tensor": name, "data-shape": shape.join(",") },
      h("b", {}, ...symbols(name)),
      h("span", { class: "seps-shape" }, shape.length ? shape.join(" × ") : say("reading.one_number")), h("span", {}, says))));
    if (steps.childElementCount !== value.steps.length) {
      steps.replaceChildren(...value.steps.map((_, index) =>
        h("li", {}, button({ "data-step": index + 1, click: () => go(index + 1) }))));
    }
    value.steps.forEach((step, index) => {
      const place = steps.children[index].firstChild;
      place.replaceChildren(h("b", {}, String(index + 1)), h("span", {}, shortName(step.id)));
      place.title = step.title;
      place.ariaCurrent = index + 1 === state.step ? "step" : null;
    });
    previous.disabled = state.step === 1;
    next.disabled = state.step === pictures.length;
    const aligned = state.step === 7 && record.alignments.length > 1;
    both.hidden = record.branches.length < 2 || !(aligned || BRANCHED.includes(state.step));
    press(branches, (element) => element.dataset.branch === state.branch);
    const branch = shownBranch({ record, branch: state.branch });
    const alignment = record.alignments.find(({ caption }) => caption === state.branch) ?? record.alignments[0];
    const merged = state.step === 5
      ? branch.aggregation_weights.length
      : alignment.tokens.filter((token) => token.startsWith("aggregated")).length;
    token.element.hidden = (state.step !== 5 && state.step !== 6) || merged < 2;
    word.element.hidden = state.step !== 7;
    again.hidden = state.step !== 8 || calm();
    tools.hidden = state.step !== 9 || still();
    state.token = Math.min(state.token, Math.max(0, merged - 1));
    state.word = Math.min(state.word ?? telling(alignment), alignment.words.length - 1);
    Object.assign(token.control, { max: Math.max(0, merged - 1), value: state.token });
    Object.assign(word.control, { max: alignment.words.length - 1, value: state.word });
    token.reading.textContent = say("button.of", { number: state.token + 1, count: merged });
    word.reading.textContent = alignment.words[state.word];
  }

  // The word to begin with: of those that are no marks, pieces or short, the one that met its token best.
  function telling(alignment) {
    return firstHighest(alignment.words.map((name, index) =>
      (/^(\[.+\]|##.*|.{1,2})$/.test(name) ? -Infinity : alignment.matrix[alignment.best_token[index]][index])));
  }

  let last = []; // how the picture was drawn, for a picture that moves while its room changes
  function draw(smooth, play = false) {
    if (!value) return;
    last = [smooth, play];
    write();
    paint(smooth, play);
  }

  function paint(smooth, play = false) {
    const [width, height] = [stage.clientWidth, stage.clientHeight];
    if (!photo || !width || !height) return;
    const type = parseFloat(getComputedStyle(stage).fontSize);
    const layout = stageLayout(width, height, type, photo.naturalHeight / photo.naturalWidth, CORNERS[state.step]);
    const shown = { value, record, before, photo, drawn, layout, play, opacity: value.opacity ?? 0.85 };
    const { sprites, notes } = pictures[state.step - 1]({ ...state, ...shown });
    scene.canvas.setAttribute("aria-label", value.steps[state.step - 1].title);
    scene.show(sprites, notes, smooth);
  }

  function takeHand() {
    hand?.end();
    hand = createHand(value, record.grid, {
      ask: (mask) => trigger("paint", { mask, step: state.step }),
      redraw: () => state.step === pictures.length && paint(false),
    });
    tools.replaceChildren(hand.element);
  }

  function fit() {
    talk.seen(root.clientWidth > 0);
    if (!root.clientWidth) return;
    root.classList.toggle("seps-narrow", root.clientWidth < 760);
    root.classList.remove("seps-tight"); // names of steps that have no room
    root.classList.toggle("seps-tight", steps.scrollWidth > steps.clientWidth);
    resize(scene.canvas, stage.clientWidth, stage.clientHeight);
    drawn = new Map();
    draw(...(stage.dataset.still === "false" ? last : [false])); // a longer sentence below must not end what glides
  }

  async function update(now) {
    const other = !value || ["caption", "dense_caption"].some((name) => value[name] !== now[name]) || value.photo.src !== now.photo.src;
    const isBrought = now.step && (other || !state.touched);
    const adopted = isBrought ? now.step : state.step;
    const entered = adopted !== state.step;
    const image = value?.photo.src === now.photo.src ? photo : null;
    value = now;
    record = decode(now.record);
    before = now.before ? decode(now.before) : null;
    drawn = new Map();
    if (other) state.word = null;
    if (other || !hand) takeHand();
    else hand.update(value);
    if (!record.branches.some(({ name }) => name === state.branch)) state.branch = "sparse";
    state.step = adopted;
    if (knobs.update(value)) root.removeAttribute("aria-busy");
    facts.replaceChildren(credit(value.photo), " · ", modelName(value.model));
    knobs.element.hidden = still();
    moved.hidden = still() && !before;
    if (!image) {
      photo = null;
      write();
      const loaded = await imageOrBlank(now.photo);
      if (!alive || value !== now) return;
      photo = loaded;
      tellBlanks(stage.parentElement, [photo]);
    }
    moved.replaceChildren(movedTable(value, record, before, photo));
    if (talkAsked()) talk.set(true);
    else if (now.talk && !state.touched) talk.set(true, false);
    draw(image !== null, entered);
  }

  stage.addEventListener("click", onClick);
  const observer = new ResizeObserver(fit);
  observer.observe(stage);
  observer.observe(root);
  return {
    update,
    end: () => {
      alive = false;
      tell.stop();
      hand?.end();
      talk.end();
      scene.stop();
      knobs.stop();
      observer.disconnect();
    },
  };
}

// trigger("step", {step, talk}), trigger("knobs", {keep_ratio, ...}) once they rest, trigger("paint", {mask, step}).
export function mount(element, ...how) {
  const talkAsked = askedEarly(element);
  return lasting("seps-lesson", (root, trigger) => build(root, trigger, talkAsked), say("hint.no_lesson"))(element, ...how);
}

function showEquation(place, text) {
  const element = math(text);
  place.style.fontSize = "";
  place.replaceChildren(element);
  if (!place.clientWidth) return;
  for (let turns = 0; turns < 2; turns += 1) { // indices do not shrink evenly
    const box = element.getBoundingClientRect();
    const scale = Math.min(place.clientWidth / Math.max(box.width, element.scrollWidth), place.clientHeight / box.height);
    if (scale < 1) place.style.fontSize = `${parseFloat(getComputedStyle(place).fontSize) * scale * 0.98}px`;
  }
}
