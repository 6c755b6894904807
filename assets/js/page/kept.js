// What a person types stays in its box until they do something else. An answer to what was asked for before, such as that
// of a link, may bring another text, and Gradio sets a box once more a moment after it is there.

const { get, set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
const texts = new WeakMap(); // box -> what a person typed, or sent with Enter, while that stands there
const guarded = new WeakSet();
let last = null; // the box, where the last that was done was typing

// Something else was done.
export function didElsewhere() {
  last = null;
}

// Whether a person put this text into the box with this id.
export function isTyped(id, text) {
  return texts.get(document.querySelector(`#${id} textarea`)) === text;
}

// From now on scripts set a box through this: where a person typed there last, they learn what was typed instead.
function guard(box) {
  const setByScript = (text) => {
    const isOther = text !== texts.get(box);
    if (isOther && last === box) {
      setTimeout(() => box.dispatchEvent(new Event("input", { bubbles: true }))); // and it is answered again
      return;
    }
    if (isOther) texts.delete(box);
    set.call(box, text);
  };
  Object.defineProperty(box, "value", { configurable: true, get: () => get.call(box), set: setByScript });
}

function typed({ target: box }) {
  if (!(box instanceof HTMLTextAreaElement) || !box.closest("#views") || box.closest(".seps-view")) return;
  last = box;
  texts.set(box, box.value);
  if (!guarded.has(box)) guard(box);
  guarded.add(box);
}

export function keepTyped() {
  document.addEventListener("input", typed, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter") typed(event);
  }, true);
  for (const event of ["popstate", "drop"]) window.addEventListener(event, didElsewhere, true);
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[role=tab]")) didElsewhere();
  }, true);
}
