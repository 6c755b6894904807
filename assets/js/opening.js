// The opening page's entry: a worked example to read while the model loads. The page turns into the app by itself.

import { say } from "./base/words.js";
import { embed } from "./page/embed.js";
import { asksForExample } from "./page/first.js";
import { followLanguage } from "./page/language.js";
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
  const [{ items }] = view.ranking.lists;
  const note = say("list.ranked_before", { total: items.length, noun: say("noun.photographs") });
  still(ranking, "ranking", { ...view.ranking, note }, later);
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

embed();
followLanguage();
if (view && asksForExample) show();
setTimeout(look, WAIT);
