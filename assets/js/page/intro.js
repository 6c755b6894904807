// What a patch, a token and a score are: a button in the line below the title, and an overlay that opens by itself on a
// first visit. It never opens over what somebody sent a link to, a talk, or a page that is embedded in another one.

import { button, h, svg } from "../base/dom.js";
import { rootOf } from "../base/mount.js";
import { say } from "../base/words.js";
import { languageSwitch } from "./language.js";
import { readMask } from "../viewer/masks.js";
import { keysButton } from "./keys.js";

const LEFT = "seps.intro"; // in the browser's own memory, once the overlay was left
const HEIGHT = 24; // of a patch, in the drawing's units

// Whether this is a first visit of the page itself: no link, not embedded, nothing typed yet.
function isFirst() {
  const [visit] = performance.getEntriesByType("navigation");
  const names = [...new URLSearchParams(new URL(visit?.name ?? location.href).search).keys()];
  if (window.self !== window.top || names.some((name) => !["__theme", "lang"].includes(name))) return false;
  if (document.activeElement?.matches("textarea, input")) return false;
  try {
    return localStorage.getItem(LEFT) === null;
  } catch {
    return false; // no memory: it would open every time
  }
}

function remember() {
  try {
    localStorage.setItem(LEFT, "left");
  } catch {
    // it is told again next time, by the button alone
  }
}

// The photograph, what was dropped of it veiled, and the lines between patches.
function picture({ src, aspect, grid: [rows, columns], kept, says }) {
  const height = HEIGHT * rows;
  const width = height * aspect;
  const wide = width / columns;
  const dropped = [...readMask(kept, rows * columns)].flatMap((isKept, patch) => (isKept ? [] : [patch]));
  const square = (patch) => `M${wide * (patch % columns)} ${HEIGHT * Math.floor(patch / columns)}h${wide}v${HEIGHT}h-${wide}z`;
  const lines = [
    ...Array.from({ length: columns - 1 }, (_, i) => `M${wide * (i + 1)} 0V${height}`),
    ...Array.from({ length: rows - 1 }, (_, i) => `M0 ${HEIGHT * (i + 1)}H${width}`),
  ];
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": says, "data-dropped": dropped.length },
    svg("image", { href: src, width, height, preserveAspectRatio: "none" }),
    svg("path", { class: "seps-veil", d: dropped.map(square).join("") }),
    svg("path", { class: "seps-cuts", d: lines.join("") }),
  );
}

export function mount(element, props) {
  const root = rootOf(element, "seps-intro");
  const { ideas, picture: drawn } = props.value;
  const leave = button({ class: "seps-leave", autofocus: true, click: () => dialog.close() }, say("intro.leave"));
  const dialog = h(
    "dialog",
    {
      class: "seps-ideas",
      "aria-labelledby": "seps-ideas-title",
      close: remember,
      click: (event) => event.target === dialog && dialog.close(), // beside it
    },
    h(
      "div",
      {},
      h("h2", { id: "seps-ideas-title" }, say("intro.title")),
      h("figure", {}, picture(drawn), h("figcaption", {}, drawn.says)),
      h("dl", {}, ...ideas.flatMap(([name, says]) => [h("dt", {}, name), h("dd", {}, says)])),
      leave,
    ),
  );
  const open = button({ class: "seps-open", "aria-haspopup": "dialog", click: () => dialog.showModal() }, say("intro.open"));
  root.replaceChildren(open, languageSwitch(), keysButton(), dialog);
  if (isFirst()) dialog.showModal();
}
