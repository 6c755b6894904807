// Lists that a person picks from: ranked photographs, ranked captions, a strip of photographs, example captions.
// Each is mounted on a Gradio HTML component and drawn anew from its value; nothing is computed but changes of place.

import { button, calm, h, press } from "../base/dom.js";
import { keepingFocus, roving } from "../base/focus.js";
import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { work } from "../page/busy.js";
import { stepped } from "../page/trail.js";
import { downloadButtons } from "../picture/foot.js";
import { timeline } from "./timeline.js";

const SIGNIFICANT = 3; // decimals of a score

// Mount a list: draw it now and whenever Python sends another value.
function list(name, draw) {
  return (element, props, trigger, watch) => {
    const memory = {};
    const show = () => {
      const value = props.value;
      const root = h("div", { class: `seps-list ${name}` });
      if (value) draw(root, value, trigger, memory);
      keepingFocus(element, () => element.replaceChildren(root));
      if (value && memory.drawn) memory.drawn(root);
    };
    show();
    watch("value", show);
  };
}

// What a button does that picks: it is marked at once, and stays it in a list that is drawn anew while the pick waits for
// what was typed (page/typed.js). Python's next value says the same.
function picking(trigger, memory, detail) {
  return ({ currentTarget: picked }) => {
    press(picked.closest(".seps-list").querySelectorAll("[aria-pressed]"), (element) => element === picked);
    pick(trigger, memory, detail);
  };
}

function pick(trigger, memory, detail) {
  memory.picked = detail;
  Promise.resolve(trigger("pick", detail)).then(() => {
    if (memory.picked === detail) memory.picked = null;
  });
}

// Whether an item is the one picked, by the name that its picks have.
const isPicked = (name, item, value, memory) => String(item === (memory.picked?.[name] ?? value.selected));

const score = (value) => fixed(value, SIGNIFICANT);

// The bar under a score, from zero to it, on one scale for the whole list; to the left of a zero line where it is below.
function bar(value, scores) {
  const [low, high] = [Math.min(0, ...scores), Math.max(0, ...scores)];
  const at = (score) => (high > low ? (100 * (score - low)) / (high - low) : 0);
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  const piece = h("span", { class: value < 0 ? "below" : null, style: `left:${from}%;width:${to - from}%` });
  const zero = low < 0 && h("i", { style: `left:${at(0)}%` });
  return h("span", { class: "bar", "aria-hidden": "true" }, piece, zero);
}

// What the bars' sides mean, where there are two.
const sides = (scores) => Math.min(...scores) < 0 && h("p", { class: "line" }, say("list.below_zero"));

// The button that saves the whole ranking.
function take(trigger) {
  const label = say("button.download_ranking");
  const save = ({ currentTarget }) => {
    trigger("export", {});
    work(currentTarget);
  };
  return button({ class: "take", "aria-label": label, click: save }, "CSV");
}

// The button that leads to the view "Why", where the list has two to set side by side.
function why(value, trigger) {
  return value.why ? button({ class: "ask-why", click: () => trigger("why", {}) }, say("why.ask")) : null;
}

// How a photograph moved since the ranking before: words, and a sign.
function change(before, now) {
  if (before === undefined || before === now) return null;
  const steps = Math.abs(before - now);
  const up = before > now;
  const label = say(up ? "list.up" : "list.down", { steps });
  const looks = { class: `change ${up ? "up" : "down"}`, role: "img", title: label, "aria-label": label };
  return h("span", looks, `${up ? "▲" : "▼"}${steps}`);
}

// The button that asks for exact scores of all photographs, where not all have one.
function scoreAll(value, trigger) {
  return value.all ? button({ class: "score-all", click: () => trigger("all", {}) }, value.all) : null;
}

// The button that shows, and hides again, the photographs that are nearly the same as the one before it.
function unfold(alike) {
  const toggle = ({ currentTarget }) => {
    const open = currentTarget.getAttribute("aria-expanded") !== "true";
    currentTarget.setAttribute("aria-expanded", String(open));
    currentTarget.closest("li").classList.toggle("open", open);
  };
  return button({ class: "alike", "aria-expanded": "false", title: alike.tip, click: toggle }, alike.text);
}

// value: {note, all, selected, lists: [{title, items: [ROW + {alike: {text, tip, items: [ROW]}}]}]}, where a ROW is
// {index, rank, title, thumb, score}
// `timeline`: of the frames of a video, see demo/record/timeline.py
function drawRanking(root, value, trigger, memory) {
  const before = memory.ranks ?? {};
  const boxes = memory.boxes ?? {};
  memory.ranks = {};
  const mark = (index) => press(root.querySelectorAll(".row"), (row) => Number(row.dataset.index) === index);
  const choose = (index) => {
    stepped();
    mark(index);
    pick(trigger, memory, { index });
  };
  const selected = memory.picked?.index ?? value.selected;
  const files = value.timeline && downloadButtons(value.timeline.formats, (format) => trigger("film", { format }), "timeline.download");
  const film = value.timeline ? timeline(value.timeline, selected, choose, trigger, files) : null;
  if (film) root.append(film.element);
  root.append(h("p", { class: "line" }, value.note));
  if (value.missed) root.append(h("p", { class: "missed", "data-says": true }, value.missed));
  const [best] = value.lists[value.lists.length - 1].items;
  root.dataset.says = say("live.first", { name: best.title, score: best.score });
  const lists = h("div", { class: `lists of-${value.lists.length}` });
  const all = value.lists.flatMap(({ items }) => items.map((item) => item.score));
  value.lists.forEach((part, number) => {
    const scores = part.items.map((item) => item.score);
    const row = (item) =>
      button(
        {
          class: "row",
          "data-index": item.index,
          "aria-pressed": isPicked("index", item.index, value, memory),
          click: (event) => {
            picking(trigger, memory, { index: item.index })(event);
            film?.show(item.index);
          },
        },
        h("span", { class: "rank" }, String(item.rank)),
        h("img", { src: item.thumb, alt: "", loading: "lazy" }),
        h(
          "span",
          { class: "what" },
          h("span", { class: "title" }, item.title),
          h("span", { class: "score" }, score(item.score)),
          bar(item.score, scores),
        ),
        change(before[`${number}:${item.index}:${item.title}`], item.rank),
      );
    const rows = part.items.map((item) => {
      const id = `${number}:${item.index}:${item.title}`; // another gallery's photograph has not moved
      memory.ranks[id] = item.rank;
      if (!item.alike) return h("li", { "data-id": id }, row(item));
      const others = h("div", { class: "others" }, ...item.alike.items.map(row));
      return h("li", { "data-id": id }, row(item), unfold(item.alike), others);
    });
    lists.append(
      h("section", {}, part.title ? h("h4", {}, part.title) : null, h("ol", { class: "ranked" }, ...rows)),
    );
  });
  const moves = lists.querySelector(".change") && h("p", { class: "line moves" }, say("list.moves"));
  root.append(...[moves, sides(all)].filter(Boolean), lists);
  root.append(h("div", { class: "actions" }, take(trigger), scoreAll(value, trigger), why(value, trigger)));
  memory.drawn = (drawn) => slide(drawn, boxes, memory);
}

