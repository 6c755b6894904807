// The opening page's entry: a worked example to read while the model loads. The page turns into the app by itself.

import { say } from "./base/words.js";
import { asksForFirst } from "./page/first.js";
import { chips, ranking } from "./lists/lists.js";
import { mount as viewer } from "./viewer/viewer.js";

const WAIT = 400; // milliseconds between two looks
const place = (id) => document.getElementById(id);
const view = JSON.parse(place("view").textContent);

function announce(text) {
  document.querySelector("#state span").textContent = text;
}

function show() {
  const later = () => announce(say("hint.loading"));
  const still = (mount, id, value, triggered) => mount(place(id), { value }, triggered, () => {});
  announce(say("hint.example"));
  document.querySelector(".screen").hidden = false;
  place("caption").textContent = view.viewer.caption;
  still(chips, "examples", { items: view.examples }, later);
  still(ranking, "ranking", view.ranking, later);
  still(viewer, "viewer", view.viewer, (event) => event === "export" && later());
}

async function look() {
  try {
    const answer = await fetch("opening/state", { cache: "no-store" });
    const state = answer.ok ? await answer.json().catch(() => ({})) : {};
    if (answer.status < 500 && !state.opening) {
      location.reload(); // the app knows no such address
      return;
    }
  } catch {
    // the app is taking the address over
  }
  setTimeout(look, WAIT);
}

if (view && asksForFirst) show();
setTimeout(look, WAIT);
