// Controls for the captions that a photo ranks: a gallery's captions, or only those typed by the user.

import { debounced, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { titleOf } from "./sources.js";

const PAUSE = 300; // milliseconds
const LONGEST = 4000; // characters

// changed(changes): of the state, {pool} or {typed}.
export function captionPool({ changed }) {
  const select = h("select", { "aria-label": say("explore.pool"), change: () => changed({ pool: select.value }) });
  const typed = h("textarea", { rows: "2", maxlength: LONGEST, spellcheck: "false", "aria-label": say("explore.typed"), placeholder: say("explore.typed"),
    input: debounced(() => changed({ typed: typed.value }), PAUSE) });
  const element = h("div", { class: "pool", hidden: true }, select, typed);

  // names: of galleries; none: the choice of no gallery; chosen: the pool that was ranked.
  function show(names, none, chosen, text) {
    select.replaceChildren(
      ...names.map((name) => h("option", { value: name }, say("explore.captions_of", { name: titleOf(name) }))),
      h("option", { value: none }, say("explore.only_typed")));
    select.value = chosen;
    if (document.activeElement !== typed) typed.value = text;
  }

  return { element, show };
}
