// The page's entry: one page for the app and for a folder without a server, which differ in their engine.

import "./explore/view.js";
import { embed } from "./shell/embed.js";
import { startApp } from "./shell/app.js";

const site = JSON.parse(document.getElementById("site").textContent);
const engines = { server: () => import("./engine/server.js"), browser: () => import("./engine/browser.js") };
const { makeEngine } = await engines[site.engine]();

embed();
startApp(makeEngine(site), site, document.getElementById("page"));
