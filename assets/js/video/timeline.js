// S(I, T) of captions through a video as curves, with best moments and masks; a slider that arrow keys step through.

import { extremes } from "../base/arrays.js";
import { drawImage, onWidth, paintPatches } from "../base/canvas.js";
import { VEIL } from "../base/colours.js";
import { button, h, press, svg, svgText } from "../base/dom.js";
import { isShortcut, roving } from "../base/focus.js";
import { fixed } from "../base/numbers.js";
import { say } from "../base/words.js";
import { readMask } from "../viewer/masks.js";

const HEIGHT = 132; // CSS pixels of the curve
const EDGES = { left: 34, right: 10, top: 8, bottom: 20 };
const TYPE = 11;
const VEILED = 0.75; // opacity of the veil over dropped patches
const DIGITS = 3;
const WIDE = window.matchMedia("(min-width: 761px)"); // where all of it stands open; else the picture comes first

// The element, and `show(index)`, which marks a frame. value: of demo/views/video.py; pick(index): one was chosen.
function timeline(value, selected, pick, asks) {
  const { seconds, titles, lines } = value;
  let now = selected;
  let place = null; // what maps a time to a place on the curve, once there is a width
  const scoresAt = (index) => lines.map((line) => fixed(line.scores[index], DIGITS)).join(", ");
  const saysAt = (index) => say("timeline.at", { time: titles[index], scores: scoresAt(index) });

  const reading = h("p", { class: "line at" });
  const plot = h("div", {
    class: "plot", role: "slider", tabindex: "0", title: say("timeline.hint"), "aria-label": say("timeline.title"),
    "aria-valuemin": 0, "aria-valuemax": seconds.length - 1,
  });
  const moments = lines.map((line, number) => h(
    "div", { class: `moments curve-${number}`, role: "group", "aria-label": say("timeline.moments") },
    h("span", { class: "key" }, line.caption), ...line.moments.map((index) => momentButton(line, index))));
  const strips = lines.map(({ caption, tiles }) => h(
    "div", { class: "tiles", role: "group", "aria-label": say("timeline.masks", { caption }) }, ...tiles.map(tileButton)));
  const element = h("section", { class: "timeline", "aria-label": say("timeline.title") },
    reading, plot, ...moments,
    h("details", { class: "more", open: WIDE.matches },
      h("summary", {}, say("timeline.more")),
      ...lines.flatMap((line, number) => [strips[number], line.steady && h("p", { class: "line steady" }, line.steady)]),
      lines[0].steady && h("p", { class: "line steady" }, say("timeline.flicker")),
      second(),
      value.formats.includes("MP4") ? null : h("p", { class: "line" }, say("timeline.no_h264")),
    ),
  );

  strips.forEach((strip) => roving(strip, ".tile"));

  function momentButton(line, index) {
    const label = say("timeline.moment", { time: titles[index], score: line.scores[index] });
    return button({ class: "chip", "data-index": index, title: label, "aria-label": label, click: () => choose(index) }, titles[index]);
  }

  function tileButton({ index, thumb, mask }) {
    const canvas = h("canvas", { width: 120, height: 90 });
    const image = new Image();
    image.onload = () => { // with a veil over the patches that its mask drops
      canvas.height = Math.round((canvas.width * image.naturalHeight) / image.naturalWidth);
      drawImage(canvas, image);
      const kept = readMask(mask, value.grid[0] * value.grid[1]);
      paintPatches(canvas, value.grid, (patch) => !kept[patch] && [VEIL, VEILED]);
    };
    image.src = thumb;
    return button({ class: "tile", "data-index": index, title: titles[index], "aria-label": titles[index], click: () => choose(index) }, canvas);
  }

  function second() {
    const input = h("input", { type: "text", value: lines[1]?.caption ?? "", maxlength: 2000, "aria-label": say("timeline.other"), placeholder: say("timeline.other") });
    const submit = (event) => {
      event.preventDefault();
      if (input.value.trim() !== (lines[1]?.caption ?? "")) asks.second(input.value);
    };
    const compare = lines.length > 1 && button({ class: "take", click: () => asks.compare() }, say("timeline.compare"));
    return h("form", { class: "second", submit }, input, h("button", { class: "take", type: "submit" }, say("timeline.follow")), compare);
  }

  function choose(index) {
    const next = Math.max(0, Math.min(seconds.length - 1, index));
    if (next === now) return;
    show(next);
    pick(next);
  }

  function show(index) {
    now = index;
    plot.setAttribute("aria-valuenow", String(now));
    plot.setAttribute("aria-valuetext", saysAt(now));
    press(element.querySelectorAll(".tile, .chip"), (item) => Number(item.dataset.index) === now);
    point(now);
  }

  // Mark a frame on the curve without choosing it.
  function point(index) {
    reading.textContent = saysAt(index);
    if (!place) return;
    const x = place.x(seconds[index]);
    plot.querySelector(".cursor").setAttribute("transform", `translate(${x})`);
    plot.querySelectorAll(".dot").forEach((dot, number) => dot.setAttribute("cy", place.y(lines[number].scores[index])));
  }

  function frameAt(clientX) {
    const { left } = plot.getBoundingClientRect();
    const distances = seconds.map((second) => Math.abs(place.x(second) - (clientX - left)));
    return distances.indexOf(Math.min(...distances));
  }

  let held = false;
  plot.addEventListener("pointerdown", (event) => {
    held = true;
    plot.setPointerCapture(event.pointerId);
    choose(frameAt(event.clientX));
  });
  plot.addEventListener("pointermove", (event) => (held ? choose : point)(frameAt(event.clientX)));
  for (const name of ["pointerup", "pointercancel"]) plot.addEventListener(name, () => (held = false));
  plot.addEventListener("pointerleave", () => point(now));
  plot.addEventListener("keydown", (event) => {
    const best = [...new Set(lines.flatMap((line) => line.moments))].sort((first, second) => first - second);
    const to = {
      ArrowLeft: () => now - 1, ArrowDown: () => now - 1, ArrowRight: () => now + 1, ArrowUp: () => now + 1,
      Home: () => 0, End: () => seconds.length - 1,
      PageDown: () => best.find((index) => index > now) ?? now,
      PageUp: () => best.findLast((index) => index < now) ?? now,
    }[event.key];
    if (!to || isShortcut(event)) return;
    event.preventDefault();
    choose(to());
  });

  show(now);
  onWidth(plot, (width) => {
    place = placing(seconds, lines, width);
    plot.replaceChildren(curves(place, value, width));
    show(now);
  });
  return { element, show };
}

