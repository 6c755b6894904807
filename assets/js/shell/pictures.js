// The photo that a part works on: galleries, a person's own files, and the photos of the open gallery.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { sourceRow } from "../explore/sources.js";
import { latest } from "./latest.js";
import { photoPicker } from "./picker.js";

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
      const facts = await run((signal) => {
        const stop = new AbortController();
        const cancel = () => stop.abort(new Error(say("app.cancelled")));
        signal.addEventListener("abort", cancel);
        line.wait(say("sources.sending"), null, cancel);
        const progress = ({ done, text, rank }) => line.wait(rank > 0 ? say("app.queue", { rank }) : text || say("sources.reading"), done, cancel);
        return reading(files, { signal: stop.signal, progress });
      });
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
    const { galleries, has } = await engine.start();
    if (!galleries.some(({ name }) => name === facts.name)) own.set(facts.name, facts.title);
    sources.show([...galleries, ...[...own].map(([name, title]) => ({ name, title }))], facts.name, { ...has, video: true });
    picker.show(facts.items, key);
  }

  return { element, show };
}
