// What a view shows: a pair, and how it is drawn.

// The state of another pair, drawn the same way: a word, a token or a decision of one pair is not that of another.
export function of(state, gallery, index, caption, dense = "") {
  const pair = { gallery, index, caption, dense };
  if (Object.entries(pair).every(([name, value]) => state[name] === value)) return state;
  const layer = /:\d/.test(state.layer) ? "mask" : state.layer;
  return { ...state, ...pair, layer, mask: "" };
}

// The state of a pair, drawn as is said.
export function drawnFor(state, { layer, opacity, lines, objects, mask = "", budget = 0 }, gallery, index, caption, dense = "") {
  return { ...state, gallery, index, caption, dense, layer, opacity, lines, objects, mask, budget };
}
