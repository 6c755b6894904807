// Keyboard focus: it survives redrawing, and many buttons in a row are one tab stop.

const CONTROLS = "button, input, select, summary, a[href], [tabindex]";

const identity = ({ tagName, dataset, ariaLabel }) => JSON.stringify([tagName, dataset, ariaLabel]);

// Redraw a root and restore its focused element.
export function keepingFocus(root, draw) {
  const alike = (key) => [...root.querySelectorAll(CONTROLS)].filter((element) => identity(element) === key);
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const key = focused && identity(focused);
  const place = focused && alike(key).indexOf(focused);
  draw();
  if (!focused || root.contains(document.activeElement)) return;
  const others = alike(key);
  (others[place] ?? others[0])?.focus({ preventScroll: true });
}

// Whether a key is pressed with one that makes it the browser's, such as Alt and the left arrow for Back.
export const isShortcut = (event) => event.altKey || event.ctrlKey || event.metaKey;

// Let the arrow keys, Home and End move among the buttons of a group, which is one tab stop; `columns` of a grid.
export function roving(group, selector, columns = 0) {
  const items = () => [...group.querySelectorAll(selector)];
  const stopAt = (item) => items().forEach((other) => (other.tabIndex = other === item ? 0 : -1));
  const steps = { ArrowLeft: -1, ArrowRight: 1, ...(columns ? { ArrowUp: -columns, ArrowDown: columns } : {}) };
  group.addEventListener("focusin", ({ target }) => {
    const item = target.closest(selector);
    if (item) stopAt(item);
  });
  group.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(event.target);
    const to = { Home: 0, End: all.length - 1 }[event.key] ?? at + steps[event.key];
    if (at < 0 || !all[to] || isShortcut(event)) return;
    event.preventDefault();
    all[to].focus();
  });
  stopAt(items().find((item) => item.getAttribute("aria-pressed") === "true") ?? items()[0]);
}
