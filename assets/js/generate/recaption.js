// What a captioner reads of a caption in its picture, statement by statement, and the picture captioned back.

import { h } from "../base/dom.js";
import { fold } from "../base/fold.js";
import { mounting } from "../base/mount.js";
import { say } from "../base/words.js";
import { statements } from "./parts.js";

function build(root, value) {
  root.append(
    h("p", { class: "seps-standing" }, value.standing),
    ...statements(value.statements, "reads"),
    h("p", { class: "seps-note" }, value.summary),
    h("p", { class: "seps-note" }, value.note),
    h("h3", {}, say("generate.back")),
    h("ol", { class: "seps-beams" }, ...value.beams.map((text) => h("li", {}, h("q", {}, text)))),
    fold(...value.numbers),
  );
  return () => {};
}

export const mount = mounting("seps-told", build, "");
