// The entry of the page without a server: the worked example at once, then the models, in this browser.

import { h } from "./base/dom.js";
import { listed, phrase, say } from "./base/words.js";
import { UNREACHED } from "./engine/fetching.js";
import { failure } from "./engine/remote.js";
import { keepOpenInSight } from "./page/bar.js";
import { embed } from "./page/embed.js";
import { keysButton, noticeKeys } from "./page/keys.js";
import { tellAnswers } from "./page/live.js";
import { followLanguage, languageSwitch } from "./page/language.js";
import { viewInSight } from "./page/trail.js";
import { control } from "./static/control.js";
import { makeEngine } from "./engine/models.js";
import { makePairs } from "./engine/pairs.js";
import { photosView } from "./static/photos.js";
import { keepOffline } from "./engine/offline.js";
import { DRAWN, messageLine } from "./static/view.js";
import { whyView } from "./static/why.js";

const site = JSON.parse(document.getElementById("site").textContent);
const idOf = (view) => (view === "search" ? "said" : `${view}-said`);
const makers = { search: photosView, why: whyView };
const laterMakers = { // whose scripts are fetched when they are first opened
  captions: async () => (await import("./static/captions.js")).captionsView,
  compare: async () => (await import("./static/compare.js")).compareView,
  lesson: async () => (await import("./static/lesson.js")).lessonView,
  losses: async () => (await import("./static/losses.js")).lossesView,
};
const lines = Object.fromEntries(Object.keys({ ...makers, ...laterMakers }).map((view) => [view, messageLine(idOf(view))]));
let waiting = null; // the line that tells what is waited for

// What is waited for is told in the view in sight, until it is there.
function tell(text) {
  waiting?.wait("");
  waiting = text ? lines[viewInSight()] ?? lines.search : null;
  waiting?.wait(text);
}

followLanguage();
document.getElementById("head").append(languageSwitch());
const inAbout = (name) => (text) => document.querySelectorAll(`#about ${name}`).forEach((place) => { place.textContent = text; });
const [tellEngine, tellGpu, tellKept] = [".engine", ".gpu", ".kept"].map(inAbout);
tellEngine(say("static.no_engine"));
const engine = makeEngine(site, tell, (running) => tellEngine(say("static.engine", running)), tellGpu);
const lead = (state) => page.lead("why", (view) => view.again(state)); // two that stand side by side there
for (const place of document.querySelectorAll(".own-size")) place.textContent = say("static.own_size", engine.ownSize);
const base = { site, engine, pairs: makePairs(engine.ask, tell), lead };
const views = Object.fromEntries(Object.entries(makers).map(([view, make]) => [view, make({ ...base, line: lines[view] })]));
const laterViews = Object.fromEntries(Object.entries(laterMakers).map(([view, load]) => [view, later(lines[view], load)]));
const page = control({ ...views, ...laterViews });

// A view whose scripts are loaded when it is first opened.
function later(line, load) {
  let view = null;
  let loading = null;
  function ready() {
    loading ??= load().then((make) => { view = make({ ...base, line }); });
    return loading;
  }
  async function act(work) {
    try {
      await ready();
    } catch (error) {
      loading = null;
      return line.problem(failure(error instanceof TypeError ? UNREACHED : error.message).message); // it was not fetched
    }
    return work(view);
  }
  return {
    open: (query, problem) => act((opened) => opened.open(query, problem)),
    again: (state) => act((opened) => opened.again(state)),
    state: () => view.state(),
  };
}

embed();
keepOpenInSight();
noticeKeys();
tellAnswers();
document.getElementById("head").append(h("div", { class: "seps-view" }, keysButton()));
Promise.resolve(page.start()).then(() => {
  const keep = keepOffline(site, (galleries) => {
    tellKept(say("static.kept", { titles: listed(galleries.map(({ title }) => phrase(title))) }));
    document.body.dataset.offline = galleries.map(({ name }) => name).join(" ");
  });
  const keepOpened = () => [site.galleries[0].name, ...engine.ready].forEach(keep);
  keepOpened();
  document.addEventListener(DRAWN, keepOpened);
});
