// What a person has done that is not answered yet, so that what fills a view of itself comes after the answer, never
// over it: the server is asked by `settled()` only once answers are there, and sees then that the view is in use.

const PATIENCE = 8000; // milliseconds; an answer that is a note alone is not noticed here
const PROBLEM = "#views .message.problem";
const acts = new Map(); // the view's place on the page -> when something was done there last

const placeOf = (element) => element.closest(".tabitem");

// Something was done in a component that will be answered.
export function acted(element) {
  acts.set(placeOf(element), performance.now());
}

// A component got a new value: what was done in its view is answered.
export function answered(element) {
  acts.delete(placeOf(element));
}

// A problem that a view's message line comes to tell is an answer, though nothing else changes. Gradio puts it there as
// an element, or makes it of the note that stood there.
export function noticeProblems() {
  const problemOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest(PROBLEM);
  new MutationObserver((changes) => {
    const problems = changes.flatMap(({ target, addedNodes }) => [target, ...addedNodes].map(problemOf));
    for (const problem of new Set(problems)) if (problem) answered(problem);
  }).observe(document.body, { childList: true, subtree: true, characterData: true, attributeFilter: ["class"] });
}

// Whether something is not answered yet that was done at least this many milliseconds ago, and may still be answered.
export function overdue(age) {
  return [...acts.values()].some((since) => performance.now() - since >= age && performance.now() - since < PATIENCE);
}

// Ends when nothing is left to be answered.
export async function settled() {
  const open = () => [...acts.values()].some((since) => performance.now() - since < PATIENCE);
  while (open()) await new Promise((done) => setTimeout(done, 50));
}

// Gradio's own inputs; those inside our components are not the server's, or tell it by a trigger.
export function noticeInputs() {
  const notice = ({ target, isTrusted }) => {
    if (isTrusted && target.closest("#views") && !target.closest(".seps-view")) acted(target);
  };
  for (const event of ["input", "change"]) document.addEventListener(event, notice, true);
}
