// Which captions are ranked for the photo: those of a gallery, a person's own next to them, or only these.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { debounced } from "../shell/latest.js";
import { titleOf } from "./sources.js";

const PAUSE = 300; // milliseconds

// changed({typed} or {pool}): other captions are ranked.
export function captionPool({ changed }) {
  const box = h("textarea", { rows: "3", spellcheck: "false", "aria-label": say("explore.typed"), input: debounced(() => changed({ typed: box.value }), PAUSE) });
  const select = h("select", { "aria-label": say("explore.pool"), change: () => changed({ pool: select.value }) });
  const element = h("details", { class: "fold pool", hidden: true }, h("summary", {}, say("explore.typed")), box, select);

  // mode, typed: of the state; pool: that was ranked; facts: of the gallery; none: the name of no pool.
  function show({ mode, typed }, pool, facts, none) {
    element.hidden = mode !== "captions";
    if (document.activeElement !== box) box.value = typed;
    if (typed) element.open = true;
    if (!facts || !pool) return;
    const title = (name) => (name === none ? say("explore.only_typed") : say("explore.pool_of", { name: titleOf(name, name) }));
    select.replaceChildren(...[...facts.pools, none].map((name) => h("option", { value: name }, title(name))));
    select.value = pool;
  }

  return { element, show };
}
