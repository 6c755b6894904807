// Answers that were lost on their way. Gradio closes its stream of answers with a message; where that comes late, after
// something else was asked, the answer to that has no stream any more, and waits at the server until one is opened for
// the next question. So where something is waited for long, Python is asked for nothing.

import { overdue } from "./acts.js";

const PATIENCE = 4000; // milliseconds

// Whether a picture in sight is still to come.
const isWaiting = () => [...document.querySelectorAll(".seps-waiting")].some((element) => element.offsetParent);

// trigger("ask") asks for nothing.
export function mount(element, props, trigger) {
  let since = null; // when the waiting began
  setInterval(() => {
    const now = performance.now();
    since = isWaiting() ? (since ?? now) : null;
    if ((since === null || now - since < PATIENCE) && !overdue(PATIENCE)) return;
    since = null;
    trigger("ask", {});
  }, PATIENCE / 4);
}
