// A caption's statements, each with a verdict: of `reads`, what a captioner reads in a picture, or of `truth`, what is
// true of a scene with known objects.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";

const MARKS = {
  reads: { true: "✓", untrue: "≠", untold: "?" },
  truth: { true: "✓", untrue: "✗" },
};

// The list of {says, verdict} under its title.
export function statements(list, of) {
  const rows = list.map(({ says, verdict }) => {
    const words = say(`${of}.${verdict}`);
    const mark = h("i", { role: "img", "aria-label": words, title: words }, MARKS[of][verdict]);
    return h("li", { "data-verdict": verdict }, mark, h("span", {}, says));
  });
  return [h("h3", {}, say(`${of}.title`)), h("ul", { class: "seps-statements", "data-of": of }, ...rows)];
}
