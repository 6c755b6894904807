// The browser's history: an entry for each view that was opened and for each pair that was asked for in it, so that Back
// leads to what was seen before, and not out of the app. What another view shows stays as it is; what one and the same
// view showed is brought back by Python, which keeps it (demo/screens/trail.py), or by the address.
//
// An entry is {number, view, content, pair}: content is the number under which Python keeps what the view showed, null
// until it is there; pair is what was asked for, without how it is drawn.

import { inLanguage, queryAlone } from "../base/language.js";
import { acted } from "./acts.js";
import { embeddedAs } from "./embed.js";

const LONGEST = 4000; // characters of what Python is told
const PAUSE = 2000; // milliseconds after which typing asks for something else
const RESTING = 400; // milliseconds until Python keeps what was only drawn another way
const PATIENCE = 2000; // milliseconds in which a view opens
const LATE = 10000; // milliseconds in which what comes before what was asked for is an earlier answer
const STILL = ["about", "paper"]; // views that show one thing alone
const INSIDE = { lesson: ["walk", "lesson"], losses: ["losses", "lesson"], paper: ["paper", "lesson"] }; // their tabs, the inner first
const BOXES = { // where one types, and what that is in an address
  caption: "caption", dense: "dense", "captions-typed": "typed", "compare-captions": "caption", "why-caption": "caption",
  "why-other": "other", "edit-caption": "caption", "judge-prompt": "caption", "judge-other": "other",
  "generate-caption": "caption", "lesson-caption": "caption", "lesson-dense": "dense",
};

const contents = new Map(); // view -> what it shows now: {content, pair, query, element}
const unsent = []; // before the component is there
let tell = (...values) => unsent.push(values);
let made = 0;
let typing = { number: null, at: -Infinity }; // the entry that typing made last
// The entry before a video's frames were stepped through, the entry of all these steps, and when the last was.
const steps = { before: null, number: null, at: -Infinity };
let restoring = null; // the number of the entry that Python is asked to bring back
let restoringSince = 0;
let steering = 0; // until when tabs are opened by us
let resting = 0;

// What was asked for but the photograph, or the frame of a video.
const butPhoto = (pair) => pair?.split("\n", 1)[0];
const entry = () => history.state?.seps ?? null;
const number = () => `${Math.round(performance.timeOrigin)}-${(made += 1)}`;

function write(how, next, query) {
  history[`${how}State`]({ ...history.state, seps: next }, "", embeddedAs(inLanguage(query || "")) || location.pathname);
}

// The tab that a view's name in links belongs to; null where there is none.
export function tabOf(view) {
  const [inner] = INSIDE[view] ?? [view];
  return [inner, view].map((name) => document.querySelector(`[role=tab][data-tab-id=${name}]`)).find(Boolean) ?? null;
}

// The view in sight, by its name in links.
export function viewInSight() {
  const chosen = [...document.querySelectorAll("#views [role=tab][aria-selected=true]")].filter((tab) => tab.offsetParent);
  const name = chosen.at(-1)?.dataset.tabId ?? "";
  return name === "walk" ? "lesson" : name;
}

// The view in sight shows `pair`, at the address `query`, null where no address leads there; `photo` is its title.
export function showed(element, query, pair, photo, isNew) {
  const view = viewInSight();
  const now = entry();
  const isLate = restoring !== null && now?.number === restoring && performance.now() < restoringSince + LATE;
  if (isLate && now.pair !== null && now.pair !== pair) return; // Back was pressed twice, this is what the first led to
  const isStep = now?.number === steps.number && butPhoto(now?.pair) === butPhoto(pair);
  const isOurs = now?.view === view && (now.pair === pair || isStep || [typing.number, restoring].includes(now.number));
  let next = { number: number(), view, pair };
  next.content = next.number;
  const stays = !now || now.content === null || isOurs;
  if (stays && now?.view === view) next = { ...now, pair, content: now.content ?? now.number };
  restoring = null;
  if (!stays && now.number === steps.before && performance.now() - steps.at < LATE) steps.number = next.number;
  write(stays ? "replace" : "push", next, query);
  contents.set(view, { content: next.content, pair, query, element });
  clearTimeout(resting);
  const keep = () => tell("keep", { content: next.content, view, photo: (photo ?? "").slice(0, LONGEST) });
  if (isNew) keep();
  else resting = setTimeout(keep, RESTING);
}

