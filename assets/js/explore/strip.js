// The ranking as a strip of photos, or as a list of captions; all bars of one list share one scale.

import { extremes } from "../base/arrays.js";
import { button, h } from "../base/dom.js";
import { keepingFocus, roving } from "../base/focus.js";
import { fixed, shownNumber } from "../base/numbers.js";
import { say } from "../base/words.js";

const LISTED = 30; // captions

function bar(value, scores) {
  const [low, high] = extremes([0, ...scores]);
  const at = (score) => (high > low ? (100 * (score - low)) / (high - low) : 0);
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  return h("span", { class: "bar", "aria-hidden": "true" },
    h("i", { class: value < 0 ? "below" : null, style: { left: `${from}%`, width: `${to - from}%` } }));
}

const scoreText = (score) => shownNumber(score, { class: "score", "data-score": score }, fixed(score, 2));

// The button that shows, and hides again, photos that are nearly the same as the one before it.
function unfold(alike) {
  const toggle = ({ currentTarget }) => {
    const isOpen = currentTarget.getAttribute("aria-expanded") !== "true";
    currentTarget.setAttribute("aria-expanded", String(isOpen));
    currentTarget.nextElementSibling.hidden = !isOpen;
  };
  return button({ class: "quiet alike", "aria-expanded": "false", title: alike.tip, click: toggle }, alike.text);
}

// choose(index): a photo was pressed; chooseCaption(caption): a caption was.
export function rankingStrip({ choose, chooseCaption }) {
  const element = h("div", { class: "strip" });
  let kind = "";

  function put(name, label, rows) {
    kind = name;
    const list = h("ol", { class: `ranked ${name}`, "aria-label": label }, ...rows.map((row) => h("li", {}, ...[row].flat())));
    keepingFocus(element, () => element.replaceChildren(list));
    if (rows.length) roving(list, "button", 1); // a column or a row
    list.addEventListener("scroll", () => fade(list), { passive: true });
    fade(list);
    reveal(list);
  }

  // Fade the list out at an edge beyond which it can be scrolled.
  function fade(list) {
    const isWide = list.scrollWidth > list.clientWidth + 4;
    const [at, room] = isWide ? [list.scrollLeft, list.scrollWidth - list.clientWidth] : [list.scrollTop, list.scrollHeight - list.clientHeight];
    list.classList.toggle("across", isWide);
    list.classList.toggle("more-before", at > 4);
    list.classList.toggle("more-after", at < room - 4);
  }

  // Scroll the list, and not the page, to what is selected.
  function reveal(list) {
    const item = list.querySelector('[aria-pressed="true"]')?.parentElement;
    if (!item) return;
    const [box, place] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
    if (place.left < box.left || place.right > box.right) list.scrollLeft += place.left - box.left;
    if (place.top < box.top || place.bottom > box.bottom) list.scrollTop += place.top - box.top;
  }

  function photos(items, selected) {
    const scores = items.map(({ score }) => score);
    const photo = ({ index, rank, title, thumb, score }) => button(
      { class: "ranked-photo", "data-index": index, title, "aria-pressed": String(index === selected), click: () => choose(index) },
      h("span", { class: "thumb" }, h("img", { src: thumb, alt: "", loading: "lazy" }), h("b", {}, String(rank))),
      h("span", { class: "what" }, h("span", { class: "title" }, title), scoreText(score)),
      bar(score, scores),
    );
    const near = ({ alike }) => (alike ? [unfold(alike), h("div", { hidden: true }, ...alike.items.map(photo))] : []);
    put("photos", say("explore.photos_ranked"), items.map((item) => [photo(item), ...near(item)]));
  }

  function captions(rows, selected) {
    const shown = rows.slice(0, LISTED);
    const scores = shown.map(({ score }) => score);
    put("captions", say("explore.captions_ranked"), shown.map(({ rank, caption, score, mark }) => button(
      { class: "ranked-caption", "data-mark": mark, "aria-pressed": String(caption === selected), click: () => chooseCaption(caption) },
      h("b", {}, String(rank)),
      h("span", { class: "title" }, caption, mark ? h("small", {}, say(`explore.mark_${mark}`)) : null),
      bar(score, scores),
      scoreText(score),
    )));
  }

  function mark(selected) {
    for (const row of element.querySelectorAll(".ranked-photo, .ranked-caption")) {
      const own = kind === "photos" ? Number(row.dataset.index) : row.querySelector(".title").firstChild.textContent;
      row.setAttribute("aria-pressed", String(own === selected));
    }
  }

  return { element, photos, captions, mark };
}
