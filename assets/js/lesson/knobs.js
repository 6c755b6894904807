// The lesson's settings, what they moved, and the rank that follows.

import { mapped, sum } from "../base/arrays.js";
import { resize } from "../base/canvas.js";
import { button, debounced, describedBy, h, table } from "../base/dom.js";
import { fixed, signed, shownNumber, signedShort } from "../base/numbers.js";
import { say, sayNodes, symbol, symbols } from "../base/words.js";
import { keptOutlines } from "./charts.js";
import { drawLayer } from "../picture/layer.js";
import { keptCount } from "../record/record.js";

/** @type {Record<string, [string, any]>} */
const KNOBS = {
  keep_ratio: ["range", { min: 0.05, max: 1, step: 0.01 }],
  aggr_ratio: ["range", { min: 0.05, max: 1, step: 0.01 }],
  beta: ["range", { min: 0, max: 0.5, step: 0.01 }],
  top_k: ["range", { min: 1, max: 10, step: 1 }],
  decision: ["select", ["top-k", "gumbel"]],
  temperature: ["range", { min: 0.1, max: 5, step: 0.1 }],
  seed: ["number", { min: 0, step: 1 }],
  dense: ["checkbox", {}],
  variant: ["select", ["paper", "released"]],
};
const DRAWS = ["temperature", "seed"]; // only of Gumbel-Softmax
const DEBOUNCE = 250; // milliseconds
const SET = 150; // width of a picture of the changed settings, in CSS pixels

// The panel of settings. change(settings) is called once they rest. update(value) shows a value's settings; value.asked:
// the settings that it answers; value.idle: settings without effect under a choice.
export function createKnobs(change) {
  const later = debounced(() => change(settings()), DEBOUNCE);
  let value = null;
  let unanswered = false; // a person has moved a setting, and the answer to all of them is not here yet
  const rows = Object.fromEntries(Object.entries(KNOBS).map(([name, [kind, options]]) => {
    const id = `seps-knob-${name}-${Math.random().toString(36).slice(2)}`;
    const looks = { id, input: changed, "aria-describedby": `${id}-why` };
    const input = kind === "select"
      ? h("select", looks, ...options.map((choice) => h("option", { value: choice }, say(`option.${choice}`))))
      : h("input", { type: kind, ...options, ...looks });
    const reading = h("output", { for: id });
    const mark = h("span", { class: "seps-untrained", hidden: true }, say("hint.untrained"));
    const why = h("small", { id: `${id}-why` });
    const element = h("div", { class: "seps-knob", "data-knob": name },
      h("label", { for: id }, say(`knob.${name}`)), input, kind === "range" && reading, mark, why);
    return [name, { element, input, reading, mark, why, kind }];
  }));
  const reset = button({ class: "seps-reset", click: back }, say("button.trained"));
  const element = h("div", { class: "seps-knobs", role: "group", "aria-label": say("button.settings") },
    reset, // first, so that it is in sight however long the list below it
    ...Object.values(rows).map((row) => row.element),
  );

  function read({ input, kind }) {
    if (kind === "checkbox") return input.checked;
    return kind === "select" ? input.value : Number(input.value);
  }

  function put({ input, kind }, setting) {
    if (kind === "checkbox") input.checked = setting;
    else input.value = String(setting);
  }

  const settings = () => mapped(rows, read);

  function readings() {
    for (const [name, { reading, input, element: row }] of Object.entries(rows)) {
      reading.textContent = name === "top_k" ? input.value : fixed(Number(input.value), name === "temperature" ? 1 : 2);
      row.hidden = DRAWS.includes(name) && rows.decision.input.value !== "gumbel";
    }
  }

  function changed() {
    if (rows.seed.input.value === "" || !rows.seed.input.checkValidity()) return;
    unanswered = true;
    readings();
    reasons();
    later();
  }

  // As the model was trained; its decisions by the top k, as every model is evaluated.
  function back() {
    for (const [name, row] of Object.entries(rows)) put(row, name === "decision" ? "top-k" : value.trained[name]);
    changed();
  }

  // Say of each setting that cannot be moved why; what depends on a choice follows the choice that is shown.
  function reasons() {
    for (const [name, row] of Object.entries(rows)) {
      const choices = (value.idle ?? []).filter(({ knob }) => knob === name);
      const reason = value.fixed[name] ?? "";
      const always = reason && !choices.some(({ why }) => why === reason);
      const why = always ? reason : (choices.find(({ by, choice }) => read(rows[by]) === choice)?.why ?? (choices.length ? "" : reason));
      row.input.disabled = why !== "";
      row.why.replaceChildren(...symbols(why));
      row.element.classList.toggle("seps-fixed", why !== "");
    }
  }

  // Show a value; whether it answers all settings as they stand. Where it does not, they stay as the person left them.
  function update(next) {
    if (value && value.model !== next.model) unanswered = false; // another model has other settings
    value = next;
    if (next.asked && same(next.asked, settings())) unanswered = false;
    for (const [name, row] of Object.entries(rows)) {
      const [low, high] = value.limits?.[name] ?? [];
      if (row.kind === "range" && high !== undefined) Object.assign(row.input, { min: low, max: high });
      if (!unanswered) put(row, value.knobs[name]);
      row.mark.hidden = !value.untrained.includes(name);
    }
    reasons();
    readings();
    return !unanswered;
  }

  return { element, update, stop: later.stop };
}