// A frame of a video is chosen: one after another at once are one entry, of which Back leads to what was before all.
export function stepped() {
  const at = performance.now();
  const now = entry()?.number ?? null;
  const goesOn = at - steps.at < PAUSE && [steps.before, steps.number].includes(now);
  Object.assign(steps, goesOn ? { at } : { before: now, number: null, at });
}

// Another tab was opened.
function opened() {
  const view = viewInSight();
  const now = entry();
  if (view === now?.view) steering = 0;
  if (!view || view === now?.view || performance.now() < steering) return;
  const { content = null, pair = null, query } = contents.get(view) ?? {};
  typing.number = null;
  write("push", { number: number(), view, content, pair }, query === undefined ? `?view=${view}` : query);
}

// What is typed stands in the address at once; a person's own photograph has none.
function typed({ target, isTrusted }) {
  const box = isTrusted && Object.keys(BOXES).find((id) => target.closest(`#${id}`));
  const now = entry();
  if (!box || !now) return;
  const [view, at] = [viewInSight(), performance.now()];
  const goesOn = typing.number === now.number && at - typing.at < PAUSE;
  const next = goesOn ? now : { number: number(), view, content: null, pair: null };
  typing = { number: next.number, at };
  contents.delete(view);
  write(goesOn ? "replace" : "push", next, queryAlone() && typedQuery(view, BOXES[box], target.value));
}

function typedQuery(view, name, text) {
  const query = new URLSearchParams(location.search);
  if (query.get("view") !== view) return `?${new URLSearchParams({ view, [name]: text })}`;
  if (text.trim()) query.set(name, text);
  else query.delete(name);
  const best = view === "search" ? ["photo", "mask", "budget"] : []; // the best photograph for the new caption
  for (const name of [...best, ...(query.get("layer")?.includes(":") ? ["layer"] : [])]) query.delete(name);
  return `?${query}`;
}

// Open the tabs that lead to a view; one that lies in another is there a moment later.
function open(view) {
  steering = performance.now() + PATIENCE;
  const names = INSIDE[view] ?? [view];
  const turn = () => {
    const tabs = [...document.querySelectorAll("#views [role=tab][aria-selected=false]")].filter((tab) => tab.offsetParent);
    const next = names.map((name) => tabs.find((tab) => tab.dataset.tabId === name)).find(Boolean);
    next?.click();
    if (viewInSight() !== view && performance.now() < steering) requestAnimationFrame(turn);
    else steering = 0;
  };
  if (viewInSight() === view) steering = 0;
  else turn();
}

function restore() {
  const now = entry();
  if (!now) return; // a place on the page
  typing.number = null;
  open(now.view);
  const shown = contents.get(now.view);
  if (STILL.includes(now.view) || (now.content !== null && shown?.content === now.content)) return;
  restoring = now.number;
  restoringSince = performance.now();
  if (shown) acted(shown.element);
  const query = queryAlone().length > LONGEST ? "" : queryAlone();
  tell("back", { content: now.content ?? "", view: now.view, query });
}

// The mount of the component that tells Python: "keep" {content, view, photo} to keep what a view shows, and "back"
// {content, view, query} to bring it back.
export function mount(element, props, trigger) {
  tell = trigger;
  unsent.splice(0).forEach((values) => tell(...values));
}

export function followHistory() {
  if (!entry()) {
    const view = new URLSearchParams(location.search).get("view") ?? "search";
    write("replace", { number: number(), view, content: null, pair: null }, location.search);
  }
  new MutationObserver(opened).observe(document.body, { subtree: true, attributeFilter: ["aria-selected"] });
  window.addEventListener("popstate", restore);
  document.addEventListener("input", typed, true);
  document.addEventListener("focusout", () => {
    typing.number = null;
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") typing.number = null;
  }, true);
}
