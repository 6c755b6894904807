// Elements of the page, in HTML and in SVG. Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

// An element: functions are listeners, true an empty attribute, `style` CSS properties; null and false are left out.
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function button(attributes, ...children) {
  return h("button", { type: "button", ...attributes }, ...children);
}

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

// A table. heads: column names, null for none; rows: [attributes, name, ...cells]; a cell may be a table cell element.
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

export function press(buttons, passes) {
  for (const element of buttons) element.setAttribute("aria-pressed", String(Boolean(passes(element))));
}

// Whether a person asked for as little movement as possible.
export function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// A function that calls another one with its last arguments after wait() milliseconds; `stop` cancels the call.
function delayed(call, wait) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(call, wait(), ...values);
  };
  later.stop = () => clearTimeout(timer);
  return later;
}

// Call a function once it was not called for some milliseconds.
export const debounced = (call, milliseconds) => delayed(call, () => milliseconds);

// Call a function at once, but at most once in so many milliseconds; of the calls in between only the last one counts.
export function paced(call, milliseconds) {
  let last = -milliseconds;
  return delayed((...values) => {
    last = performance.now();
    call(...values);
  }, () => last + milliseconds - performance.now());
}
