// What if: patches kept and dropped by hand on the large photo, and the numbers that follow.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { drawChoice, whatIf } from "../viewer/whatif.js";

// grid(): of the record; changed(mask, budget): the decision is another one; redraw(): only its looks are.
export function paintTools({ canvas, grid, patch, changed, redraw }) {
  const place = h("div", { class: "paint-tools seps-view" });
  const why = say("explore.paint_later");
  const waiting = button({ class: "seps-whatif-toggle", disabled: true, title: why }, say("button.whatif"));
  const toggle = h("span", { click: () => decider?.open && place.scrollIntoView({ block: "nearest" }) }, waiting);
  let key = "";
  let decider = null;

  // Follow a value of the engine: the decider stays while the pair does.
  function show({ photo, caption, dense_caption: dense, whatif, mask, budget }) {
    if (!whatif) return;
    const now = JSON.stringify([photo.src, caption, dense]);
    if (now === key) return decider.update(whatif, mask, budget);
    const wasOpen = decider?.open ?? false;
    key = now;
    const mine = whatIf(whatif, {
      mask, budget,
      grid: grid(),
      changed: () => decider === mine && changed(mine.text(), mine.budget),
      redraw: () => redraw(),
    });
    decider = mine;
    mine.paintOn(canvas, () => decider === mine, patch);
    toggle.replaceChildren(mine.toggle);
    place.replaceChildren(mine.element);
    if (wasOpen && !mine.open) mine.toggle.click();
    return undefined;
  }

  return {
    toggle, tools: place, show,
    over: () => decider?.choice && drawChoice(canvas, grid(), decider.choice),
    back: () => decider?.back(),
    get kept() { return decider?.open ? [...decider.kept] : null; },
    get isOpen() { return Boolean(decider?.open); },
    get isEmpty() { return Boolean(decider?.open) && !decider.kept.some(Boolean); },
  };
}
