// What the viewer and the comparison share: elements, canvases that fit, the scale, moving over patches.
window.SepsControls = (() => {
  "use strict";

  const HINT = "Arrow keys move over the patches.";

  // An element with attributes (functions become listeners, null and false are left out) and children.
  function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function button(attributes, ...children) {
    return h("button", { type: "button", ...attributes }, ...children);
  }

  // What stands where there is no picture: `nothing`, or what the value says to wait for; null where there is one.
  function missing(value, nothing) {
    if (value && !value.waiting) return null;
    return value ? h("p", { class: "seps-empty seps-waiting" }, value.waiting) : h("p", { class: "seps-empty" }, nothing);
  }

  // A component's mount: shows `props.value` inside `element` by build(root, value, trigger), which returns what ends
  // it, now and whenever `watch` tells that it changed; `nothing` where there is no value.
  function mounting(name, build, nothing) {
    return (element, props, trigger, watch) => {
      let dispose = () => {};
      const show = () => {
        dispose();
        const root = element.querySelector(`.${name}`) ?? element;
        root.classList.add("seps-view");
        const empty = missing(props.value, nothing);
        root.replaceChildren(...(empty ? [empty] : []));
        dispose = empty ? () => {} : build(root, props.value, trigger);
      };
      watch("value", show);
      show();
    };
  }

  // The photo as an image that can be drawn, once it is decoded.
  async function load(photo) {
    const image = new Image();
    image.src = photo.src;
    await image.decode();
    return image;
  }

  // Give a canvas a size in CSS pixels, sharp on the screen it is on.
  function resize(canvas, width, height) {
    const pixel = window.devicePixelRatio || 1;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.width = Math.max(1, Math.round(width * pixel));
    canvas.height = Math.max(1, Math.round(height * pixel));
  }

  // Call back with the element's width whenever it changes; returns what ends it.
  function onWidth(element, callback) {
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      if (width > 0) callback(width);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }

  // Let a pointer, a tap or the arrow keys choose a patch of a canvas; `current` tells the chosen one, `choose` is
  // given its index, or null. The patch stays chosen while the canvas has focus.
  function overPatches(canvas, [rows, columns], current, choose) {
    const under = (event) => {
      const box = canvas.getBoundingClientRect();
      const row = Math.floor((rows * (event.clientY - box.top)) / box.height);
      const column = Math.floor((columns * (event.clientX - box.left)) / box.width);
      return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : null;
    };
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && choose(under(event)));
    canvas.addEventListener("pointerdown", (event) => choose(under(event)));
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && document.activeElement !== canvas) choose(null);
    });
    canvas.addEventListener("blur", (event) => event.relatedTarget?.tagName !== "CANVAS" && choose(null));
    canvas.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      const patch = current();
      const row = patch === null ? 0 : Math.floor(patch / columns) + step[0];
      const column = patch === null ? 0 : (patch % columns) + step[1];
      choose(Math.max(0, Math.min(rows - 1, row)) * columns + Math.max(0, Math.min(columns - 1, column)));
    });
  }

  // The key of a layer: a colour scale with its label and the numbers at both ends, or what the mask's looks mean.
  function legend(record, layer, { opacity, range }) {
    const { SPARSE_ONLY, DENSE_ONLY, VIRIDIS } = SepsPicture;
    if (layer.name === "photo") return h("div", { class: "seps-legend" });
    if (layer.name === "mask") {
      const names = layer.branch === "both"
        ? [["kept", "both"], ["sparse", "sparse only"], ["dense", "dense only"], ["dropped", "none"]]
        : [["kept", "kept"], ["dropped", "dropped"]];
      const swatch = (look) => h("i", { class: `seps-swatch ${look}` });
      const meanings = names.map(([look, name]) => h("span", {}, swatch(look), name));
      const legend = h("div", { class: "seps-legend" }, ...meanings);
      legend.style.setProperty("--veil", opacity);
      legend.style.setProperty("--sparse", SPARSE_ONLY);
      legend.style.setProperty("--dense", DENSE_ONLY);
      return legend;
    }
    const { label, range: own } = SepsRecord.layerValues(record, layer);
    const [low, high] = range ?? own;
    const bar = h("i", { class: "seps-scale", "aria-hidden": "true" });
    bar.style.background = `linear-gradient(to right, ${VIRIDIS.filter((_, index) => index % 15 === 0).join(", ")})`;
    const end = (value, side) => h("output", { class: side, "data-value": value }, SepsRecord.number(value));
    return h(
      "div",
      { class: "seps-legend" },
      h("span", { class: "seps-scale-label" }, label),
      end(low, "low"), bar, end(high, "high"),
      layer.name !== "tokens" && SepsRecord.branchOf(record, layer).kept.includes(0)
        ? h("span", { class: "seps-cross" }, "× dropped") : null,
    );
  }

  // The link or the text that says whose photo it is.
  function credit({ title, credit: author, link, licence, licence_link: terms }) {
    const linked = (text, address) => (text && /^https?:/.test(address ?? "") ? h("a", { href: address, target: "_blank", rel: "noreferrer" }, text) : text);
    const told = [linked(author, link), linked(licence, terms)].filter(Boolean);
    const parts = told.flatMap((part, number) => [number ? ", " : title ? " · " : "", part]);
    return h("span", { class: "seps-credit" }, title, ...parts);
  }

  return { HINT, h, button, missing, mounting, load, resize, onWidth, overPatches, legend, credit };
})();
