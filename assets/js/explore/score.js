// The numbers of one pair: S(I, T), its place, how many patches were kept, and the terms of the score, folded away.

import { sum } from "../base/arrays.js";
import { h } from "../base/dom.js";
import { fixed, shownNumber, signedShort } from "../base/numbers.js";
import { meaning, say, symbol } from "../base/words.js";

export function scorePanel() {
  const score = h("output", { class: "big" });
  const place = h("span", { class: "place" });
  const kept = h("p", { class: "kept" });
  const changed = h("p", { class: "changed", hidden: true });
  const terms = h("ul", { class: "terms" });
  const details = h("details", { class: "fold" }, h("summary", {}, say("explore.details")), terms);
  const element = h("div", { class: "score-panel" },
    h("p", { class: "headline" }, h("span", { class: "name" }, symbol("S(I, T)")), score, place), kept, changed, details);

  let waits = false; // whether the shown numbers are being recomputed

  // total: of the photos that were ranked; before: S(I, T) by the model's own decision, where another one is shown.
  function show(record, { rank = null, total = 0, before = null } = {}) {
    const { kept: mask } = record.branches[0];
    waits = false;
    score.textContent = fixed(record.similarity, 2);
    score.title = fixed(record.similarity, 6);
    score.dataset.similarity = String(record.similarity);
    place.textContent = rank === null ? "" : say("explore.place", { rank, total });
    kept.textContent = say("explore.kept", { kept: sum(mask), total: mask.length });
    changed.hidden = before === null;
    changed.textContent = before === null ? "" : say("explore.changed", { before, change: signedShort(record.similarity - before) });
    terms.replaceChildren(...Object.entries(record.terms).map(([name, value]) => h(
      "li", { title: meaning(name.replace(/^(sparse|dense) /, "")) },
      h("span", {}, record.says.terms[name]), shownNumber(value, {}, signedShort(value)))));
  }

  // While a decision is tried: how many patches it keeps, its score not being known yet; none where nothing is kept.
  function pending(count, total, isNothing = false) {
    waits = true;
    kept.textContent = say("explore.kept", { kept: count, total });
    score.textContent = isNothing ? "-" : "…";
    score.removeAttribute("title");
    delete score.dataset.similarity;
    place.textContent = "";
    changed.hidden = true;
  }

  return { element, show, pending, get waits() { return waits; } };
}
