// A component of the page without a server: mounted as the app mounts it, filled by `show`.

import { afterTyped } from "../page/typed.js";

const QUIET = ["export", "step"]; // of what stands there; all else waits for the answer to what was typed

// mount: of a view; answer(event, detail): what a trigger leads to.
export function component(element, mount, value, answer) {
  const props = { value };
  const updates = [];
  function asked(event, detail = {}) {
    return QUIET.includes(event) ? answer(event, detail) : afterTyped(element, () => answer(event, detail));
  }
  mount(element, props, asked, (_names, update) => updates.push(update));
  return {
    get value() { return props.value; },
    show(next) {
      props.value = next;
      updates.forEach((update) => update());
    },
  };
}

// Runs answers of which only the last one asked for is shown: `place` is called with what a piece of work comes to,
// `failed` with the sentence of what was wrong.
export function latest(place, failed) {
  let asked = 0;
  return async (work) => {
    const number = (asked += 1);
    try {
      const result = await work();
      if (number === asked) place(result);
    } catch (error) {
      if (number === asked) failed(error.message);
    }
  };
}
