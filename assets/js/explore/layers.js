// The switch for the layer over the photo: Mask, Score, Words, others under "More"; of a word, its fit or what was used.

import { button, h, press } from "../base/dom.js";
import { keepingFocus } from "../base/focus.js";
import { isPart, layerName, layers as table, meaning, say, symbol } from "../base/words.js";
import { foldedMenu } from "../shell/menu.js";
import { hasLayer, layerNames, layerText, parseLayer, rowOf } from "../record/record.js";

const MAIN = ["mask", "score"];
const OF_WORD = ["fit", "word"]; // where a word fits best, and what the score used of it

// choose(layer): a layer in text form was pressed.
export function layerSwitch({ choose, firstWord }) {
  const main = [...MAIN, "words"].map((name) =>
    button({ "data-layer": name, click: () => choose(name === "words" ? `fit:${firstWord()}` : name) }, say(`explore.layer_${name}`)));
  const { element: more, list, close } = foldedMenu(say("explore.more"));
  const sides = OF_WORD.map((name) => button({ "data-side": name }, say(`explore.word_${name}`)));
  const word = h("div", { class: "switch word-side", role: "group", "aria-label": say("explore.word_side"), hidden: true }, ...sides);
  const pager = h("div", { class: "pager", hidden: true });
  const element = h("div", { class: "layers" },
    h("div", { class: "switch", role: "group", "aria-label": say("group.layer") }, ...main, more), word, pager);

  for (const side of sides) side.addEventListener("click", () => choose(`${side.dataset.side}:${side.dataset.word}`));

  function others(record) {
    const has = (name) => ["sparse", "dense", "both"].some((branch) => hasLayer(record, { name, number: null, branch }));
    const plain = layerNames(({ name, number, measured }) =>
      !number && !measured && !MAIN.includes(name) && !OF_WORD.includes(name) && has(name));
    return [...plain, ...layerNames((row) => row.measured)];
  }

  function show(record, text) {
    const layer = parseLayer(text);
    const isWord = rowOf(layer)?.number === "word";
    const names = others(record);
    list.replaceChildren(...names.map((name) => button({ "data-layer": name, title: isPart(name) && meaning(name), click: () => {
      close();
      choose(name);
    } }, ...(isPart(name) ? [symbol(name), " "] : []), layerName(name))));
    press([...main, ...list.children], ({ dataset }) => (dataset.layer === "words" ? isWord : dataset.layer === layer.name && !isWord));
    more.classList.toggle("chosen", names.includes(layer.name));
    word.hidden = !isWord || !OF_WORD.includes(layer.name);
    for (const side of sides) side.dataset.word = String(layer.number);
    press(sides, ({ dataset }) => dataset.side === layer.name);
    showPager(record, layer);
  }

  function showPager(record, layer) {
    const count = record.branches[0].aggregation_weights.length;
    const isToken = ["token", "tokens"].includes(layer.name) && layer.branch !== "both";
    pager.hidden = !isToken;
    if (!isToken) return;
    const number = layer.number ?? 0;
    const turn = (step, label, sign) => button({
      "aria-label": say(label),
      disabled: number + step < 1 || number + step > count,
      click: () => choose(layerText({ ...layer, name: "token", number: number + step })),
    }, sign);
    keepingFocus(pager, () => pager.replaceChildren(
      turn(-1, "button.previous_token", "‹"), h("span", {}, number ? say("button.of", { number, count }) : ""), turn(1, "button.next_token", "›")));
  }

  return { element, show };
}

// Whether a layer is measured when it is asked for, and whether that takes long.
const isSome = (kind) => (text) => table.some((row) => row[kind] && row.name === parseLayer(text).name);
export const [isMeasured, isSlow] = [isSome("measured"), isSome("slow")];
