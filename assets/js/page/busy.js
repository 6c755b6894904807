// What computes says so: a button whose file is made cannot be pressed again until the file, or what was wrong, is there,
// and a view that is computed anew is let go where a message tells what was wrong instead.

import { say } from "../base/words.js";

const PROBLEM = '.message.problem, [data-testid="toast-body"]'; // ours, and Gradio's own
let noticed = false; // whether answers are
const waiting = []; // what gives a button back, the one that was pressed first at its beginning

// A button waits for its file, where there is an app to make it, which is returned; `end` is called when it waits no more.
export function work(button, end = () => {}) {
  if (!noticed) return false;
  const label = button.textContent;
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  button.textContent = say("button.saving");
  waiting.push(() => {
    button.disabled = false;
    button.removeAttribute("aria-busy");
    button.textContent = label;
    end();
  });
  return true;
}

// The file is there, or a message.
export function worked() {
  waiting.shift()?.();
}

function settle(element) {
  const place = element.closest(".tabitem");
  if (!place) waiting.splice(0).forEach((give) => give()); // a fault, which no answer follows
  for (const view of (place ?? document).querySelectorAll('.seps-view[aria-busy="true"]')) view.removeAttribute("aria-busy");
}

export function noticeAnswers() {
  noticed = true;
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        const problem = node instanceof Element && (node.matches(PROBLEM) ? node : node.querySelector(PROBLEM));
        if (problem) settle(problem);
      }
    }
  }).observe(document.body, { childList: true, subtree: true });
}
