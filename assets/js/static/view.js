// A view of the page without a server: the app's modules, each at its place, and a message line. What they are to show is
// computed, and put in place where nothing else was asked for meanwhile.

import { h } from "../base/dom.js";
import { component, latest } from "../base/component.js";

export const DRAWN = "seps-drawn"; // an event of the document: a view shows something new

// The line below what is asked: tell(note), problem(what was wrong), and wait(what is waited for), which stands in place of a
// note and below what was wrong, "" for nothing.
export function messageLine(id) {
  const place = document.getElementById(id);
  const lineOf = (text, kind, role = {}) => (text ? h("p", { class: `message ${kind}`, ...role }, text) : null);
  let [message, waited] = [null, null];
  function show() {
    const lines = [waited && message?.role !== "alert" ? null : message, waited].filter(Boolean);
    const here = [...place.children];
    for (const line of here) if (!lines.includes(line)) line.remove(); // what stays is not read out again
    for (const line of lines.filter((each) => !here.includes(each))) place[line === waited ? "append" : "prepend"](line);
  }
  function say(text, kind, role) {
    if (message?.textContent === text && message.classList.contains(kind)) return; // it is not read out twice
    message = lineOf(text, kind, role);
    show();
  }
  return {
    tell: (text) => say(text, "note"),
    problem: (text) => say(text, "problem", { role: "alert" }),
    wait: (text) => { waited = lineOf(text, "note"); show(); },
  };
}

// parts: of each module, by a name, [id of its element, its mount, {event: answer(detail)}]; put(values): shows what else
// is there, boxes and choices. A view shows values: those of parts by their names, {note} or {problem}, and what `put`
// knows.
/** @type {(line: any, parts: any, put?: (values: any) => void) => any} */
export function makeView(line, parts, put = () => {}) {
  const shown = Object.fromEntries(Object.entries(parts).map(([name, [id, mount, answers]]) =>
    [name, component(document.getElementById(id), mount, null, (event, detail) => answers[event]?.(detail))]));
  function place(values) {
    put(values); // first: what a module shows is kept for Back, with the state that led to it
    for (const [name, part] of Object.entries(shown)) if (name in values) part.show(values[name]);
    if (values.problem) line.problem(values.problem);
    else line.tell(values.note ?? "");
    document.dispatchEvent(new Event(DRAWN));
  }

  // show(async () => values) shows the last of what it is asked for; where something was wrong, what stands there stays,
  // and so do boxes and choices; what is waited for is waited for no longer.
  const show = latest(place, (problem) => {
    const waiting = Object.keys(shown).filter((name) => shown[name].value?.waiting);
    place({ ...Object.fromEntries(waiting.map((name) => [name, null])), problem });
  });

  // What a link leads to, work(); where something is wrong with it, the worked example, example(undefined, problem), under
  // what is wrong, which is told before the model is there. `problem` is what was wrong before anything was tried.
  const follow = (work, example, problem = "") => show(async () => {
    async function instead(wrong) {
      line.problem(wrong);
      return { ...await example(undefined, wrong), problem: wrong };
    }
    if (problem) return instead(problem);
    try {
      return await work();
    } catch (error) {
      return instead(error.message);
    }
  });

  // Tell what some work beside the view comes to, as a file that is saved.
  async function aside(work) {
    try {
      line.tell(await work());
    } catch (error) {
      line.problem(error.message);
    }
  }

  return { place, show, follow, aside, value: (name) => shown[name].value };
}