// The rank of the photo for the caption, on a line of all places, and the rank of the caption for the photo.
export function standing(value) {
  const { rank, caption_rank: other } = value;
  const box = h("div", { class: "seps-standing" });
  const line = ({ now, before, total, gallery, note }, kind) => {
    if (now === null) return box.append(h("p", { "data-rank": "" }, note));
    const key = before !== null && before !== now ? `rank.${kind}_was` : `rank.${kind}`;
    const place = h("b", {}, say("rank.place", { rank: now }));
    const dot = (at, name) => h("i", { class: name, style: { left: `${total > 1 ? (100 * (at - 1)) / (total - 1) : 0}%` } });
    const was = before !== null && before !== now && dot(before, "seps-was");
    const [first, last] = [1, total].map((end) => h("span", {}, String(end)));
    return box.append(
      h("p", { "data-rank": now }, ...sayNodes(key, { now: place, before, total, gallery })),
      h("div", { class: "seps-places-line", "aria-hidden": "true" },
        first, h("div", { class: "seps-places" }, was, dot(now, "seps-is")), last),
    );
  };
  line(rank, "photo");
  if (other && (other.now !== null || rank.now !== null)) line(other, "caption");
  return box;
}

// What the settings moved: kept sets, terms, score and rank before and after.
export function movedTable(value, record, before, photo) {
  if (!before) return h("div", { class: "seps-moved" }, h("p", { class: "seps-aside" }, say("moved.nothing")));
  const { kept, terms, score } = value.moved;
  const [gained, lost] = [kept.gained, kept.lost].map((list) => (Array.isArray(list) ? list.length : list));
  const change = (first, other) => (first === null || other === null ? "" : shownNumber(other - first, {}, signedShort(other - first)));
  const shown = (number) => (number === null ? say("moved.none") : shownNumber(number));
  const looks = (key, first, other) => ({ "data-moved": key, class: first === other ? "seps-same" : null });
  const row = (name, first, other, key) => [looks(key, first, other), name, shown(first), shown(other), change(first, other)];
  const places = value.rank;
  const rankRow = [
    looks("rank", places.before, places.now), say("moved.rank", { total: places.total }),
    ...[places.before, places.now].map((place) => String(place ?? say("moved.none"))),
    places.now === null || places.before === null ? "" : signed(places.now - places.before, 0),
  ];
  // Titles of the run if both of its captions have terms.
  const runs = [before, record].sort((first, other) => first.alignments.length - other.alignments.length);
  const titles = { ...runs[0].says.terms, ...runs[1].says.terms };
  const heads = ["before", "now", "change"].map((name) => say(`moved.${name}`));
  const moves = table({}, [null, ...heads], [
    ...Object.entries(terms).map(([name, [first, other]]) => row(titles[name], first, other, name)),
    row(symbol("S(I, T)"), score[0], score[1], "score"),
    rankRow,
  ]);
  const sets = [["before", before, null], ["now", record, before]].map(([name, run, other]) => {
    const { kept: mask } = run.branches[0];
    const title = say(`moved.${name}`);
    const canvas = h("canvas", { role: "img", "aria-label": say("moved.picture", { name: title, count: keptCount(run) }) });
    resize(canvas, SET, (SET * photo.naturalHeight) / photo.naturalWidth);
    drawLayer(canvas, photo, run, "mask", { opacity: 0.82, lines: false });
    return h("figure", {},
      h("div", { class: "seps-set" }, canvas, other && keptOutlines(run, mask, other.branches[0].kept)),
      h("figcaption", {}, say("moved.set", { name: title, kept: sum(mask) })));
  });
  const counts = say("moved.kept", { both: kept.both, gained, lost });
  const sentence = h("p", { "data-moved": "kept", "data-gained": gained, "data-lost": lost }, counts);
  for (const figure of sets) describedBy(figure.querySelector("canvas"), sentence);
  return h("div", { class: "seps-moved" },
    h("div", { class: "seps-sets" }, ...sets, sentence),
    h("div", { class: "seps-moved-table" }, moves, places.note && h("p", { class: "seps-aside" }, places.note)),
  );
}

const same = (first, other) => Object.entries(other).every(([name, setting]) => first[name] === setting);
