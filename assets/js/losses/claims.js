// Claims, each with a button that measures it on the live model, or with an earlier measurement.

import { button, h } from "../base/dom.js";
import { rootOf } from "../base/mount.js";
import { say, symbols } from "../base/words.js";

// Show `props.value` inside `element`, now and whenever `watch` reports a change.
// trigger("run", {claim}) asks for a claim to be measured; where the value says that there is no live model, nothing does.
export function mount(element, props, trigger, watch) {
  const root = rootOf(element, "seps-claims");
  const show = () => {
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.run : null;
    const { claims = [], live = true } = props.value ?? {};
    root.replaceChildren(...claims.map((claim) => card(claim, live && runButton(claim, trigger))));
    if (focused) root.querySelector(`[data-run="${focused}"]`)?.focus();
  };
  watch("value", show);
  show();
}

function runButton({ name, result }, trigger) {
  const run = button(
    {
      "data-run": name,
      click: () => {
        run.disabled = true;
        run.textContent = say("button.measuring");
        trigger("run", { claim: name });
      },
    },
    say(result ? "button.measure_again" : "button.measure"),
  );
  return run;
}

function card({ name, claim, how, result }, run) {
  return h(
    "article",
    { class: "seps-claim", "data-claim": name },
    h("p", { class: "seps-said-claim" }, ...symbols(claim)),
    h("p", { class: "seps-how" }, ...symbols(how)),
    ...(run ? [run] : []),
    h("div", { class: "seps-measured" }, ...(result ? measured(claim, result) : [])),
  );
}

function measured(claim, { measured: numbers, holds }) {
  const rows = Object.entries(numbers).map(([name, value]) =>
    h(
      "tr",
      { "data-measured": name, "data-value": value },
      h("th", { scope: "row" }, ...symbols(name)),
      h("td", {}, short(value)),
    ),
  );
  const sentence = say(holds ? "loss.holds" : "loss.holds_not");
  return [
    h("p", { class: "seps-holds", "data-holds": String(holds), "data-says": `${claim} ${sentence}` }, sentence),
    h("table", {}, h("tbody", {}, ...rows)),
  ];
}

// Four digits that count; 0 stays 0, since a gradient of 0 is the point.
function short(value) {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return Math.abs(value) < 0.001 ? value.toExponential(2) : Number(value.toPrecision(4)).toString();
}
