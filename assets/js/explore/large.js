// What large galleries need: a filter on names, how far a folder is indexed, more of the ranking, and exact scores of all.

import { button, debounced, h } from "../base/dom.js";
import { say } from "../base/words.js";

const PAUSE = 250; // milliseconds
const EVERY = 2000; // milliseconds between two looks at how far indexing is
const STEP = 24; // photos by which a list grows
const FILTERED_FROM = 24; // photos
const LONGEST = 200; // characters of a filter

// search(changes): other photos are to be ranked, {name}, {count} or {all}; {} ranks again.
export function largeGallery({ engine, search }) {
  let count = STEP;
  const names = h("input", {
    type: "search", hidden: true, maxlength: LONGEST, "aria-label": say("explore.names"), placeholder: say("explore.names"), spellcheck: "false",
    input: debounced(() => search({ name: names.value.trim(), count: STEP }), PAUSE),
  });
  const indexed = h("p", { class: "note-line", role: "status" });
  const again = button({ class: "quiet", hidden: true, click: () => search({}) }, say("many.again"));
  const head = h("div", { class: "large-head" }, names, indexed, again);
  const says = h("p", { class: "note-line ranked-note" });
  const more = button({ class: "quiet", hidden: true, click: () => search({ count: count + STEP }) }, say("explore.more_photos"));
  const all = button({ class: "quiet", hidden: true, click: () => search({ all: true }) }, "");
  const foot = h("div", { class: "actions large-foot" }, more, all);
  let timer = 0;

  // A gallery was opened: facts of it; indexes: whether a folder is indexed while it is searched.
  function open(facts, indexes) {
    names.value = "";
    names.hidden = !(facts.total > FILTERED_FROM);
    clearTimeout(timer);
    indexed.textContent = "";
    again.hidden = true;
    if (indexes && facts.name === "folder") look();
  }

  async function look() {
    const { says: text, running } = await engine.indexing({}).catch(() => ({ says: "", running: false }));
    again.hidden = !running && !indexed.textContent;
    indexed.textContent = text;
    if (running) timer = setTimeout(look, EVERY);
  }

  // A ranking was shown: what is said of it, how many photos are listed, whether there are more, and what scores all.
  function show({ count: text = "", listed = 0, more: hasMore = false, all: ask = "" }) {
    count = Math.max(STEP, listed);
    says.textContent = text;
    more.hidden = !hasMore;
    all.hidden = !ask;
    all.textContent = ask;
  }

  return { head, says, foot, open, show };
}
