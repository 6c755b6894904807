// The masks of other captions of the picture, a chip each: pressed, it shows its mask; pressed again, the caption's own.

import { button, h, press } from "../base/dom.js";
import { say } from "../base/words.js";
import { readMask } from "./masks.js";

// others: [{caption, mask, says}]; changed() follows a press.
export function otherMasks(others, changed) {
  let pressed = null;
  const chips = others.map((other) => button({ class: "chip", click: () => {
    show(pressed === other ? null : other);
    changed();
  } }, other.caption));
  const title = say("shared.title");
  const element = h("div", { class: "seps-others", role: "group", "aria-label": title },
    h("span", {}, title), h("div", { class: "chips" }, ...chips));
  function show(other) {
    pressed = other;
    press(chips, (chip) => others[chips.indexOf(chip)] === pressed);
  }
  show(null);
  return {
    element,
    isEmpty: !others.length,
    get says() { return pressed?.says ?? null; },
    // The record with the mask of the pressed caption in place of its own.
    masked(record) {
      if (!pressed) return record;
      const [first, ...rest] = record.branches;
      return { ...record, branches: [{ ...first, kept: readMask(pressed.mask, first.kept.length) }, ...rest] };
    },
    release: () => show(null),
  };
}
