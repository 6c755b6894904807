// The photo that a part works on: galleries, a person's own files, and the photos of the open gallery.

import { h, button, press } from "../base/dom.js";
import { say } from "../base/words.js";
import { sourceRow } from "../explore/sources.js";
import { cancellable, latest } from "./latest.js";
import { keepingFocus, roving } from "../base/focus.js";

// Read a person's own files by reading(files, options), which can be cancelled; newer: a signal that something newer is read.
export function readFiles(line, reading, files, newer = null) {
  const { signal, cancel } = cancellable();
  newer?.addEventListener("abort", cancel);
  line.wait(say("sources.sending"), null, cancel);
  return reading(files, { signal, progress: line.progress(say("sources.reading"), cancel) });
}

// taken(facts): a person's own photos were read.
export function pictureRow({ engine, state, line }, { taken = null } = {}) {
  const run = latest();
  const own = new Map(); // a person's own galleries: name -> title
  const picker = photoPicker({ choose: (photo) => state.set({ photo, mask: "" }) });
  const sources = sourceRow({
    lacks: engine.lacks,
    gallery: (gallery) => state.set({ gallery, photo: "", mask: "" }),
    photos: (files) => take(engine.takePhotos, files),
    video: (file) => take(engine.takeVideo, file),
    camera: h("span", {}),
    failed: line.problem,
  });
  const element = h("div", { class: "picture-row" }, sources.element, picker.element);

  async function take(reading, files) {
    line.problem("");
    try {
      const facts = await run((signal) => readFiles(line, reading, files, signal));
      if (!facts) return;
      line.note(facts.note);
      taken?.(facts);
      state.set({ gallery: facts.name, photo: facts.items[0].key, mask: "" }, { push: true });
    } catch (error) {
      line.problem(error.message);
    }
    line.wait("");
  }

  // Show the photos of an open gallery; key: of the one that is chosen.
  async function show(facts, key) {
    const { galleries } = await engine.start();
    if (!galleries.some(({ name }) => name === facts.name)) own.set(facts.name, facts.title);
    sources.show([...galleries, ...[...own].map(([name, title]) => ({ name, title }))], facts.name);
    picker.show(facts.items, key);
  }

  return { element, show };
}

// The position of a photo by its key, -1 if there is none; of a photo that a large gallery does not list, the app is asked.
export async function positionOf(engine, facts, key) {
  if (!key) return -1;
  const index = facts.items.findIndex((item) => item.key === key);
  if (index >= 0 || facts.items.length === facts.total) return index;
  facts.others ??= new Map();
  const asked = facts.others.get(key) ?? await engine.locate({ gallery: facts.name, photo: key }).catch(() => null);
  if (asked) facts.others.set(key, asked);
  return asked?.index ?? -1;
}

// The same, or 0 where there is none, which is said.
export async function positionOrFirst({ engine, line }, facts, key) {
  const index = await positionOf(engine, facts, key);
  if (key && index < 0) line.note(say("explore.no_such_photo", { name: facts.name, photo: key }));
  return Math.max(0, index);
}

export const itemAt = (facts, index) => facts.items[index] ?? [...(facts.others?.values() ?? [])].find((item) => item.index === index);

// A row of photos of which one is chosen; choose(key): a photo was pressed.
export function photoPicker({ choose }) {
  const element = h("div", { class: "picker", role: "group", "aria-label": say("app.photos") });
  let shown = null;

  function show(items, key) {
    if (shown !== items) {
      shown = items;
      keepingFocus(element, () => element.replaceChildren(...items.map(({ key: name, title, thumb }) => button(
        { class: "pick", "data-key": name, title, "aria-label": title, click: () => choose(name) }, h("img", { src: thumb, alt: "", loading: "lazy" })))));
      roving(element, "button");
    }
    press(element.children, ({ dataset }) => dataset.key === key);
    const chosen = element.querySelector('[aria-pressed="true"]');
    if (chosen && (chosen.offsetLeft < element.scrollLeft || chosen.offsetLeft > element.scrollLeft + element.clientWidth - 80)) {
      element.scrollLeft = chosen.offsetLeft - element.clientWidth / 2;
    }
  }

  return { element, show };
}
