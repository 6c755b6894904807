// How a component is mounted: mount(element, props, trigger, watch) shows `props.value` inside `element` now, and again
// whenever `watch` reports a change; trigger(event, detail) notifies Python.

import { h } from "./dom.js";
import { keepingFocus } from "./focus.js";
import { language } from "./language.js";
import { phrase, say } from "./words.js";

// A value that comes in several languages, in the page's.
export function inPageLanguage(value) {
  return value?.languages ? { ...value, ...value.languages[language] } : value;
}

// Placeholder without a picture: `nothing`, or the value's waiting message; null if there is a picture.
export function missing(value, nothing) {
  if (value && !value.waiting) return null;
  return value ? h("p", { class: "seps-empty seps-waiting" }, phrase(value.waiting)) : h("p", { class: "seps-empty" }, nothing);
}

// Where a component draws: the place that its template names.
export function rootOf(element, name) {
  const root = element.querySelector(`.${name}`) ?? element;
  root.classList.add("seps-view");
  root.dataset.busy = say("button.computing"); // shown while it is recomputed
  return root;
}

// Mount a view that is rebuilt for every value: build(root, value, trigger) returns its end function; `nothing` is
// shown without a value.
export function mounting(name, build, nothing) {
  return (element, props, trigger, watch) => {
    const root = rootOf(element, name);
    let dispose = () => {};
    const show = () => {
      const empty = missing(props.value, nothing);
      dispose();
      keepingFocus(root, () => {
        root.replaceChildren(...(empty ? [empty] : []));
        dispose = empty ? () => {} : build(root, props.value, trigger);
      });
    };
    watch("value", show);
    show();
  };
}

// Mount a view that stays and takes new values: build(root, trigger) returns `update(value)` and `end()`.
export function lasting(name, build, nothing) {
  return (element, props, trigger, watch) => {
    const root = rootOf(element, name);
    let built = null;
    const show = () => {
      const empty = missing(props.value, nothing);
      if (empty) {
        built?.end();
        built = null;
        root.replaceChildren(empty);
        return;
      }
      built ??= build(root, trigger);
      built.update(props.value);
    };
    watch("value", show);
    show();
  };
}
