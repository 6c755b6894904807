// The four places of the page. Each is a folder whose view.js registers its builder; all but the first are fetched when
// they are first opened.

const builders = new Map();
const LOADS = {
  explore: () => import("../explore/view.js"),
  compare: () => import("../compare/view.js"),
  learn: () => import("../learn/view.js"),
  lab: () => import("../lab/view.js"),
};

export const places = Object.keys(LOADS);

// build(app) gives {element, show(state, before), hide()}.
export function register(name, build) {
  builders.set(name, build);
}

// What builds a place, its scripts fetched now where they are not here yet.
export async function placeOf(name) {
  if (!builders.has(name)) await LOADS[name]();
  return builders.get(name);
}
