// A decision by hand: patches kept and dropped over the picture, the tools for it, and the game of a budget of patches.
// Nothing is computed here: `changed` asks the engine and receives its answer.

import { cellOf, sum } from "../base/arrays.js";
import { strokes } from "../base/canvas.js";
import { VEIL } from "../base/colours.js";
import { button, h, press, table } from "../base/dom.js";
import { say, symbol, symbols } from "../base/words.js";
import { patchUnder } from "../picture/patches.js";
import { between, maskText, readMask } from "./masks.js";

const MOST_STEPS = 200; // that can be undone
const CHOICE = "#ffd23f"; // dashes around the model's choice in the game

// content: what a decision by hand needs, see whatif_value in demo/views/viewer.py; `changed` is called when the decision
// has changed, `redraw` when only its looks have. With `always` the tools are there from the start, stay, and have no game.
export function whatIf(content, { mask, budget, grid, changed, redraw, always = false }) {
  const count = grid[0] * grid[1];
  let model = readMask(content.own, count);
  let kept = mask ? readMask(mask, count) : budget ? model.map(() => 0) : [...model];
  let open = Boolean(always || mask || budget);
  let game = budget;
  let history = [];
  let pending = false; // whether Python has yet to answer
  let seen = false; // whether the model's choice is shown
  let full = false; // whether a patch too many was asked for

  const used = () => sum(kept);
  const same = (first, other) => first.every((bit, patch) => bit === other[patch]);
  const text = () => (open && used() && !same(kept, model) ? maskText(kept) : "");

  const tool = (name, does, label = say(`button.${name}`)) => button({ "data-tool": name, click: does }, label);
  const toggle = button({ class: "seps-whatif-toggle", "data-tool": "whatif", click: () => show(!open) }, say("button.whatif"));
  const undo = tool("undo", back);
  const asOwn = tool("own", () => decide(model));
  const all = tool("keep_all", () => decide(model.map(() => 1)));
  const none = tool("keep_none", () => decide(model.map(() => 0)));
  const inside = content.objects.map(([name, bits]) => {
    const patches = readMask(bits, count);
    return [tool("inside", () => decide(patches), say("button.keep_inside", { name })), patches];
  });
  const play = tool("play", () => (game ? stop() : begin(content.budget)), say("game.title", { budget: content.budget }));
  const size = h("input", { type: "number", min: 1, max: count, step: 1, change: () => begin(size.valueAsNumber, true) });
  const sized = h("label", { class: "seps-budget" }, say("button.budget"), size);
  const reveal = tool("model", () => {
    seen = !seen;
    update();
    redraw();
  }, "");
  const says = h("p", { class: "seps-decision", role: "status", "aria-live": "polite" });
  const verdict = h("div", { class: "seps-verdict" }, says);
  const element = h("div", { class: "seps-whatif", role: "group", "aria-label": say("group.whatif") },
    h("div", { class: "seps-tools" }, undo, asOwn, all, none, always ? null : play),
    inside.length > 0 && h("div", { class: "seps-tools", role: "group", "aria-label": say("group.inside") },
      ...inside.map(([element]) => element)),
    h("div", { class: "seps-tools seps-play" }, sized, reveal),
    verdict,
  );

  function show(on) {
    open = on;
    if (!on) {
      if (!same(kept, model)) remember();
      kept = [...model];
      game = 0;
    }
    ask();
    redraw();
  }

  function begin(patches, again = false) {
    const least = again ? Math.max(1, used()) : 1;
    const chosen = Math.round(Number.isFinite(patches) ? patches : content.budget);
    game = Math.max(least, Math.min(count, chosen));
    if (!again) {
      remember();
      kept = model.map(() => 0);
      seen = false;
    }
    ask();
    redraw();
  }

  function stop() {
    take(model, 0);
    redraw();
  }

  function remember() {
    history.push([[...kept], game]);
    history = history.slice(-MOST_STEPS);
  }

  function back() {
    if (!history.length) return;
    [kept, game] = history.pop();
    ask();
  }

  function take(mask, budget) {
    remember();
    [kept, game] = [[...mask], budget];
    ask();
  }

  const decide = (mask) => same(kept, mask) || take(mask, game);

  // Set patches to kept or dropped; in a game no more than its budget.
  function put(patches, to) {
    let left = game ? game - used() : count;
    full = false;
    for (const patch of patches) {
      if (kept[patch] === to) continue;
      if (to && left === 0) {
        full = true;
        break;
      }
      kept[patch] = to;
      left += to ? -1 : 1;
    }
    ask();
  }

  function ask() {
    pending = true;
    update();
    changed();
  }

  function update() {
    const placed = used();
    press([toggle], () => open);
    toggle.setAttribute("aria-expanded", String(open));
    element.hidden = !open;
    undo.disabled = !history.length;
    asOwn.disabled = Boolean(game) || same(kept, model);
    all.disabled = Boolean(game) || placed === count;
    none.disabled = placed === 0;
    inside.forEach(([element, patches]) => {
      element.disabled = Boolean(game) && sum(patches) > game;
    });
    press([play], () => game);
    play.textContent = say("game.title", { budget: game || content.budget });
    sized.parentElement.hidden = !game;
    if (game && document.activeElement !== size) size.value = String(game);
    reveal.textContent = say(seen ? "button.hide_model" : "button.show_model");
    press([reveal], () => seen);
    says.replaceChildren(...symbols(sentence(placed)));
    verdict.querySelector("table")?.remove();
    if (game && content.game) verdict.append(gameTable());
  }

  function sentence(placed) {
    if (game && full) return say("game.full", { budget: game });
    if (game) return !placed || !content.game ? say("game.ask", { budget: game }) : content.game.says;
    if (!placed) return say("whatif.empty");
    return same(kept, model) ? say("whatif.hint") : (content.now?.says ?? say("whatif.hint"));
  }

  function gameTable() {
    const heads = [say("game.who"), say("game.patches"), symbol("S(I, T)"), say("game.rank_title")];
    return table({ class: "seps-game" }, heads, content.game.rows.map((row) => [{}, ...row]));
  }

  // Let pointer and space bar paint on a canvas while `allowed`; `current` is the patch reached by the arrow keys.
  function paintOn(canvas, allowed, current) {
    let stroke = null; // {to, at} while a pointer is down
    const ready = () => open && allowed();
    canvas.addEventListener("pointerdown", (event) => {
      const patch = ready() && event.button === 0 ? patchUnder(canvas, grid, event) : null;
      if (patch === null) return;
      canvas.setPointerCapture(event.pointerId);
      remember();
      stroke = { to: kept[patch] ? 0 : 1, at: patch };
      put([patch], stroke.to);
    });
    canvas.addEventListener("pointermove", (event) => {
      const patch = stroke && patchUnder(canvas, grid, event);
      if (!stroke || patch === null || patch === stroke.at) return;
      put(between(stroke.at, patch, grid[1]), stroke.to);
      stroke.at = patch;
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { stroke = null; });
    canvas.addEventListener("keydown", (event) => {
      if (event.key !== " " || !ready() || current() === null) return;
      event.preventDefault();
      remember();
      put([current()], kept[current()] ? 0 : 1);
    });
  }

  update();
  return {
    toggle, element, paintOn, back, text,
    get kept() { return kept; },
    get open() { return open; },
    get budget() { return open ? game : 0; },
    get choice() { return seen && game && content.game ? readMask(content.game.mask, count) : null; },
    // What Python says now; while it has yet to answer to the latest change, the picture stays as it was painted.
    update(next, mask, budget) {
      content = next;
      model = readMask(content.own, count);
      if (mask === text() && budget === game) pending = false;
      else if (!pending) {
        kept = mask ? readMask(mask, count) : budget ? model.map(() => 0) : [...model];
        game = budget;
        open = open || Boolean(mask || budget);
      }
      update();
    },
  };
}

// Draw a dashed line around the patches of a mask.
export function drawChoice(canvas, [rows, columns], mask) {
  const context = canvas.getContext("2d");
  const pixel = window.devicePixelRatio || 1;
  const [width, height] = [canvas.width / columns, canvas.height / rows];
  const is = (row, column) => row >= 0 && row < rows && column >= 0 && column < columns && mask[row * columns + column];
  const path = new Path2D();
  mask.forEach((chosen, patch) => {
    if (!chosen) return;
    const [row, column] = cellOf(patch, columns);
    const [left, top, inset] = [column * width, row * height, 2 * pixel];
    const [right, bottom] = [left + width, top + height];
    const sides = [ // the neighbour across each side, and the side
      [row - 1, column, left, top + inset, right, top + inset], [row + 1, column, left, bottom - inset, right, bottom - inset],
      [row, column - 1, left + inset, top, left + inset, bottom], [row, column + 1, right - inset, top, right - inset, bottom],
    ];
    for (const [y, x, x0, y0, x1, y1] of sides) {
      if (is(y, x)) continue;
      path.moveTo(x0, y0);
      path.lineTo(x1, y1);
    }
  });
  strokes(context, [[VEIL, 5], [CHOICE, 2.5, [6, 4]]], () => context.stroke(path));
}
