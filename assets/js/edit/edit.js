// A scene before and after its changes, and the controls that change it: by button, pointer and keyboard.

import { onPhotos, resize } from "../base/canvas.js";
import { button, describedBy, h, press } from "../base/dom.js";
import { isShortcut } from "../base/focus.js";
import { mounting } from "../base/mount.js";
import { signed } from "../base/numbers.js";
import { layerName, say } from "../base/words.js";
import { drawLayer } from "../picture/layer.js";
import { modelName, credit } from "../picture/legend.js";
import { boxArea, drawObjects, holds, markObjects, objectsToggle } from "../picture/objects.js";
import { decode, describe, keptCount } from "../record/record.js";

const LAYERS = ["mask", "score", "photo"];
const STEP = 8; // pixels of a scene that a key or a button moves by
const SIDE = 224; // pixels of a scene
const PATIENCE = 5000; // milliseconds after which a change that was not answered holds up no other
const WAIT = 250; // milliseconds in which moves are gathered
const GAP = 16; // CSS pixels between the pictures
/** @type {Record<string, [number, number, string, string]>} */
const ARROWS = { ArrowLeft: [-1, 0, "left", "←"], ArrowRight: [1, 0, "right", "→"], ArrowUp: [0, -1, "up", "↑"],
  ArrowDown: [0, 1, "down", "↓"] };

// Colours of the swatches; as NAMED in seps/scenes/palette.py.
const NAMED = { red: "#d63634", orange: "#f48a26", yellow: "#fad034", green: "#42a04c", blue: "#3470ce",
  purple: "#864eb0", pink: "#f48eb4", brown: "#8a5a36", black: "#30323a", white: "#f6f6f2", grey: "#90969e" };

// trigger("alter", {do, ...}) asks for a change.
export function mount(element, trigger, value = null) {
  // What outlives a picture: how it is drawn, moves that wait, changes that wait for the one before them.
  const kept = { layer: "mask", objects: true, moves: null, timer: 0, queue: [], busy: 0, focus: null };
  return mounting("seps-edit", (root, now) => build(root, now, trigger, kept), "")(element, trigger, value);
}

