// Why without a server: two photographs of a caption, or two captions of a photograph, word by word. As
// demo/screens/why/view.py answers the triggers in the app.

import { say } from "../base/words.js";
import { contrastFor, firstTwo, whyValue } from "../engine/contrast.js";
import { fromHighest } from "../engine/numbers.js";
import { linked } from "../page/address.js";
import { contrastRecord } from "../record/contrast.js";
import { mount as why } from "../why/why.js";
import { saveContrast } from "./files.js";
import { answerTyping, galleryChoice } from "./inputs.js";
import { readCaption, readDense } from "../engine/language.js";
import { galleryOf, indexOf } from "./link.js";
import { makeView } from "./view.js";

const FORMATS = ["PNG", "JSON", "CSV"];
const ANEW = { dense: "", layer: "mask" }; // what belongs to the pair before

export function whyView({ site, engine, pairs, line }) {
  const boxOf = (id) => document.getElementById(id).querySelector("textarea");
  const boxes = { caption: boxOf("why-caption"), other: boxOf("why-other") };
  const galleries = galleryChoice(document.getElementById("why-gallery"), site, otherGallery);
  const view = makeView(line, {
    pictures: ["why-pictures", linked(why), { choose, layer: draw, export: takeAway }],
  }, put);
  let state = { gallery: site.galleries[0].name, index: 0, caption: "", dense: "", other: "", against: 0, layer: "mask" };

  function put({ state: next, captions }) {
    if (next) state = next;
    if (captions) [boxes.caption.value, boxes.other.value] = [state.caption, state.other];
    galleries.choose(state.gallery);
  }

  // Set the two that a state names side by side, its captions as typed; a dense caption takes part where there is one
  // caption.
  async function values(asked) {
    const facts = await engine.open(asked.gallery);
    const first = await readCaption(pairs, facts, asked.caption);
    const second = asked.other.trim() ? await readCaption(pairs, facts, asked.other) : null;
    const other = second && second.caption !== first.caption ? second.caption : "";
    if (!other && facts.items.length < 2) throw new Error(say("static.one_photo"));
    const { caption: dense } = await readDense(pairs, facts, other ? "" : asked.dense);
    const order = fromHighest(await pairs.scores(facts, first.caption, dense));
    const [index, against] = firstTwo(order, asked.index, asked.against);
    const next = { ...asked, caption: first.caption, dense, other, index, against: other ? asked.against ?? index : against };
    const note = [first.note, second?.note].filter(Boolean).join(" ");
    return { state: next, note, pictures: { ...await whyValue(pairs, facts, next, order), formats: FORMATS } };
  }

  const shown = async (asked) => ({ ...await values(asked), captions: true });

  const typed = () => ({ caption: boxes.caption.value, other: boxes.other.value }); // in both: one may not be answered yet
  for (const box of Object.values(boxes)) {
    answerTyping(box, () => view.show(async () => values({ ...state, ...typed(), ...ANEW })));
  }

  function otherGallery(gallery) {
    return view.show(async () => {
      const facts = await engine.open(gallery);
      const caption = await carriedOver(facts);
      return shown({ ...state, gallery, caption, index: null, against: null, other: "", ...ANEW });
    });
  }

  // The caption to go on with in another gallery: the same one where its model reads all of it, else its first example.
  async function carriedOver(facts) {
    const { model } = await engine.open(state.gallery);
    if (facts.model === model) return state.caption;
    const read = await readCaption(pairs, facts, state.caption).catch(() => null);
    return read && !read.note ? read.caption : facts.chips[0];
  }

  function choose({ side, index }) {
    const [left, right] = side === "right" ? [state.index, index] : [index, state.against];
    const isSame = left === right && !state.other; // the other one goes where this one was
    const pair = isSame ? { index: state.against, against: state.index } : { index: left, against: right };
    return view.show(async () => values({ ...state, ...pair }));
  }

  function draw({ layer }) {
    state = { ...state, layer };
  }

  function takeAway(detail) {
    return view.aside(async () => {
      const facts = await engine.open(state.gallery);
      const order = fromHighest(await pairs.scores(facts, state.caption, state.dense));
      const contrast = await contrastFor(pairs, facts, state, order);
      return saveContrast(contrastRecord(contrast, facts.model), view.value("pictures"), detail);
    });
  }

  const again = (now) => view.show(async () => shown({ other: "", ...ANEW, ...now }));

  // The two that were chosen for a gallery.
  async function example(gallery = site.galleries[0].name) {
    const { openings, chips } = await engine.open(gallery);
    const { index, captions: [caption], against } = openings.why ?? { index: null, captions: chips, against: null };
    return shown({ gallery, index, caption, other: "", against, ...ANEW });
  }

  const open = (query, problem) => view.follow(async () => {
    const gallery = galleryOf(query, site);
    if (!view.value("pictures")) view.place({ pictures: { waiting: say("hint.computing") } });
    const facts = await engine.open(gallery);
    const [index, against] = [indexOf(query, facts), indexOf(query, facts, "against")];
    const [caption, other, dense] = ["caption", "other", "dense"].map((name) => query.get(name) ?? "");
    if (!caption && (other || against !== null)) throw new Error(say("static.no_beside"));
    const layer = query.get("layer") ?? "mask";
    return caption ? shown({ gallery, index, caption, dense, other, against, layer }) : example(gallery);
  }, example, problem);

  return { open, again, state: () => state };
}

export { contrastFor, firstTwo, whyValue };
