// The entry of the page without a server: the worked example at once, then the models, in this browser.

import { keepOpenInSight } from "./page/bar.js";
import { viewInSight } from "./page/trail.js";
import { control } from "./static/control.js";
import { makeEngine } from "./static/engine.js";
import { makePairs } from "./static/pair.js";
import { photosView } from "./static/photos.js";
import { keepOffline } from "./static/offline.js";
import { messageLine } from "./static/view.js";

const site = JSON.parse(document.getElementById("site").textContent);
const lines = { search: messageLine("said") };
let waiting = null; // the line that tells what is waited for

// What is waited for is told in the view in sight, until it is there.
function tell(text) {
  waiting?.tell("");
  waiting = text ? lines[viewInSight()] ?? lines.search : null;
  waiting?.tell(text);
}

const engine = makeEngine(site, tell);
const base = { site, engine, pairs: makePairs(engine.ask, tell) };
const views = { search: photosView({ ...base, line: lines.search }) };

keepOpenInSight();
Promise.resolve(control(views).start()).then(() => keepOffline(site));
