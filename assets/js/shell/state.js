// The page's state, held by its address, so that links, reloads and Back restore it; former pages' links are read too.

import { inLanguage } from "../base/words.js";

// Names in the address, with what they are where it lacks them.
const EMPTY = {
  view: "explore", gallery: "", photo: "", caption: "", dense: "", layer: "mask", mask: "", budget: "", ratio: "", mode: "photos", pool: "", typed: "",
  captions: "", against: "", other: "", part: "", panel: "", opacity: "", grid: "", objects: "",
};
// Settings of the lesson, as links name them.
export const KNOBS = ["keep_ratio", "aggr_ratio", "beta", "top_k", "decision", "temperature", "seed", "use_dense", "variant"];
const DRAWING = ["draw", "steps", "guidance", "draw_seed", "count"]; // what Generate draws
const NAMES = { ...EMPTY, ...Object.fromEntries([...KNOBS, "step", "talk", "margin", "mining", "mask_ids", "share", ...DRAWING].map((name) => [name, ""])) };
const FOREIGN = ["__theme", "embed"]; // of the page itself, kept as they are
const PLACES = { // of former views
  search: { view: "explore" },
  captions: { view: "explore", mode: "captions" },
  why: { view: "compare", part: "pair" },
  lesson: { view: "learn" },
  losses: { view: "learn", part: "losses" },
  paper: { view: "learn", part: "paper" },
  edit: { view: "lab", part: "edit" },
  judge: { view: "lab", part: "judge" },
  generate: { view: "lab", part: "generate" },
  about: { view: "explore", panel: "about" },
};

// The state of a query; a caption of several lines, which links to Compare had, is one per line.
function readQuery(query) {
  const values = Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => name in NAMES));
  if (values.view === "generate") Object.assign(values, { draw: values.caption ?? "", draw_seed: values.seed ?? "", caption: "", seed: "" });
  const state = { ...NAMES, ...values, ...PLACES[values.view] };
  if (state.caption.includes("\n")) {
    state.captions ||= state.caption;
    [state.caption] = state.caption.split("\n");
  }
  return state;
}

// The query of a state, without the `own` galleries: nobody else can open a user's photos.
function queryOf(state, own) {
  const left = own.includes(state.gallery) ? ["gallery", "photo", "mask", "budget", "against"] : [];
  const query = new URLSearchParams();
  for (const [name, usual] of Object.entries(NAMES)) {
    if (state[name] !== usual && !left.includes(name)) query.set(name, state[name]);
  }
  const here = new URLSearchParams(location.search);
  for (const name of FOREIGN) if (here.has(name)) query.set(name, here.get(name));
  return inLanguage(query.size ? `?${query}` : "");
}

// The store. own: names of galleries that no address leads to.
export function makeState(own) {
  let state = { ...readQuery(location.search), ...history.state?.own };
  let tell = null; // called with the state and the one before

  const isOwn = () => own.includes(state.gallery);
  const kept = () => (isOwn() ? { own: { gallery: state.gallery, photo: state.photo } } : {});

  // Change the state and the address; `push` where Back leads to the state before.
  function set(changes, { push = false, quiet = false } = {}) {
    const before = state;
    state = { ...state, ...changes };
    if (Object.keys(state).every((name) => state[name] === before[name])) return;
    const method = push ? "pushState" : "replaceState";
    history[method](kept(), "", `${location.pathname}${queryOf(state, own)}`);
    if (!quiet) tell(state, before);
  }

  addEventListener("popstate", ({ state: held }) => {
    const before = state;
    state = { ...readQuery(location.search), ...held?.own };
    tell(state, before);
  });

  return { get: () => state, set, listen: (listener) => { tell = listener; }, isOwn };
}
