// The menu "Download" of a place: what can be saved there, in its formats.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { cancellable } from "./latest.js";
import { foldedMenu } from "./menu.js";

const KINDS = { png: "picture", svg: "picture", pdf: "picture", gif: "film", mp4: "film", webm: "film", json: "numbers", csv: "table", html: "page", spec: "spec" };

// files(): [{what, formats, label, values()}], what can be saved now. what: for engine.save; label: an optional word key.
export function downloadMenu({ engine, line, announce }, files) {
  const { element, list, close } = foldedMenu(say("download.title"), "more download");
  const summary = element.firstElementChild;

  element.addEventListener("toggle", () => element.open && fill());
  summary.addEventListener("click", (event) => element.hasAttribute("aria-busy") && event.preventDefault());

  function fill() {
    const rows = files().flatMap(({ what, formats = engine.formats[what] ?? [], label, values }) => formats.map((format) => button(
      { "data-file": `${what}.${format}`, click: () => save(what, format, values) },
      say("download.item", { name: say(`download.${label ?? KINDS[format]}`), format: format === "spec" ? "JSON" : format.toUpperCase() }),
    )));
    list.replaceChildren(...(rows.length ? rows : [h("p", {}, say("download.none"))]));
  }

  async function save(what, format, values) {
    close();
    summary.focus();
    const { signal, cancel } = cancellable();
    const progress = line.progress(say("download.making"), cancel);
    element.setAttribute("aria-busy", "true");
    line.problem("");
    progress({});
    try {
      const says = await engine.save(what, { ...values(), file_format: format }, { signal, progress });
      line.note(says);
      announce(says);
    } catch (error) {
      line.problem(error.message);
    }
    line.wait("");
    element.removeAttribute("aria-busy");
  }

  return element;
}
