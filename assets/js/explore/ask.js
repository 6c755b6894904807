// The caption: a box, suggestions, and a dense caption that is folded away.

import { button, debounced, h, paced } from "../base/dom.js";
import { say } from "../base/words.js";

const PACE = 90; // milliseconds between two captions that the picture follows while one types

// typed(caption): while one types; asked(caption): Enter, or a suggestion: the best photo opens; denseTyped(text).
export function askBox({ typed, asked, denseTyped }) {
  const later = paced(() => typed(box.value), PACE);
  const box = h("textarea", {
    id: "caption", rows: "1", spellcheck: "false", autocomplete: "off", enterkeyhint: "search",
    input: later,
    keydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      later.stop();
      asked(box.value);
    },
  });
  const chips = h("div", { class: "chips", role: "group", "aria-label": say("explore.try") });
  const denseLater = debounced(() => denseTyped(dense.value), 3 * PACE);
  const dense = h("textarea", { rows: "4", spellcheck: "false", "aria-label": say("explore.dense"), placeholder: say("explore.dense_hint"), input: denseLater });
  const fold = h("details", { class: "fold dense" }, h("summary", {}, say("explore.dense")), dense);
  const element = h("div", { class: "ask-box" },
    h("div", { class: "ask-head" }, h("label", { for: "caption" }, say("explore.caption")), chips), box);

  // Put text into a box, unless a person is typing there.
  function put(place, text) {
    if (place.value.trim() === text.trim() || (document.activeElement === place && place.dataset.typing)) return;
    place.value = text;
  }

  for (const place of [box, dense]) {
    place.addEventListener("input", () => { place.dataset.typing = "true"; });
    place.addEventListener("blur", () => { delete place.dataset.typing; });
  }

  function show({ caption, dense: text }) {
    put(box, caption);
    put(dense, text);
    if (text) fold.open = true;
  }

  function suggest(captions, current) {
    const others = captions.filter((caption) => caption !== current);
    chips.replaceChildren(h("span", {}, say("explore.try")), ...others.map((caption) => button({ class: "chip", click: () => {
      later.stop();
      delete box.dataset.typing;
      box.value = caption;
      asked(caption);
    } }, caption)));
  }

  return { element, fold, show, suggest };
}
