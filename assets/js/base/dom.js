// Elements of the page, in HTML and in SVG. Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

// An element: functions are listeners, true an empty attribute, `style` CSS properties; null and false are left out.
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function button(attributes, ...children) {
  return h("button", { type: "button", ...attributes }, ...children);
}

// The same for drawings.
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function svgText(x, y, anchor, words, attributes = {}) {
  return svg("text", { x, y, "text-anchor": anchor, ...attributes }, words);
}

// An empty chart of a size in CSS pixels, with letters of a size; `name` is its accessible name.
export function chart(width, height, type, name) {
  const viewBox = `0 0 ${width} ${height}`;
  return svg("svg", { class: "seps-chart", width, height, viewBox, "font-size": type, role: "img", "aria-label": name });
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "style") for (const [property, now] of Object.entries(value)) element.style.setProperty(property, now);
    else if (!isNothing(value)) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => !isNothing(child)));
  return element;
}

const isNothing = (value) => value === null || value === undefined || value === false;

// A table: heads, the names of its columns, null for none, the first may be null too; rows: [attributes, name, ...cells]. A
// cell that is an element of a table already stays as it is.
export function table(attributes, heads, rows) {
  const cell = (tag, looks = {}) => (content) =>
    (content instanceof HTMLTableCellElement ? content : h(content === null ? "td" : tag, looks, ...[content].flat()));
  const lines = rows.map(([looks, name, ...cells]) =>
    h("tr", looks, cell("th", { scope: "row" })(name), ...cells.map(cell("td"))));
  const head = heads && h("thead", {}, h("tr", {}, ...heads.map(cell("th", { scope: "col" }))));
  return h("table", attributes, head, h("tbody", {}, ...lines));
}

// A box to tick, with its label; change(isTicked).
export function checkbox(label, ticked, change, attributes = {}) {
  const box = h("input", { type: "checkbox", change: () => change(box.checked) });
  box.checked = ticked;
  return h("label", attributes, box, label);
}

let described = 0;

// Link a picture to the sentences that describe it; missing ones are skipped.
export function describedBy(picture, ...sentences) {
  const ids = sentences.filter(Boolean).map((sentence) => (sentence.id ||= `seps-says-${(described += 1)}`));
  picture.setAttribute("aria-describedby", ids.join(" "));
}

// Mark those buttons as pressed that pass, and no others.
export function press(buttons, passes) {
  for (const element of buttons) element.setAttribute("aria-pressed", String(Boolean(passes(element))));
}

// Whether a person asked for as little movement as possible.
export function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Call a function once nothing asked for it for some milliseconds.
export function debounced(call, milliseconds) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
  later.stop = () => clearTimeout(timer);
  return later;
}

// Call a function at once, but not more often than every so many milliseconds; of calls in between the last one counts.
export function paced(call, milliseconds) {
  let [timer, last] = [0, -milliseconds];
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = performance.now();
      call(...values);
    }, last + milliseconds - performance.now());
  };
  later.stop = () => clearTimeout(timer);
  return later;
}
