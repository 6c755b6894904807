// The entry of the page without a server: the worked example at once, then the models, in this browser.

import { h } from "./base/dom.js";
import { keepOpenInSight } from "./page/bar.js";
import { followHistory, mount as trail } from "./page/trail.js";
import { makeEngine } from "./static/engine.js";
import { makePairs } from "./static/pair.js";
import { photosView } from "./static/photos.js";
import { keepOffline } from "./static/offline.js";
import { tabs } from "./static/tabs.js";

const site = JSON.parse(document.getElementById("site").textContent);
const status = document.getElementById("said");

function say(text, kind) {
  const role = kind === "problem" ? { role: "alert" } : {};
  status.replaceChildren(...(text ? [h("p", { class: `message ${kind}`, ...role }, text)] : []));
}

const line = { tell: (text) => say(text, "note"), problem: (text) => say(text, "problem") };
const engine = makeEngine(site, line.tell);
const photos = photosView(site, engine, makePairs(engine.ask, line.tell), line);

tabs();
trail(null, null, (event, { query }) => event === "back" && photos.open(query));
followHistory();
keepOpenInSight();
photos.open(location.search).then(() => keepOffline(site));
