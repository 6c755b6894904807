// Compare without a server: two to six captions over one photograph. As demo/screens/compare/view.py answers the
// triggers in the app.

import { say } from "../base/words.js";
import { mount as compare } from "../compare/compare.js";
import { comparison } from "../engine/comparison.js";
import { linked } from "../page/address.js";
import { layerNames } from "../record/record.js";
import { makeChooser } from "./chooser.js";
import { saveComparison } from "./files.js";
import { answerTyping } from "./inputs.js";
import { readDense, readLines } from "../engine/language.js";
import { PLAIN, denseOf, drawnOf, galleryOf, indexOf } from "./link.js";
import { drawnFor, of } from "./state.js";
import { makeView } from "./view.js";

const [FEWEST, MOST] = [2, 6];
const STARTING = 3; // captions of a photograph that are set side by side at first

export function compareView({ site, engine, pairs, line, lead }) {
  const box = document.getElementById("compare-captions").querySelector("textarea");
  const chooser = makeChooser("compare", { site, engine, pairs }, (work) => view.show(async () => {
    const { facts, index } = await work();
    return shown(facts, index, ownCaptions(facts, index) || box.value);
  }));
  const view = makeView(line, {
    strip: chooser.part,
    pictures: ["compare-pictures", linked(compare), { layer: draw, measure, export: takeAway, why }],
  }, put);
  let state = { ...PLAIN, gallery: site.galleries[0].name, index: 0, caption: "" };

  function put({ state: next, captions }) {
    if (next) state = next;
    if (captions !== undefined) box.value = captions;
  }

  // Set captions, one a line, side by side over a photograph; drawn as before, or as `drawn` says. A dense caption has no
  // part in it, but links keep it, as in the app.
  async function values(facts, index, text, drawn = null) {
    const captions = await readLines(pairs, facts, text);
    if (captions.length < FEWEST || captions.length > MOST) {
      throw new Error(say("static.compared", { count: captions.length, fewest: FEWEST, most: MOST }));
    }
    const pair = [facts.name, index, captions.join("\n"), (drawn ?? state).dense];
    const next = drawn ? drawnFor(state, drawn, ...pair) : of(state, ...pair);
    if (!layerNames((row) => row.compared).includes(next.layer)) next.layer = "mask";
    const pictures = await comparison(pairs, facts, next, captions);
    return { state: next, strip: await chooser.stripOf(facts, index), pictures: { ...pictures, formats: ["PNG"] } };
  }

  const shown = async (facts, index, captions, drawn = null) => ({ ...await values(facts, index, captions, drawn), captions });

  function draw({ layer, objects }) {
    state = { ...state, layer, objects };
  }

  function measure(detail) {
    return view.show(async () => values(await engine.open(state.gallery), state.index, state.caption, { ...state, ...detail }));
  }

  function takeAway(detail) {
    return view.aside(async () => saveComparison(view.value("pictures"), detail));
  }

  function why() {
    const ranked = [...view.value("pictures").items].sort((first, other) => other.similarity - first.similarity);
    const [best, other] = [...new Set(ranked.map(({ caption }) => caption))];
    if (other === undefined) return line.problem(say("static.same_captions"));
    return lead({ gallery: state.gallery, index: state.index, caption: best, other });
  }

  answerTyping(box, () => view.show(async () => values(await engine.open(state.gallery), state.index, box.value)), false);

  const again = (now) => view.show(async () => shown(await engine.open(now.gallery), now.index, now.caption, now));

  // The photograph and the captions that were chosen for a gallery.
  async function example(name = site.galleries[0].name) {
    const facts = await engine.open(name);
    const { index, captions } = facts.openings.compare ?? { index: 0, captions: [ownCaptions(facts, 0)] };
    return shown(facts, index, captions.join("\n"), PLAIN);
  }

  const open = (query, problem) => view.follow(async () => {
    const name = galleryOf(query, site);
    const isFirst = !view.value("pictures"); // then what is typed before it is there is over the link's photograph
    if (isFirst) state = { ...state, gallery: name };
    if (isFirst) view.place({ pictures: { waiting: say("hint.computing") } });
    chooser.choose(name);
    const facts = await engine.open(name);
    const index = indexOf(query, facts);
    if (isFirst) state = { ...state, index: index ?? 0 };
    const text = query.get("caption") || (index === null ? "" : ownCaptions(facts, index));
    const dense = denseOf(query);
    await readDense(pairs, facts, dense);
    return text ? shown(facts, index ?? 0, text, { ...drawnOf(query), dense }) : example(name);
  }, example, problem);

  return { open, again, state: () => state };
}

// Captions of different things in a photograph, to start with; of its own where no things are known.
function ownCaptions({ items }, index) {
  const { phrases, captions } = items[index];
  return (phrases.length >= FEWEST ? phrases : captions).slice(0, STARTING).join("\n");
}

export { comparison };
