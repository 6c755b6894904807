// What came true of a caption in its picture, statement by statement, and the picture captioned back.

import { h } from "../base/dom.js";
import { mounting } from "../base/mount.js";
import { say } from "../base/words.js";

const MARKS = { true: "✓", untrue: "✗", untold: "?" };

function build(root, value) {
  const statements = value.statements.map(({ says, verdict }) => {
    const words = say(`generate.${verdict}`);
    return h("li", { "data-verdict": verdict }, h("i", { role: "img", "aria-label": words, title: words }, MARKS[verdict]), h("span", {}, says));
  });
  const beams = value.beams.map(({ text, says }) => h("li", {}, h("q", {}, text), h("span", { class: "seps-quiet" }, says)));
  root.append(
    h("p", { class: "seps-standing" }, value.standing),
    h("h3", {}, say("generate.true_of")),
    h("ul", { class: "seps-statements" }, ...statements),
    h("p", { class: "seps-note" }, value.summary),
    h("h3", {}, say("generate.back")),
    h("ol", { class: "seps-beams" }, ...beams),
  );
  return () => {};
}

export const mount = mounting("seps-told", build, "");
