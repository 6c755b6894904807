// Which view an address leads to, what a tab shows when it is opened for the first time, Back, and how one view leads to
// another. A view is {open(query, problem), state(), again(state)}: `open` shows what a query asks for, the worked example
// where that names nothing; `state` is what it shows now, and `again` brings that back where no address leads to it.

import { say } from "../base/words.js";
import { followHistory, mount as trail } from "../page/trail.js";
import { tabs } from "./tabs.js";

const FIRST = "search";
const STILL = ["about"]; // tabs that nothing fills

// views: by their names in links; returns what opens the page, and what leads to a view, lead(name, show).
export function control(views) {
  const filled = new Set();
  const kept = new Map(); // what views showed, by the number that the history gave it
  const open = (name, query, problem = "") => {
    filled.add(name);
    return views[name].open(new URLSearchParams(query), problem);
  };
  const select = tabs((name) => name in views && !filled.has(name) && open(name, ""));

  function bring({ content, view, query }) {
    const state = kept.get(content);
    return state && !new URLSearchParams(query).get("caption") ? views[view].again(state) : open(view, query);
  }

  function start() {
    const name = new URLSearchParams(location.search).get("view") ?? FIRST;
    const known = name in views || STILL.includes(name);
    filled.add(name);
    select(known ? name : FIRST);
    trail(null, null, (event, detail) => {
      if (!(detail.view in views)) return;
      if (event === "keep") kept.set(detail.content, views[detail.view].state());
      else bring(detail);
    });
    followHistory();
    if (!known) return open(FIRST, "", say("static.no_view", { name }));
    return name in views ? open(name, location.search) : null;
  }

  // Open a view, and show there what show(view) shows.
  function lead(name, show) {
    filled.add(name);
    select(name, true);
    return show(views[name]);
  }

  return { start, lead };
}
