// Mount views: mount(element, trigger, value) draws a value, its `show` another one; trigger(event, detail): an action.

import { h } from "./dom.js";
import { keepingFocus } from "./focus.js";
import { language, say } from "./words.js";

// A value that comes in several languages, in the page's.
export const inPageLanguage = (value) => (value?.languages ? { ...value, ...value.languages[language] } : value);

// What is there without a value: `nothing`, or while one is computed that it is.
const placeholder = (nothing) =>
  h("p", { class: "seps-empty" }, h("span", {}, nothing), h("span", { role: "status" }, say("button.computing")));

// draw(value, root) draws, and is given no value where there is none.
function mounted(element, name, value, draw) {
  const root = element.querySelector(`.${name}`) ?? element;
  root.classList.add("seps-view");
  root.dataset.busy = say("button.computing"); // shown while it is recomputed
  const view = {
    value,
    show(next) {
      view.value = next;
      draw(next, root);
    },
  };
  draw(value, root);
  return view;
}

// Mount a view that is rebuilt per value: build(root, value, trigger) returns what ends it; `nothing`: if there is none.
export const mounting = (name, build, nothing) => (element, trigger, value = null) => {
  let end = () => {};
  return mounted(element, name, value, (now, root) => {
    end();
    keepingFocus(root, () => {
      root.replaceChildren(...(now ? [] : [placeholder(nothing)]));
      end = now ? build(root, now, trigger) : () => {};
    });
  });
};

// Mount a view that stays and takes new values: build(root, trigger) returns `update(value)` and `end()`.
export const lasting = (name, build, nothing) => (element, trigger, value = null) => {
  let built = null;
  return mounted(element, name, value, (now, root) => {
    if (now) {
      built ??= build(root, trigger);
      return built.update(now);
    }
    built?.end();
    built = null;
    return root.replaceChildren(placeholder(nothing));
  });
};
