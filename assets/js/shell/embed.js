// With `embed=1` in the address, for slides and course pages, the page has no header, and links open a new tab.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";

// The address of this view in the full app.
function wholeAddress() {
  const query = new URLSearchParams(location.search);
  query.delete("embed");
  return `${location.pathname}?${query}`.replace(/\?$/, "");
}

export function embed() {
  if (new URLSearchParams(location.search).get("embed") !== "1") return;
  document.body.classList.add("seps-embed");
  const whole = h("a", { href: wholeAddress() }, say("hint.whole_app"));
  document.body.append(h("p", { class: "seps-embed-foot" }, whole));
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element && target.closest("a[href]");
    if (!link || link.hasAttribute("download")) return;
    if (link === whole) whole.href = wholeAddress();
    Object.assign(link, { target: "_blank", rel: "noopener" });
  }, true);
}
