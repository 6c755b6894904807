// The app's entry. Gradio's components ask to be mounted by seps.push([name, element, props, trigger, watch]), where
// `seps` is a plain list until this module has come: what waits in it is mounted here, and whatever asks later at once.

import { decoded } from "./base/mount.js";
import { mount as compare } from "./compare/compare.js";
import { mount as edit } from "./edit/edit.js";
import { mount as captioned } from "./generate/captioned.js";
import { mount as generate } from "./generate/generate.js";
import { mount as looks } from "./generate/looks.js";
import { mount as recaption } from "./generate/recaption.js";
import { mount as judge } from "./judge/judge.js";
import { mount as several } from "./judge/several.js";
import { mount as distortion } from "./judge/distortion.js";
import { mount as lesson } from "./lesson/lesson.js";
import * as lists from "./lists/lists.js";
import { mount as claims } from "./losses/claims.js";
import { mount as playground } from "./losses/playground.js";
import { acted, answered, noticeInputs, noticeProblems, settled } from "./page/acts.js";
import { darkTold, linked } from "./page/address.js";
import { keepOpenInSight } from "./page/bar.js";
import { noticeAnswers } from "./page/busy.js";
import { mount as download } from "./page/download.js";
import { opened, standingList, standingPicture } from "./page/first.js";
import { embed } from "./page/embed.js";
import { mendGradio } from "./page/gradio.js";
import { mount as intro } from "./page/intro.js";
import { noticeKeys } from "./page/keys.js";
import { tellAnswers } from "./page/live.js";
import { followLanguage } from "./page/language.js";
import { mount as lost } from "./page/lost.js";
import { followHistory, mount as trail } from "./page/trail.js";
import { afterTyped, mount as typed, noticeTyping } from "./page/typed.js";
import { camera, lens } from "./video/camera.js";
import { mount as video } from "./video/video.js";
import { mount as viewer } from "./viewer/viewer.js";
import { mount as why } from "./why/why.js";

const components = {
  ...lists,
  camera,
  captioned,
  claims,
  compare: linked(compare),
  download,
  edit: linked(edit),
  generate: linked(generate),
  intro,
  judge: linked(judge),
  lens,
  lesson: linked(lesson),
  looks,
  lost,
  playground: linked(playground),
  ranking: standingList(lists.ranking),
  several,
  spoil: linked(distortion),
  told: recaption,
  trail,
  typed,
  video,
  viewer: standingPicture(linked(viewer)),
  why: linked(why),
  words: darkTold(viewer), // the link is that of the view's first picture
};

const EACH = new Set(["alter", "keep"]);

// What is told while an answer is on its way, Gradio tells after it, but with the detail of the event before: each
// event of a component has one detail, which is always that of the last. Steps of an edit are all told, each its own, and
// so is what is to be kept of them.
function latest(trigger) {
  const details = {};
  return (event, detail) => {
    if (EACH.has(event)) return trigger(event, detail);
    const sent = (details[event] ??= {});
    for (const name of Object.keys(sent)) delete sent[name];
    trigger(event, Object.assign(sent, detail));
  };
}

const QUIET = new Set(["export", "cancel", "film", "look", "ask", "keep", "back"]); // the view stays as it is, or trail.js notices it

// A trigger that is also noticed as something done, and waits for what was typed; a watch that notices the answer.
const noticed = (element, trigger) => (event, detail) => {
  if (QUIET.has(event)) return trigger(event, detail);
  return afterTyped(element, () => {
    acted(element);
    return trigger(event, detail);
  });
};
const answering = (element, watch) => (name, update) =>
  watch(name, (...values) => {
    answered(element);
    return update(...values);
  });

const waiting = window.seps ?? [];
window.seps = {
  opened, // this and the next: what fills a view asks for them (demo/screens/session.py)
  settled,
  push: ([name, element, props, trigger, watch, ...rest]) =>
    components[name](element, decoded(props), noticed(element, latest(trigger)), answering(element, watch), ...rest),
};
waiting.forEach(window.seps.push);
followLanguage();
embed();
noticeInputs();
noticeProblems();
noticeTyping();
keepOpenInSight();
followHistory();
noticeAnswers();
noticeKeys();
tellAnswers();
mendGradio();