function build(root, value, trigger, kept) {
  const [before, after] = [value.before, value.after].map((side) =>
    side && { ...side, record: decode(side.record), image: null, canvas: h("canvas", { role: "img" }) });
  const sides = [before, after].filter(Boolean);
  const now = after ?? before;
  const none = !value.objects.length;
  const state = { selected: value.selected, drag: null };

  // Changes are asked for one by one, since each starts from the scene that the one before it made.
  function send(change) {
    clearTimeout(kept.timer);
    const [dx, dy] = kept.moves ?? [0, 0];
    if (dx || dy) kept.queue.push({ do: "move", object: state.selected, dx, dy });
    if (change) kept.queue.push({ object: state.selected, ...change });
    kept.moves = null;
    kept.focus = document.activeElement?.dataset?.do ?? null;
    ask();
  }

  function ask() {
    if (!kept.queue.length || Date.now() < kept.busy) return;
    kept.busy = Date.now() + PATIENCE;
    root.setAttribute("aria-busy", "true");
    trigger("alter", kept.queue.shift());
  }

  // Moves that follow each other closely are one change; the outline goes ahead of the picture.
  function move(dx, dy) {
    if (!value.objects.length) return;
    const [x, y] = kept.moves ?? [0, 0];
    kept.moves = [x + dx, y + dy];
    draw();
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => send(), WAIT);
  }

  function take(number) {
    if (number === state.selected) return;
    state.selected = number;
    update();
  }

  const doing = (name, click, label, more = {}) => button({ "data-do": name, click, ...more }, label);
  const things = value.objects.map(({ number, name }) => button({ "data-object": number, click: () => take(number) }, name));
  const arrows = Object.values(ARROWS).map(([dx, dy, name, sign]) =>
    doing(name, () => move(dx * STEP, dy * STEP), sign, { "aria-label": say("button.move", { name }), disabled: none }));
  const colours = h("div", { class: "seps-swatches", role: "group", "aria-label": say("knob.colour") });
  const seed = h("input", { type: "number", min: "0", step: "1", value: String(value.seed), "aria-label": say("knob.seed") });
  const redraws = (number) => send({ do: "redraw", seed: number });
  const redraw = doing("redraw", () => redraws(Math.max(0, Math.round(seed.valueAsNumber || 0))), say("button.draw"));
  const next = doing("next", () => redraws(value.seed + 1), say("button.next_seed"));
  const back = ["undo", "original"].map((what) => doing(what, () => send({ do: what }), say(`button.${what}`), { disabled: !after }));
  const remove = doing("remove", () => send({ do: "remove" }), say("button.remove"), { disabled: none });
  const layers = LAYERS.map((name) => button({ "data-layer": name, click: () => {
    kept.layer = name;
    update();
  } }, layerName(name)));

  const row = (name, ...parts) => h("div", { class: "seps-row" }, h("span", {}, say(`knob.${name}`)), ...parts);
  const side = (name, shown) => h("figure", { "data-side": name },
    h("figcaption", {}, h("b", {}, say(`button.${name}`)), h("span", {}, rankOf(shown))),
    shown.canvas, h("p", {}, keptCount(shown.record)));
  const moved = h("p", { class: "seps-moved" }, outcome());
  const rankOf = ({ rank, similarity }) => say("edit.rank", { rank, total: value.total, score: similarity });
  root.append(
    h("div", { class: "seps-settings" },
      h("div", { class: "seps-names", role: "group", "aria-label": say("group.layer") }, ...layers),
      objectsToggle(kept.objects, (on) => {
        kept.objects = on;
        update();
      }),
    ),
    h("div", { class: "seps-sides" }, side("before", before), after ? side("after", after) : h("p", { class: "seps-empty" }, say("hint.take_object"))),
    moved,
    ...(after ? [changes(value.shares)] : []),
    h("div", { class: "seps-panel" },
      row("object", h("div", { class: "seps-things", role: "group", "aria-label": say("knob.object") }, ...things)),
      row("move", ...arrows, remove),
      row("colour", colours),
      row("seed", seed, redraw, next),
      row("back", ...back),
    ),
    h("div", { class: "seps-foot" }, credit(now.photo), modelName(value.model)),
  );

  function outcome() {
    if (!after) return say("edit.unchanged");
    const change = after.similarity - before.similarity;
    const key = before.rank === after.rank ? "edit.stays" : "edit.goes";
    return say(key, { before: before.rank, rank: after.rank, change, moved: value.moved });
  }

  // The words with the largest changes of share of S; the pressed one's shares are shown.
  function changes(rows) {
    if (!rows.length) return h("p", { class: "seps-changes" }, say("edit.no_shares"));
    const reading = h("p", { class: "seps-reading", role: "status", "aria-live": "polite" });
    const words = rows.map(({ word, change, says }, at) => button(
      { title: says, "data-word": word, "aria-pressed": "false", click: () => tell(at) },
      h("span", {}, word), h("b", { class: change < 0 ? "seps-falls" : "seps-rises" }, signed(change, 2))));
    const tell = (at) => {
      const next = words[at].getAttribute("aria-pressed") === "false" ? at : null;
      press(words, (element) => element === words[next]);
      reading.textContent = rows[next]?.says ?? "";
    };
    const list = h("ul", {}, ...words.map((element) => h("li", {}, element)));
    return h("div", { class: "seps-changes" }, h("span", {}, say("edit.shares")), list, reading);
  }

  // The object of the current picture under the pointer: the smallest with an outline around the spot.
  function under(event) {
    const box = now.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const unit = [(x / box.width) * value.unit, (y / box.height) * value.unit];
    const holding = now.objects.filter(({ lines }) => holds(lines, unit));
    holding.sort((first, other) => boxArea(first.lines) - boxArea(other.lines));
    return { spot: [(x / box.width) * SIDE, (y / box.height) * SIDE], number: holding[0]?.number ?? null };
  }

  for (const { canvas } of sides) {
    describedBy(canvas, canvas.previousSibling.lastChild, canvas.nextSibling, moved);
  }
  const { canvas } = now;
  canvas.setAttribute("role", "application"); // it takes keys
  canvas.tabIndex = 0;
  canvas.dataset.do = "canvas";
  canvas.addEventListener("pointerdown", (event) => {
    const { spot, number } = under(event);
    if (number === null) return;
    take(number);
    state.drag = spot;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!state.drag) return;
    const { spot } = under(event);
    kept.moves = [Math.round(spot[0] - state.drag[0]), Math.round(spot[1] - state.drag[1])];
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    if (state.drag) send();
    state.drag = null;
  });
  canvas.addEventListener("pointercancel", () => {
    state.drag = kept.moves = null;
    draw();
  });
  canvas.addEventListener("keydown", (event) => {
    if (isShortcut(event)) return;
    if (ARROWS[event.key]) move(ARROWS[event.key][0] * STEP, ARROWS[event.key][1] * STEP);
    else if ((event.key === "Delete" || event.key === "Backspace") && !none) send({ do: "remove" });
    else if (event.key === "Escape" && after) send({ do: "undo" });
    else return;
    event.preventDefault();
  });

  function update() {
    press(things, (element) => Number(element.dataset.object) === state.selected);
    press(layers, (element) => element.dataset.layer === kept.layer);
    const thing = value.objects.find(({ number }) => number === state.selected);
    colours.replaceChildren(...(thing?.colours ?? []).map((name) => button({
      "data-do": `colour-${name}`, title: name, "aria-label": name, style: { "--swatch": NAMED[name] },
      "aria-pressed": String(name === thing.colour), click: () => send({ do: "recolour", colour: name }),
    })));
    if (!colours.childElementCount) colours.append(h("span", {}, say("hint.one_colour")));
    draw();
  }

  function draw() {
    for (const shown of sides) {
      if (!shown.image) continue;
      drawLayer(shown.canvas, shown.image, shown.record, kept.layer, { lines: false });
      const words = describe(shown.record, kept.layer);
      const hint = shown === now ? ` ${say("hint.object")}` : "";
      shown.canvas.setAttribute("aria-label", `${shown.photo.title}: ${words}.${hint}`);
      if (kept.objects) drawObjects(shown.canvas, { unit: value.unit, objects: shown.objects });
      if (shown !== now) continue;
      const inHand = shown.objects.filter(({ number }) => number === state.selected);
      const [dx, dy] = (kept.moves ?? [0, 0]).map((length) => (length * value.unit) / SIDE);
      markObjects(shown.canvas, { unit: value.unit, objects: inHand, dx, dy });
    }
  }

  function fit(width) {
    root.classList.toggle("seps-narrow", width < 560);
    const size = Math.min((width - GAP) / 2, parseFloat(getComputedStyle(now.canvas).maxHeight));
    for (const shown of sides) resize(shown.canvas, size, size);
    draw();
  }

  root.removeAttribute("aria-busy");
  kept.busy = 0;
  update();
  ask();
  return onPhotos(root, sides.map((shown) => shown.photo), (images) => {
    images.forEach((image, at) => (sides[at].image = image));
    if (kept.focus) root.querySelector(`[data-do="${kept.focus}"]`)?.focus({ preventScroll: true });
    kept.focus = null;
  }, fit);
}
