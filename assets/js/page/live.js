// Answers for people who do not see them come: once a view has come to rest, what it says anew is put into one region
// that is read out. It says the text of `data-says`, or of the element where that is empty, and the notes of the message
// line. A problem is an alert of its own.

import { h } from "../base/dom.js";
import { viewInSight } from "./trail.js";

const PAUSE = 400; // milliseconds in which the parts of an answer come together
const SENTENCES = "#views [data-says], #views .message.note";

function sentences() {
  const seen = [...document.querySelectorAll(SENTENCES)].filter((element) => element.getClientRects().length);
  return seen.map((element) => element.dataset.says || element.textContent).filter(Boolean);
}

// Begin to tell; what the page shows first is there to be read, and is not told.
export function tellAnswers() {
  const region = h("p", { class: "seps-live-region", role: "status", "aria-live": "polite" });
  const known = new Map(); // view -> its sentences
  let timer = 0;

  function tell() {
    const [view, now] = [viewInSight(), sentences()];
    if (!now.length) return;
    if (!region.isConnected) (document.querySelector(".gradio-container") ?? document.body).append(region);
    const before = known.get(view) ?? [];
    const fresh = now.filter((sentence) => !before.includes(sentence));
    if (known.size && fresh.length) region.textContent = fresh.join(" ");
    known.set(view, now);
  }

  tell();
  new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(tell, PAUSE);
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-says"] });
}
