// The page: its header, the place in sight, and what all places share.

import { button, h } from "../base/dom.js";
import { language } from "../base/language.js";
import { say } from "../base/words.js";
import { aboutPanel } from "./about.js";
import { messageLine } from "./message.js";
import { placeOf, places as all } from "./places.js";
import { makeState } from "./state.js";

const OWN = ["uploads", "own-video", "camera"]; // galleries of a person's own photos

// engine: see engine/server.js; site: what the page knows from the start.
export function startApp(engine, site, root) {
  const state = makeState(OWN);
  const places = all.filter((name) => !engine.lacks.includes(name));
  const line = messageLine(say("app.cancel"));
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = new Map(places.map((name) => [name, placeLink(name)]));
  const about = aboutPanel({ engine, closed: () => state.set({ panel: "" }) });
  const live = h("p", { class: "seps-live-region", role: "status", "aria-live": "polite" });
  const built = new Map();
  const app = { engine, site, state, line, announce: (text) => { live.textContent = text; } };
  let shown = "";

  root.append(
    h("a", { class: "skip", href: "#main", click: toMain }, say("app.skip")),
    h(
      "header",
      { class: "head" },
      h("a", { class: "brand", href: location.pathname, click: home }, h("b", {}, "SEPS Explorer"), h("span", {}, say("app.claim"))),
      h("nav", { "aria-label": say("app.places") }, ...links.values()),
      h(
        "div",
        { class: "tools" },
        languageLink(),
        button({ class: "quiet", "aria-haspopup": "dialog", click: () => state.set({ panel: "about" }) }, say("app.about")),
      ),
    ),
    line.element,
    main,
    about.element,
    live,
  );

  function placeLink(name) {
    return h("a", { href: `?view=${name}`, "data-place": name, click: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      state.set({ view: name, panel: "" }, { push: true });
    } }, say(`app.${name}`));
  }

  function home(event) {
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    state.set({ view: "explore", panel: "" }, { push: true });
  }

  function toMain(event) {
    event.preventDefault();
    main.focus();
  }

  // The page in the other language, as it is now.
  function languageLink() {
    const other = language === "zh" ? "en" : "zh";
    return h("a", { class: "quiet", href: "?", lang: other === "zh" ? "zh-CN" : "en", click: (event) => {
      event.preventDefault();
      remember(other);
      const address = new URL(location.href);
      address.searchParams.set("lang", other);
      location.assign(address);
    } }, other === "zh" ? "中文" : "English");
  }

  // Why a view is not here, "" where it is.
  function lackOf(view) {
    if (places.includes(view)) return "";
    return all.includes(view) ? say("app.needs_app", { name: say(`app.${view}`) }) : say("app.no_view", { name: view });
  }

  async function show(asked, before) {
    const problem = lackOf(asked.view);
    if (problem) state.set({ view: "explore", part: "" }, { quiet: true });
    const now = state.get();
    about.toggle(now.panel === "about");
    for (const [name, link] of links) {
      if (name === now.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const name = now.view;
    if (shown !== name) {
      built.get(shown)?.hide?.();
      shown = name;
      line.problem("");
      line.note("");
    }
    const build = await placeOf(name).catch(() => null);
    if (!build) return line.problem(say("app.not_fetched"));
    if (!built.has(name)) built.set(name, build(app)); // its errors are faults, and not hidden
    const place = built.get(name);
    if (shown !== name) return undefined; // another one was opened meanwhile
    if (main.firstElementChild !== place.element) main.replaceChildren(place.element);
    if (problem) line.note(problem);
    return place.show(state.get(), before);
  }

  state.listen(show);
  document.title = "SEPS Explorer";
  show(state.get(), null);
  return app;
}

function remember(language) {
  try {
    localStorage.setItem("seps.lang", language);
  } catch {
    // no memory: the address says it
  }
}