// How times and scores lie on a curve of a width: `x` and `y`, and the ends of the scores.
function placing(seconds, lines, width) {
  const [low, high] = extremes(lines.flatMap((line) => line.scores));
  const [first, last] = [seconds[0], seconds.at(-1)];
  const across = width - EDGES.left - EDGES.right;
  const down = HEIGHT - EDGES.top - EDGES.bottom;
  return {
    low, high,
    x: (second) => EDGES.left + (last > first ? ((second - first) / (last - first)) * across : across / 2),
    y: (score) => EDGES.top + (high > low ? ((high - score) / (high - low)) * down : down / 2),
  };
}

function curves({ x, y, low, high }, { seconds, titles, lines }, width) {
  const drawing = svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "font-size": TYPE, "aria-hidden": "true" });
  const right = width - EDGES.right;
  drawing.append(
    ...(low < high ? [low, high] : [low]).flatMap((score) => [
      svg("path", { class: "rule", d: `M${EDGES.left} ${y(score)}H${right}` }),
      svgText(EDGES.left - 5, y(score) + TYPE / 3, "end", fixed(score, 2)),
    ]),
    svgText(EDGES.left, HEIGHT - 5, "start", titles[0]),
    ...titles.slice(1).slice(-1).map((last) => svgText(right, HEIGHT - 5, "end", last)),
    ...lines.flatMap(({ scores, moments }, number) => {
      const [cx, cy] = [(index) => x(seconds[index]), (index) => y(scores[index])];
      const points = scores.map((_, index) => `${cx(index)},${cy(index)}`).join(" ");
      const moment = (index) => svg("circle", { class: `moment curve-${number}`, cx: cx(index), cy: cy(index), r: 4.5 });
      return [svg("polyline", { points, class: `curve curve-${number}` }), ...moments.map(moment)];
    }),
    svg("g", { class: "cursor" },
      svg("path", { d: `M0 ${EDGES.top - 4}V${HEIGHT - EDGES.bottom + 4}` }),
      ...lines.map((_, number) => svg("circle", { class: `dot curve-${number}`, r: 3.5 }))),
  );
  return drawing;
}

// A video's timeline below its frame: captions over time, their best moments, a second caption.

const PAUSE = 1000; // milliseconds: frames that are stepped through faster are one entry for Back

// choose(index, isNew): isNew: a step for Back; second(caption): follow another caption; compare(): compare both captions.
export function videoTimeline({ choose, second, compare }) {
  const note = h("p", { class: "note-line" });
  const place = h("div", { class: "seps-list" });
  const element = h("section", { class: "video-timeline", hidden: true }, place, note);
  let film = null;
  let shown = null;
  let steppedAt = -Infinity;

  function pick(index) {
    const now = performance.now();
    choose(index, now - steppedAt > PAUSE);
    steppedAt = now;
  }

  // value: of demo/views/video.py, null where the gallery is no video; isTrained: whether the share of patches is.
  function show(value, index, isTrained) {
    element.hidden = !value;
    note.textContent = value && !isTrained ? say("explore.timeline_trained") : "";
    if (!value) return void (film = null);
    const isFocused = place.contains(document.activeElement) && document.activeElement.className;
    film = timeline(value, index, pick, { second, compare });
    shown = value;
    place.replaceChildren(film.element);
    if (isFocused) place.querySelector(`.${isFocused.split(" ")[0]}`)?.focus({ preventScroll: true });
    return undefined;
  }

  return { element, show, mark: (index) => film?.show(index), get formats() { return film ? shown.formats.map((name) => name.toLowerCase()) : []; } };
}
