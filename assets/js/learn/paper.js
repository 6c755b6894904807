// Where the paper and its released code differ, on one example; the text is HTML that the app has written.

import { h } from "../base/dom.js";
import { latest } from "../shell/latest.js";
import { working } from "../shell/parts.js";

export function paperPart({ engine, line }) {
  const run = latest();
  const element = h("div", { class: "prose tables paper" });
  const work = working(element, line);
  let isThere = false;

  function show() {
    if (isThere) return;
    work(run, (signal) => engine.paper({}, { signal }), ({ html }) => {
      isThere = true;
      element.innerHTML = html;
      foldLong(element);
      lay(element);
    });
  }

  return { element, show };
}

// Every section but the first is folded under its heading, so that the page is short.
function foldLong(element) {
  const headings = [...element.querySelectorAll(":scope > h3")].slice(1);
  for (const heading of headings) {
    const fold = h("details", { class: "fold" }, h("summary", {}, heading.textContent));
    for (let next = heading.nextElementSibling; next && next.tagName !== "H3"; next = heading.nextElementSibling) fold.append(next);
    heading.replaceWith(fold);
  }
}

// The differences lie next to each other: each is a heading and what follows it.
function lay(element) {
  const place = h("div", { class: "differences" });
  const [first] = element.getElementsByTagName("h4");
  first?.before(place);
  for (const heading of element.querySelectorAll(":scope > h4")) {
    const section = h("section", {});
    let next = heading;
    do {
      const following = next.nextElementSibling;
      section.append(next);
      next = following;
    } while (next && !["H4", "DETAILS"].includes(next.tagName));
    place.append(section);
  }
}
