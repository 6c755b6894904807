// Show the view named by a single-file page, with its data. Nothing is fetched.

import { decode } from "../record/record.js";
import { fileName, save } from "../files/saving.js";
import { layerSheet } from "../files/sheets/layer.js";

// mounts: of the views that there are, by name.
export function showPage(mounts) {
  const { component: name, value, theme } = JSON.parse(document.getElementById("shown").textContent);
  const place = document.getElementById("view");

  async function answer(event, looks) {
    if (event !== "export" || name !== "viewer") return;
    const content = await layerSheet(decode(value.record), value, looks);
    save(fileName(value.model, value.caption, looks.layer, "png"), "image/png", content);
  }

  place.classList.add(`seps-${name}`);
  followTheme(theme);
  mounts[name](place, answer, value);
  fitFrame(place.parentElement);
}

// A page inside a notebook: as high as its content, and light or dark like the notebook.

const DARKEST = 0.5; // how bright, of 1, a dark page is at most

// The frame around this page; null without one, or if the surrounding page belongs to another site.
function frameOf() {
  try {
    return /** @type {HTMLElement | null} */ (window.frameElement);
  } catch {
    return null;
  }
}

// Whether the surrounding page is dark, by the notebook's markers, else by the colour behind the frame.
function isDarkAround(frame) {
  const { body, documentElement: root } = frame.ownerDocument;
  const named = body.dataset.jpThemeLight ?? body.dataset.vscodeThemeKind ?? root.getAttribute("theme");
  if (named) return ["false", "vscode-dark", "vscode-high-contrast", "dark"].includes(named);
  for (let element = frame; element; element = element.parentElement) {
    const [red, green, blue, alpha = 1] = getComputedStyle(element).backgroundColor.match(/[\d.]+/g).map(Number);
    if (alpha > 0.5) return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255 < DARKEST;
  }
  return false;
}

// Give the page the theme: "light", "dark", or with "auto" the surrounding page's, now and when it changes.
function followTheme(theme) {
  const frame = frameOf();
  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (theme === "auto" ? (frame ? isDarkAround(frame) : preferred.matches) : theme === "dark");
  const update = () => document.body.classList.toggle("dark", isDark());
  update();
  if (theme !== "auto") return;
  preferred.addEventListener("change", update);
  if (!frame) return;
  const observer = new MutationObserver(update);
  const { body, documentElement: root } = frame.ownerDocument;
  for (const element of [root, body]) observer.observe(element, { attributes: true });
}

// Make the frame as high as the element: directly, or in a sandbox by a message to the page around.
function fitFrame(element) {
  const frame = frameOf();
  if (!frame && window.parent === window) return;
  new ResizeObserver(() => {
    const height = Math.ceil(element.getBoundingClientRect().bottom);
    if (frame) frame.style.height = `${height}px`;
    else window.parent.postMessage({ sepsHeight: height }, "*");
  }).observe(element);
}
