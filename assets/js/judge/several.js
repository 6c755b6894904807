// Several pictures of one prompt, sorted by either score.

import { button, h, press } from "../base/dom.js";
import { lasting } from "../base/mount.js";
import { keepingFocus } from "../base/focus.js";
import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { scoreScale } from "./scale.js";

const SORTS = ["quality", "consistency"];
const WIDTH = 68; // CSS pixels of a picture's scales

function build(root, trigger) {
  let value = null;
  let by = SORTS[0];

  const says = h("p", { class: "seps-note", role: "status" });
  const sorts = SORTS.map((name) => button({ "data-sort": name, click: () => {
    by = name;
    draw();
  } }, say(`judge.${name}`)));
  const download = button({ class: "seps-take", "aria-label": say("judge.download"), click: () => trigger("export", { by }) }, "CSV");
  const controls = h("div", { class: "seps-settings" },
    h("div", { class: "seps-names", role: "group", "aria-label": say("judge.sort") }, h("span", {}, say("judge.sort")), ...sorts),
    download,
  );
  const ask = button({ class: "seps-ask", click: () => {
    ask.disabled = true;
    trigger("all", {});
  } });
  const list = h("ol", { class: "seps-together" });
  root.replaceChildren(h("h3", {}, say("judge.several")), says, ask, controls, list);

  function card(row, rank) {
    const looks = { "data-index": row.index, "aria-pressed": String(row.index === value.selected), title: row.says };
    return h("li", {}, button({ ...looks, click: () => trigger("pick", { index: row.index }) },
      h("img", { src: row.thumb, alt: "", loading: "lazy" }),
      h("b", {}, String(rank)),
      ...SORTS.map((name) => h("span", { class: name === by ? "seps-sorted" : null, "data-score": row[name].final },
        say(`judge.${name}`), scoreScale(row[name], WIDTH, "small"), h("output", {}, fixed(row[name].final, 2)))),
    ));
  }

  function draw() {
    press(sorts, (element) => element.dataset.sort === by);
    const rows = [...(value.rows ?? [])].sort((first, other) => other[by].final - first[by].final);
    keepingFocus(list, () => list.replaceChildren(...rows.map((row, index) => card(row, index + 1))));
  }

  return {
    update: (next) => {
      value = next;
      says.textContent = value.says;
      ask.textContent = value.ask;
      ask.disabled = false;
      ask.hidden = Boolean(value.rows);
      controls.hidden = list.hidden = !value.rows;
      draw();
    },
    end: () => {},
  };
}

// trigger("all", {}) asks for the scores, trigger("pick", {index}) opens a picture, trigger("export", {by}) saves them.
export const mount = lasting("seps-several", build, "");
