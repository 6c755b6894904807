// The app's entry. Gradio's components ask to be mounted by seps.push([name, element, props, trigger, watch]), where
// `seps` is a plain list until this module has come: what waits in it is mounted here, and whatever asks later at once.

import { mount as compare } from "./compare/compare.js";
import { mount as edit } from "./edit/edit.js";
import { mount as lesson } from "./lesson/lesson.js";
import * as lists from "./lists/lists.js";
import { mount as claims } from "./losses/claims.js";
import { mount as playground } from "./losses/playground.js";
import { linked } from "./page/address.js";
import { mount as download } from "./page/download.js";
import { mount as viewer } from "./viewer/viewer.js";

const components = {
  ...lists,
  claims,
  compare: linked(compare),
  download,
  edit: linked(edit),
  lesson: linked(lesson),
  playground,
  viewer: linked(viewer),
};

const waiting = window.seps ?? [];
window.seps = { push: ([name, ...mounting]) => components[name](...mounting) };
waiting.forEach(window.seps.push);
