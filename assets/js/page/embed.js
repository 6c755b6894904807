// One view alone, for slides and course pages: `embed=1` in the address leaves header and tabs out, and every link opens
// a tab of its own.

import { h } from "../base/dom.js";
import { say } from "../base/words.js";

const LOOKS = ["__theme", "embed"]; // what an address says of the page and not of what is shown
const EMBED = "embed=1";

export const isEmbedded = new URLSearchParams(location.search).get("embed") === "1";

// The names in the page's address that ask for something.
export const askedNames = () => [...new URLSearchParams(location.search).keys()].filter((name) => !LOOKS.includes(name));

// A query under which the page, opened anew, is embedded as it is now.
export function embeddedAs(query) {
  if (!isEmbedded || new URLSearchParams(query).has("embed")) return query;
  return query ? `${query}&${EMBED}` : `?${EMBED}`;
}

// Where the whole app shows what is in sight.
function wholeAddress() {
  const query = new URLSearchParams(location.search);
  query.delete("embed");
  return `${location.pathname}?${query}`.replace(/\?$/, "");
}

export function embed() {
  if (!isEmbedded) return;
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
