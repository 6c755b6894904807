// The caption's words: a pressed one is shown on the picture; without one, the word under the pointer.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { captionButtons } from "../viewer/parts.js";

// choose(word), preview(word): by their positions; null for none.
export function wordRow({ choose, preview }) {
  const element = h("div", { class: "words" });
  let [key, buttons, pinned, lit] = ["", null, null, null];

  function show(record, word) {
    const { words } = record.alignments[0];
    pinned = word;
    if (key !== words.join("\n")) {
      key = words.join("\n");
      lit = null;
      buttons = captionButtons(words, {
        preview: (index) => {
          if (pinned !== null) return;
          lit = index;
          buttons.light(lit, pinned);
          preview(index);
        },
        pin: (index) => {
          lit = null;
          choose(pinned === index ? null : index);
        },
      });
      for (const piece of buttons.element.querySelectorAll("button + button")) { // joined to the one before
        piece.title = piece.textContent;
        piece.textContent = piece.textContent.replace(/^##/, "");
      }
      element.replaceChildren(h("span", { class: "words-label" }, say("explore.words")), buttons.element);
    }
    buttons.light(lit, pinned);
  }

  return { element, show };
}

// The first word that is no marker such as [CLS] and not short, for the layer "Words".
export function firstWord(record) {
  const { words } = record.alignments[0];
  const is = (word) => !/^\[.+\]$/.test(word) && !word.startsWith("##");
  const long = words.findIndex((word) => is(word) && word.length > 3);
  return long < 0 ? Math.max(0, words.findIndex(is)) : long;
}
