// The losses on a small real batch: violations of the margin, ratio losses, and captions outside any class list.

import { onWidth } from "../base/canvas.js";
import { button, debounced, describedBy, h, press, svg, svgText, table } from "../base/dom.js";
import { lasting } from "../base/mount.js";
import { fixed, shownNumber } from "../base/numbers.js";
import { say, sayNodes, symbol } from "../base/words.js";
import { partOf } from "../lesson/talk.js";
import { curvesChart } from "./curves.js";
import { matrixKey, pairLines, similarityTable, unforeseenCards } from "./matrix.js";

const DEBOUNCE = 250; // milliseconds
const LINES = { all: null, hardest: "7 4" }; // by the mining, how each curve is dashed
const KINDS = ["value", "gradient"]; // curves of a loss over the kept share
const LOSSES = { mse: null, mae: "8 4", huber: "2 4" }; // how each is dashed

function build(root, trigger) {
  let value = null;
  let waits = false; // whether a person moves a setting
  const shares = debounced(() => trigger("share", { share: kept.valueAsNumber }), DEBOUNCE);
  let pair = [0, 0];
  const part = (name, title, ...children) => h("section", { class: `seps-part ${name}` }, h("h3", {}, title), ...children);

  const margin = h("input", { type: "range", step: 0.01, input: changed });
  const marginReading = h("output", {});
  const minings = Object.keys(LINES).map((name) => button({ "data-mining": name, click: () => {
    press(minings, (element) => element.dataset.mining === name);
    changed();
  } }, say(`option.${name}`)));
  const masking = h("input", { type: "checkbox", input: changed });
  const matrix = h("div", { class: "seps-matrix" });
  const reading = h("p", { class: "seps-pair", role: "status", "aria-live": "polite" });
  const now = h("p", { class: "seps-now", role: "status" });
  const ids = h("p", { class: "seps-ids" });
  const curve = h("div", { class: "seps-curve-place" });
  const captions = h("ol", { class: "seps-batch" });
  const kept = h("input", { type: "range", step: 0.01, min: 0, max: 1, value: 0.3, input: slid });
  const shareReading = h("output", {});
  const ratios = h("div", { class: "seps-ratios" });
  const unforeseen = h("div", { class: "seps-unforeseen" });
  const settingsLine = h("div", { class: "seps-settings" },
    h("label", {}, say("knob.margin"), margin, marginReading),
    h("div", { class: "seps-minings", role: "group", "aria-label": say("group.mining") }, ...minings),
    h("label", {}, masking, say("knob.masking")));
  root.replaceChildren(
    part("seps-ranking", say("loss.ranking"), h("div", { class: "seps-halves" },
      h("div", {}, matrix, reading, captions), h("div", {}, settingsLine, now, ids, curve))),
    part("seps-ratio", say("loss.ratio"),
      h("div", { class: "seps-settings" }, h("label", {}, say("knob.share"), kept, shareReading)), ratios),
    part("seps-classes", say("loss.classes"), unforeseen),
    h("div", { class: "seps-hall-bar" }, h("span", {}, say("talk.at_losses")), button({ click: () => partOf("lesson")?.click() }, say("talk.back"))),
  );

  function slid() {
    drawRatio();
    shares();
  }

  const settings = () => ({
    margin: margin.valueAsNumber,
    mining: minings.find((element) => element.getAttribute("aria-pressed") === "true").dataset.mining,
    mask_ids: masking.checked,
  });

  const turns = debounced(() => {
    waits = false;
    root.setAttribute("aria-busy", "true");
    trigger("turn", settings());
  }, DEBOUNCE);

  function changed() {
    waits = true;
    marginReading.textContent = fixed(margin.valueAsNumber, 2);
    turns();
  }

  function update(next) {
    value = next;
    root.removeAttribute("aria-busy");
    if (!waits) {
      Object.assign(margin, { min: value.margin_range[0], max: value.margin_range[1], value: value.margin });
      marginReading.textContent = fixed(value.margin, 2);
      press(minings, (element) => element.dataset.mining === value.mining);
      masking.checked = value.mask_ids;
    }
    if (typeof value.share === "number") kept.value = value.share;
    const says = h("p", { class: "seps-matrix-says" }, say("loss.matrix"));
    matrix.replaceChildren(says, similarityTable(value, choose), matrixKey());
    choose(pair);
    now.replaceChildren(
      symbol("L_align"), " = ", shownNumber(value.now, { "data-loss": value.now }), h("span", {}, say("loss.violations", value)));
    const { pairs, with_ids: masked, without_ids: other } = value.masked;
    const places = pairs.map(({ row, column }) => `(${row + 1}, ${column + 1})`).join(say("reading.and"));
    ids.replaceChildren(...sayNodes("loss.ids", {
      places,
      with_ids: shownNumber(masked, { "data-with-ids": masked }),
      without_ids: shownNumber(other, { "data-without-ids": other }),
    }));
    captions.replaceChildren(...value.captions.map(({ text }) => h("li", {}, text)));
    unforeseen.replaceChildren(...unforeseenCards(value.ranking));
    draw();
  }

  // Tell one pair: its similarity, and by how much it violates the margin both ways.
  /** @param {number[]} indices */
  function choose([row, column]) {
    pair = [row, column];
    for (const cell of matrix.querySelectorAll("[data-row]")) {
      const here = Number(cell.dataset.row) === row && Number(cell.dataset.column) === column;
      cell.firstChild.setAttribute("aria-pressed", here);
    }
    [...captions.children].forEach((item, index) => item.classList.toggle("seps-named", index === column));
    reading.replaceChildren(...pairLines(value, row, column).map((line) => h("span", {}, line)));
  }

  function draw() {
    if (!value || !root.clientWidth) return;
    drawCurve();
    drawRatio();
  }

  function sample(dashed) {
    const line = svg("line", { x1: 0, x2: 28, y1: 6, y2: 6, class: "seps-curve", "stroke-dasharray": dashed });
    return svg("svg", { width: 28, height: 12 }, line);
  }

  function drawCurve() {
    const width = curve.clientWidth;
    const { margins } = value.curve;
    const lines = Object.entries(LINES).map(([name, dashed]) => ({ name, dashed, values: value.curve[name] }));
    const chart = curvesChart({ xs: margins, lines, at: value.margin, width, names: [say("loss.margin"), say("loss.align")] });
    for (const { name } of lines) {
      const dot = { cx: chart.x(value.margin), cy: chart.y(value.loss[name]), r: name === value.mining ? 6 : 4 };
      chart.drawing.append(svg("circle", { ...dot, class: name === value.mining ? "seps-here" : "seps-there" }));
    }
    const names = Object.entries(LINES).map(([name, dashed]) => h("span", {},
      sample(dashed), say(`option.${name}`), " ", shownNumber(value.loss[name], { "data-loss-of": name })));
    describedBy(chart.drawing, now);
    curve.replaceChildren(chart.drawing, h("p", { class: "seps-samples" }, ...names));
  }

  function drawRatio() {
    const { target, shares: fractions, losses } = value.ratio;
    const at = Math.round(kept.valueAsNumber * (fractions.length - 1));
    shareReading.textContent = fixed(fractions[at], 2);
    const wide = Math.max(240, root.clientWidth < 760 ? root.clientWidth : (root.clientWidth - 340) / 2 - 24);
    const charts = KINDS.map((kind) => {
      const lines = Object.entries(LOSSES).map(([loss, dashed]) => ({ name: `${loss}-${kind}`, dashed, values: losses[loss][kind] }));
      const names = [say("loss.share"), say(`loss.${kind}`)];
      const { drawing, x } = curvesChart({ xs: fractions, lines, at: fractions[at], width: wide, names });
      drawing.append(
        svg("path", { class: "seps-goal-line", d: `M${x(target)} 22V174` }),
        svgText(x(target), 16, "middle", say("loss.target", { target }), { class: "seps-goal" }),
      );
      return drawing;
    });
    const number = (loss, kind) => shownNumber(losses[loss][kind][at], { [`data-${kind}`]: losses[loss][kind][at] });
    const rows = Object.entries(LOSSES).map(([loss, dashed]) =>
      [{ "data-ratio": loss }, [sample(dashed), ` ${say(`option.${loss}`)}`], ...KINDS.map((kind) => number(loss, kind))]);
    const numbers = table({}, [null, ...KINDS.map((kind) => say(`loss.${kind}`))], rows);
    const says = h("p", {}, say("loss.ratio_says"));
    charts.forEach((chart) => describedBy(chart, says));
    ratios.replaceChildren(...charts, h("div", {}, numbers, says));
  }

  const end = onWidth(root, (width) => {
    root.classList.toggle("seps-narrow", width < 760);
    draw();
  });
  return {
    update,
    end: () => [turns.stop, shares.stop, end].forEach((stop) => stop()),
  };
}

// trigger("turn", {margin, mining, mask_ids}) once a change rests, trigger("share", {share}) for the address.
export const mount = lasting("seps-playground", build, say("hint.no_batch"));
