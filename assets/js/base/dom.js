// Elements of the page, in HTML and in SVG. Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children: functions become listeners, true an empty attribute; null, undefined and
// false are left out.
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
    else if (!isNothing(value)) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => !isNothing(child)));
  return element;
}

const isNothing = (value) => value === null || value === undefined || value === false;

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
