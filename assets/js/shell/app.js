// The page: its header, the place in sight, and what all places share.

import { button, h } from "../base/dom.js";
import { isFree, keysDialog } from "../base/keys.js";
import { language, say } from "../base/words.js";
import { aboutPanel } from "./about.js";
import { messageLine } from "./message.js";
import { makeState } from "./state.js";

// The four places, each fetched when first opened: build(app) returns {element, show(state, before), hide()}.
const VIEWS = {
  explore: () => import("../explore/view.js"),
  compare: () => import("../compare/view.js"),
  learn: () => import("../learn/view.js"),
  lab: () => import("../lab/view.js"),
};
// Keys of each place, by their names in the table of texts.
const KEYS = {
  explore: ["tab", "ask", "patches", "release", "paint", "strip", "frames"],
  compare: ["tab", "patches", "strip"],
  learn: ["tab", "turn", "talk", "cells"],
  lab: ["tab", "object", "patches", "strip"],
};
const OWN = ["uploads", "own-video", "camera", "drawn"]; // galleries of a person's own photos

// engine: see engine/server.js; site: what the page knows from the start.
export function startApp(engine, site, root) {
  const state = makeState(OWN);
  const places = Object.keys(VIEWS).filter((name) => !engine.lacks.includes(name));
  const line = messageLine();
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = new Map(places.map((name) =>
    [name, h("a", { href: `?view=${name}`, "data-place": name, click: opening(name) }, say(`app.${name}`))]));
  const about = aboutPanel({ engine, closed: () => state.set({ panel: "" }) });
  const live = h("p", { class: "seps-live-region", role: "status", "aria-live": "polite" });
  const built = new Map();
  const app = { engine, site, state, line, announce: (text) => { live.textContent = text; } };
  let shown = "";

  root.append(
    h("a", { class: "skip", href: "#main", click: following(() => main.focus()) }, say("app.skip")),
    h("header", { class: "head" },
      h("a", { class: "brand", href: location.pathname, click: opening("explore") }, h("b", {}, "SEPS Explorer"), h("span", {}, say("app.claim"))),
      h("nav", { "aria-label": say("app.places") }, ...links.values()),
      h("div", { class: "tools" },
        languageLink(),
        button({ class: "quiet", "aria-haspopup": "dialog", click: () => state.set({ panel: "about" }) }, say("app.about")),
        button({ class: "quiet keys-button", "aria-haspopup": "dialog", title: say("keys.title"), "aria-label": say("keys.title"), click: () => keys.open() }, "?"),
      ),
    ),
    line.element, main, about.element, live,
  );

  function opening(name) {
    return (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      state.set({ view: name, panel: "" }, { push: true });
    };
  }

  function languageLink() {
    const other = language === "zh" ? "en" : "zh";
    return h("a", { class: "quiet", href: "?", lang: other === "zh" ? "zh-CN" : "en", click: following(() => {
      try {
        localStorage.setItem("seps.lang", other);
      } catch {
        // no memory: the address says it
      }
      const address = new URL(location.href);
      address.searchParams.set("lang", other);
      location.assign(address);
    }) }, other === "zh" ? "中文" : "English");
  }

  // Why a view is not here, "" where it is.
  function lackOf(view) {
    if (places.includes(view)) return "";
    return view in VIEWS ? say("app.needs_app", { name: say(`app.${view}`) }) : say("app.no_view", { name: view });
  }

  async function show(asked, before) {
    const problem = lackOf(asked.view);
    if (problem) state.set({ view: "explore", part: "" }, { quiet: true });
    const now = state.get();
    about.toggle(now.panel === "about");
    for (const [name, link] of links) link.ariaCurrent = name === now.view ? "page" : null;
    const name = now.view;
    if (shown !== name) {
      built.get(shown)?.hide?.();
      shown = name;
      line.problem("");
      line.note("");
    }
    const module = await VIEWS[name]().catch(() => null);
    if (!module) return line.problem(say("app.not_fetched"));
    if (!built.has(name)) built.set(name, module.build(app)); // its errors are faults, and not hidden
    const place = built.get(name);
    if (shown !== name) return undefined; // another one was opened meanwhile
    if (main.firstElementChild !== place.element) main.replaceChildren(place.element);
    if (problem) line.note(problem);
    return place.show(state.get(), before);
  }

  const keys = keysDialog(root, say("keys.title"), () =>
    KEYS[shown].map((name) => [say(`keys.key_${name}`), say(`keys.does_${name}`)]));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || !isFree(event) || document.querySelector("dialog[open], .seps-talk")) return;
    event.preventDefault();
    keys.open();
  });

  state.listen(show);
  document.title = "SEPS Explorer";
  show(state.get(), null);
  return app;
}

// A listener of a link that leads nowhere else.
const following = (work) => (event) => {
  event.preventDefault();
  work();
};