// Let every row glide from where it was. Boxes are kept relative to their list, so that scrolling moves nothing.
function slide(root, boxes, memory) {
  memory.boxes = {};
  for (const item of root.querySelectorAll("li")) {
    const id = item.dataset.id;
    memory.boxes[id] = item.offsetTop;
    const moved = boxes[id] === undefined ? 0 : boxes[id] - item.offsetTop;
    if (moved && !calm()) {
      const path = [{ transform: `translateY(${moved}px)` }, { transform: "none" }];
      item.animate(path, { duration: 320, easing: "ease-out" });
    }
  }
}

const SIGNS = { right: "✓", wrong: "✗", typed: "✎" };

// Whether a caption was written for the photo: a sign, and words.
function mark(name) {
  const words = say(`list.${name}`);
  return h("span", { class: "mark", role: "img", title: words, "aria-label": words }, SIGNS[name]);
}

// value: {note, selected, recall, rows: [{rank, caption, score, mark: "right" | "wrong" | "typed"}]}
function drawCaptions(root, value, trigger, memory) {
  const scores = value.rows.map((row) => row.score);
  const marks = Object.keys(SIGNS).filter((name) => value.rows.some((row) => row.mark === name));
  const key = marks.map((name) => `${SIGNS[name]} ${say(`list.${name}`)}`).join(" · ");
  root.append(h("p", { class: "line" }, value.note));
  const [best] = value.rows;
  if (best) root.dataset.says = say("live.first", { name: best.caption, score: best.score });
  root.append(...[key && h("p", { class: "line marks" }, key), sides(scores)].filter(Boolean));
  const rows = value.rows.map((row) =>
    h(
      "li",
      {},
      button(
        {
          class: `row ${row.mark ?? ""}`,
          "data-rank": row.rank,
          "aria-pressed": isPicked("caption", row.caption, value, memory),
          click: picking(trigger, memory, { caption: row.caption }),
        },
        h("span", { class: "rank" }, String(row.rank)),
        h(
          "span",
          { class: "what" },
          h("span", { class: "caption" }, row.caption),
          h("span", { class: "score" }, score(row.score)),
          bar(row.score, scores),
        ),
        row.mark ? mark(row.mark) : null,
      ),
    ),
  );
  root.append(h("ol", { class: "ranked" }, ...rows));
  const actions = h("div", { class: "actions" }, take(trigger), why(value, trigger));
  root.append(h("p", { class: "line recall" }, value.recall), actions);
}

// What puts a photograph's name in the place of its picture where that cannot be fetched.
const named = (title) => ({ currentTarget: image }) => image.replaceWith(h("span", { class: "name" }, title));

// value: {selected, items: [{index, title, thumb}]}
function drawStrip(root, value, trigger, memory) {
  // The picked one comes into sight: now, or once the strip has a width.
  memory.watched?.disconnect();
  memory.watched = new ResizeObserver(() => {
    const picked = root.querySelector("[aria-pressed=true]");
    if (!root.clientWidth || !picked) return;
    root.scrollLeft = picked.offsetLeft - root.offsetLeft - (root.clientWidth - picked.offsetWidth) / 2;
    root.scrollTop = picked.offsetTop - root.offsetTop - (root.clientHeight - picked.offsetHeight) / 2;
    memory.watched.disconnect();
  });
  memory.watched.observe(root);
  root.append(
    ...value.items.map((item) =>
      button(
        {
          class: "thumb",
          title: item.title,
          "aria-label": item.title,
          "aria-pressed": isPicked("index", item.index, value, memory),
          "data-index": item.index,
          click: picking(trigger, memory, { index: item.index }),
        },
        h("img", { src: item.thumb, alt: "", loading: "lazy", error: named(item.title) }),
      ),
    ),
  );
  roving(root, ".thumb");
}

// value: {items: ["a caption", ...]}
function drawChips(root, value, trigger) {
  root.append(
    ...value.items.map((text) =>
      button({ class: "chip", click: () => trigger("pick", { caption: text }) }, text),
    ),
  );
}

export const ranking = list("ranking", drawRanking);
export const captions = list("captions", drawCaptions);
export const strip = list("strip", drawStrip);
export const chips = list("chips", drawChips);
