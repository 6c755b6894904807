// The picture spoilt in one way: its copies along a slider, and both scores' curves, base and final apart.

import { highest } from "../base/arrays.js";
import { floats, fixed } from "../base/numbers.js";
import { fitImage, imageOrBlank, onWidth, tellBlanks } from "../base/canvas.js";
import { button, debounced, describedBy, h, press, svg } from "../base/dom.js";
import { refold } from "../base/fold.js";
import { lasting } from "../base/mount.js";
import { say } from "../base/words.js";
import { curvesChart } from "../losses/curves.js";
import { drawShares, sharesKey } from "./attributions.js";

const DEBOUNCE = 300; // milliseconds
const NARROW = 560; // CSS pixels
const DASHED = "6 5";

function build(root, trigger) {
  let value = null;
  let images = [];
  let attributions = null;
  const rests = debounced(() => trigger("slide", settings()), DEBOUNCE);
  let asked = null; // the value for which degraded copies were requested
  let visible = false;

  const kinds = h("div", { class: "seps-names", role: "group", "aria-label": say("judge.kinds") });
  const slider = h("input", { type: "range", min: 0, max: 10, step: 1, value: 0, "aria-label": say("judge.strength"), input: slid });
  const amount = h("output", {});
  const canvas = h("canvas", { role: "img" });
  const toggle = h("input", { type: "checkbox", change: () => draw() });
  const key = h("div", { class: "seps-legend-place" });
  const heat = h("div", { class: "seps-settings" }, h("label", {}, toggle, say("judge.heatmap")), key);
  const reading = h("p", { class: "seps-reading", role: "status", "aria-live": "polite" });
  const waiting = h("p", { class: "seps-spoiling", role: "status" }, say("judge.spoiling"));
  const charts = h("div", { class: "seps-curves" });
  const falls = h("div", { class: "seps-falls" });
  const numbers = h("div", {});
  root.replaceChildren(
    h("h3", {}, say("judge.spoil")),
    kinds,
    h("div", { class: "seps-settings" }, h("label", {}, say("judge.strength"), slider, amount)),
    h("div", { class: "seps-halves" },
      h("figure", {}, canvas, heat),
      h("div", {}, waiting, charts, reading, falls, numbers, h("p", { class: "seps-note" }, say("judge.spoil_says"))),
    ),
  );

  describedBy(canvas, reading);
  describedBy(slider, reading);

  const at = () => slider.valueAsNumber;
  const settings = () => ({ spoil: value.spoil, strength: value.strengths[at()] });

  function slid() {
    draw();
    rests();
  }

  // Ask for the copies of a kind; the scores that are shown until they come are another kind's, and fade.
  function ask(kind) {
    value = { ...value, spoil: kind };
    asked = value;
    press([...kinds.children], (element) => element.dataset.kind === kind);
    root.setAttribute("aria-busy", "true");
    waiting.hidden = false;
    trigger("spoil", settings());
  }

  function askWhenSeen() {
    if (visible && value && !value.curves && asked !== value) ask(value.spoil);
  }

  function update(next) {
    value = next;
    kinds.replaceChildren(...value.kinds.map((kind) => button(
      { "data-kind": kind, "aria-pressed": String(kind === value.spoil), click: () => ask(kind) },
      say(`judge.${kind}`),
    )));
    waiting.hidden = Boolean(value.curves);
    root.classList.toggle("seps-pending", !value.curves);
    if (!value.curves) {
      slider.value = value.strengths.indexOf(value.strength);
      askWhenSeen();
      return;
    }
    root.removeAttribute("aria-busy");
    attributions = value.shares && floats(value.shares);
    heat.hidden = !attributions;
    if (attributions) {
      const most = Math.max(...attributions.map((row) => highest(row.map(Math.abs))));
      key.replaceChildren(sharesKey(most));
      attributions = attributions.map((values) => ({ grid: value.grid, values, most }));
    }
    falls.replaceChildren(...value.falls.map((line) => h("p", {}, line)));
    const of = value;
    Promise.all(value.pictures.map((src) => imageOrBlank({ src }))).then((loaded) => {
      if (of !== value) return;
      images = loaded;
      tellBlanks(root, images);
      draw();
    });
    draw();
  }

  function draw() {
    amount.textContent = fixed(value.strengths[at()], 1);
    if (!value.curves || !root.clientWidth) return;
    reading.textContent = value.says[at()];
    refold(numbers, value.numbers[at()]);
    drawCharts();
    const image = images[at()];
    if (!image) return;
    fitImage(canvas, image, canvas.parentElement.clientWidth);
    const kind = say(`judge.${value.spoil}`).toLowerCase();
    canvas.setAttribute("aria-label", say("judge.spoilt", { kind, strength: value.strengths[at()] }));
    drawShares(canvas, image, toggle.checked && attributions ? attributions[at()] : null);
  }

  function drawCharts() {
    const wide = charts.clientWidth;
    const width = wide < 420 ? wide : Math.floor((wide - 28) / 2);
    const { quality, consistency, other } = value.curves;
    const lines = (name, curve) => [
      { name: `${name}-base`, dashed: DASHED, values: curve.base },
      { name: `${name}-final`, dashed: null, values: curve.final },
    ];
    const drawn = { quality: lines("quality", quality), consistency: lines("consistency", consistency) };
    if (other) drawn.consistency.push(...lines("other", other));
    const now = value.strengths[at()];
    charts.replaceChildren(...Object.entries(drawn).map(([name, curves]) => {
      const names = [say("judge.strength"), say(`judge.${name}`)];
      const { drawing, x, y } = curvesChart({ xs: value.strengths, lines: curves, at: now, width, type: 13, names, low: 0, high: 1 });
      drawing.setAttribute("data-chart", name);
      describedBy(drawing, reading);
      drawing.append(...curves.filter(({ dashed }) => !dashed).map(({ name: label, values }) =>
        svg("circle", { cx: x(now), cy: y(values[at()]), r: 5, class: "seps-score-dot", "data-here": label })));
      return drawing;
    }));
    if (other) {
      const sample = (name) => h("span", {}, h("i", { class: `seps-line-${name}`, "aria-hidden": "true" }), say(`judge.line_${name}`));
      charts.append(h("p", { class: "seps-scale-key" }, sample("first"), sample("other")));
    }
  }

  const observer = new IntersectionObserver((entries) => {
    visible = entries.at(-1).isIntersecting;
    askWhenSeen();
  });
  observer.observe(root);
  const end = onWidth(root, (width) => {
    root.classList.toggle("seps-narrow", width < NARROW);
    if (value) draw();
  });
  return {
    update,
    end: () => [rests.stop, end, () => observer.disconnect()].forEach((stop) => stop()),
  };
}

// trigger("spoil", {spoil, strength}) asks for the copies of a kind, trigger("slide", {the same}) once the slider rests.
export const mount = lasting("seps-spoil", build, "");
