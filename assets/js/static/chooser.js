// The choice of a photograph: one of a gallery, or one of a person's own. As demo/screens/chooser.py.

import { strip } from "../lists/lists.js";
import { afterTyped } from "../page/typed.js";
import { galleryChoice } from "./inputs.js";
import { openPicture } from "../engine/pictures.js";

// name: of the view; chosen(work): called with what leads to the facts of a gallery and the position of a photograph in
// it, async () => ({facts, index}). Gives the part of the view, `show(facts, index)`, which gives that part's value, and
// `open(gallery)`, which gives the facts.
export function makeChooser(name, { site, engine, pairs }, chosen) {
  const own = `${name}-own`;
  const galleries = galleryChoice(document.getElementById(`${name}-gallery`), site, (gallery) =>
    chosen(async () => ({ facts: await engine.open(gallery), index: 0 })));
  let shown = site.galleries[0].name; // whose photographs the strip has

  document.getElementById(`${name}-upload`).addEventListener("change", ({ currentTarget }) => {
    const input = /** @type {HTMLInputElement} */ (currentTarget);
    const [file] = input.files;
    if (file) afterTyped(input, () => chosen(async () => ({ facts: await take(file), index: 0 })));
    input.value = "";
  });

  async function take(file) {
    const picture = await openPicture(file);
    const facts = await engine.take(engine.modelOfPhotos, [picture], own);
    pairs.forget(own);
    return facts;
  }

  const pick = ({ index }) => chosen(async () => ({ facts: await engine.open(shown), index }));

  async function stripOf(facts, index) {
    if (!facts.isOwn) shown = facts.name;
    galleries.choose(shown);
    const { items } = await engine.open(shown);
    return {
      selected: facts.isOwn ? null : index,
      items: items.map(({ thumb, photo: { title } }, number) => ({ index: number, title, thumb })),
    };
  }

  return { part: [`${name}-strip`, strip, { pick }], stripOf, choose: galleries.choose };
}
