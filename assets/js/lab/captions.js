// Captions of a photo, chosen by likelihood, SEPS's score and agreement, or of a drawn scene with what they say truly.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";
import { mount } from "../generate/captioned.js";
import { latest } from "../shell/latest.js";
import { openGallery, working } from "../shell/parts.js";
import { itemAt, positionOrFirst, pictureRow } from "../shell/pictures.js";

export function captionsOfPhoto(app) {
  const { engine, state, line } = app;
  const run = latest();
  const pictures = pictureRow(app);
  const drawn = h("input", { type: "checkbox", change: () => write(state.get()) });
  const kind = h("label", { hidden: true }, drawn, ` ${say("lab_page.is_drawn")}`);
  const place = h("div", { class: "seps-captioned" });
  const element = h("section", { class: "lab-captions" }, h("h3", {}, say("lab_page.captions")), pictures.element, kind, place);
  const work = working(element, line);
  const view = mount(place, () => {});
  let seen = false; // whether the section was in sight: captions take seconds

  const write = (now) => work(run, async (signal) => {
    const facts = await openGallery(app, now.gallery);
    const index = await positionOrFirst(app, facts, now.photo);
    const { key } = itemAt(facts, index);
    state.set({ gallery: facts.name, photo: key }, { quiet: true });
    kind.hidden = !state.isOwn();
    pictures.show(facts, key);
    line.wait(say("lab_page.captioning"));
    return engine.recaption({ gallery: facts.name, index, is_drawn: state.isOwn() && drawn.checked }, { signal });
  }, (value) => view.show(value));

  new IntersectionObserver((entries) => {
    const { isIntersecting } = entries.at(-1);
    if (isIntersecting && !seen) write(state.get());
    seen ||= isIntersecting;
  }).observe(element);

  return {
    element,
    show(now, before) {
      const isOther = !before || now.gallery !== before.gallery || now.photo !== before.photo;
      if (seen && isOther) write(now);
    },
  };
}
