// The lesson's ninth step: patches kept and dropped by hand, and the numbers of both decisions. See steps.js.

import { cellOf, sum } from "../base/arrays.js";
import { debounced, describedBy, h, svg, table } from "../base/dom.js";
import { say, symbols } from "../base/words.js";
import { overPatches } from "../picture/patches.js";
import { readMask } from "../viewer/masks.js";
import { whatIf } from "../viewer/whatif.js";
import { keptOutlines } from "./charts.js";
import { footing, heading, maskLegend, masked, patches } from "./stage.js";

const STROKE = 40; // milliseconds in which patches that are painted gather

// The decision by hand on an example; ask(text) is called once it settles, redraw() at each change.
export function createHand(value, grid, { ask, redraw }) {
  const count = grid[0] * grid[1];
  let content = value.whatif;
  let answered = value.by_hand; // the decision of the current numbers
  let patch = null; // the one under the pointer, or that the arrow keys have reached
  const asks = debounced(() => ask(decider.text()), STROKE);
  const decider = whatIf(content, {
    mask: value.by_hand, budget: 0, grid, always: true,
    changed: () => {
      redraw();
      asks();
    },
    redraw,
  });
  const mark = svg("svg", { class: "seps-at", viewBox: `0 0 ${grid[1]} ${grid[0]}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const place = h("div", { class: "seps-paint", role: "application", tabindex: "0" }, mark);
  const reading = h("p", { class: "seps-aside seps-patch", role: "status", "aria-live": "polite" });
  describedBy(place, reading, decider.element.querySelector(".seps-decision"));
  const show = () => {
    const [y, x] = patch === null ? [] : cellOf(patch, grid[1]);
    const square = { x, y, width: 1, height: 1, "vector-effect": "non-scaling-stroke" };
    mark.replaceChildren(...(patch === null ? [] : [svg("rect", { class: "seps-under", ...square }), svg("rect", square)]));
    const key = decider.kept[patch] ? "whatif.patch_kept" : "whatif.patch_dropped";
    reading.textContent = patch === null ? "" : say(key, { row: y + 1, column: x + 1 });
  };
  overPatches(place, grid, () => patch, (next) => {
    patch = next;
    show();
  });
  decider.paintOn(place, () => true, () => patch);
  place.addEventListener("keydown", (event) => {
    if (event.key === " ") event.preventDefault(); // never turns a page from here
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    decider.back();
  });

  // The photo under the decision, what by hand differs from the model's own, and both in numbers.
  function picture(c) {
    const { layout: { home, side, line }, record } = c;
    const model = readMask(content.own, count);
    const branch = { ...record.branches[0], kept: decider.kept };
    const ring = content.patch !== null && !decider.text() ? content.patch : null;
    show();
    const title = say("mask.count", { kept: sum(branch.kept), total: count });
    place.setAttribute("aria-label", `${title}. ${say("whatif.hint")}`);
    const notes = [
      heading(c, "home", home, title),
      footing(c, "home-legend", home, maskLegend({ ...c, branch: "sparse" }, branch, model)),
      { key: "outlines", rect: home, node: keptOutlines(record, branch.kept, model) },
      { key: "trial", rect: { ...side, y: side.y - line }, node: trialTable() },
      { key: "patch", rect: { x: side.x, y: side.y + side.height - line, width: side.width, height: line }, node: reading },
    ];
    if (ring !== null) {
      const [wide, tall] = [home.width / grid[1], home.height / grid[0]];
      const [row, column] = cellOf(ring, grid[1]);
      const rect = { x: home.x + column * wide, y: home.y + row * tall, width: wide, height: tall };
      notes.push({ key: "ring", rect, node: h("div", { class: "seps-ring", "data-patch": ring }) });
    }
    if (!value.still) notes.push({ key: "paint", rect: home, node: place });
    return { sprites: new Map(patches(c, home, masked(branch))), notes };
  }

  function trialTable() {
    const rows = content.rows.map(([key, title, numbers]) => [{ "data-trial": key }, symbols(title), ...numbers]);
    const counted = readMask(answered || content.own, count);
    const stale = decider.kept.some((bit, at) => bit !== counted[at]);
    return table({ class: "seps-trial", "aria-busy": stale ? "true" : null }, [null, ...content.columns], rows);
  }

  return {
    element: decider.element, picture,
    update(next) {
      content = next.whatif;
      answered = next.by_hand;
      decider.update(content, next.by_hand, 0);
    },
    end: asks.stop,
  };
}
