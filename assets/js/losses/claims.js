// Claims, each with a button that measures it on the live model, or with an earlier measurement.

import { button, h, table } from "../base/dom.js";
import { mounting } from "../base/mount.js";
import { shownNumber } from "../base/numbers.js";
import { say, symbols } from "../base/words.js";

function build(root, { claims, live = true }, trigger) {
  root.replaceChildren(...claims.map((claim) => card(claim, live && runButton(claim, trigger))));
  return () => {};
}

// trigger("run", {claim}) asks for a claim to be measured; where the value says that there is no live model, nothing does.
export const mount = mounting("seps-claims", build, "");

function runButton({ name, result }, trigger) {
  const run = button({ "data-run": name, click: () => {
    run.disabled = true;
    run.textContent = say("button.measuring");
    trigger("run", { claim: name });
  } }, say(result ? "button.measure_again" : "button.measure"));
  return run;
}

function card({ name, claim, how, result }, run) {
  return h("article", { class: "seps-claim", "data-claim": name },
    h("p", { class: "seps-said-claim" }, ...symbols(claim)),
    h("p", { class: "seps-how" }, ...symbols(how)),
    run,
    h("div", { class: "seps-measured" }, ...(result ? measured(result) : [])),
  );
}

function measured({ measured: numbers, holds }) {
  const shown = (value) => (Number.isInteger(value) || typeof value !== "number" ? String(value) : shownNumber(value));
  const rows = Object.entries(numbers).map(([name, value]) =>
    [{ "data-measured": name, "data-value": value }, symbols(name), shown(value)]);
  return [
    h("p", { class: "seps-holds", "data-holds": String(holds) }, say(holds ? "loss.holds" : "loss.holds_not")),
    table({}, null, rows),
  ];
}
