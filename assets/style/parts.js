// Parts of the viewer: the caption as buttons, the terms of the similarity as a bar, the tokens as small multiples.
window.SepsParts = (() => {
  "use strict";

  const h = (...rest) => SepsControls.h(...rest);
  const button = (...rest) => SepsControls.button(...rest);
  const GAP = 4; // CSS pixels between small multiples
  const SMALLEST = 44; // CSS pixels, their least width

  // The words as buttons; pieces of one word stand together. `preview` is given the index of the word under the
  // pointer or with focus, or null; `pin` that of a clicked one. `light(lit, pinned)` marks words by index.
  function caption(words, { preview, pin }) {
    const element = h("div", { class: "seps-words", role: "group", "aria-label": "Words of the caption" });
    const buttons = words.map((word, index) => button({
      "data-word": index,
      class: /^\[.+\]$/.test(word) ? "seps-special" : null,
      pointerenter: (event) => event.pointerType === "mouse" && preview(index),
      pointerleave: (event) => event.pointerType === "mouse" && preview(null),
      focus: (event) => event.target.matches(":focus-visible") && preview(index),
      blur: () => preview(null),
      click: () => pin(index),
    }, word.replace(/^##(?=.)/, "")));
    buttons.forEach((one, index) => {
      const continues = index > 0 && /^##./.test(words[index]);
      if (!continues) element.append(h("span", { class: "seps-word" }));
      element.lastChild.append(one);
    });
    const light = (lit, pinned) => buttons.forEach((one, index) => {
      one.classList.toggle("seps-lit", index === lit);
      one.setAttribute("aria-pressed", index === pinned);
    });
    return { element, light };
  }

  // The terms laid end to end from 0: those that add, then, hatched, those that take away, back to the similarity.
  function terms(record) {
    const entries = Object.entries(record.terms).map(([name, value], index) => ({ name, value, index }));
    const order = [...entries.filter(({ value }) => value >= 0), ...entries.filter(({ value }) => value < 0)];
    let end = 0;
    const segments = order.map((term) => ({ ...term, from: end, to: (end += term.value) }));
    const low = Math.min(0, ...segments.map(({ to }) => to));
    const high = Math.max(0, ...segments.map(({ to }) => to));
    const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 0);
    const segment = ({ name, value, index, from, to }) => {
      const piece = h("i", { class: value < 0 ? "seps-less" : "seps-more", "data-tint": index % 4, title: name });
      piece.style.left = `${at(Math.min(from, to))}%`;
      piece.style.width = `${at(Math.max(from, to)) - at(Math.min(from, to))}%`;
      return piece;
    };
    const mark = (name, value) => {
      const line = h("b", { class: name });
      line.style.left = `${at(value)}%`;
      return line;
    };
    const marks = [mark("seps-zero-mark", 0), mark("seps-sum-mark", record.similarity)];
    const short = record.alignments.length > 1 ? (name) => name : (name) => name.replace(/^sparse /, "");
    const item = ({ name, value, index }) => h(
      "li",
      { "data-term": name, "data-value": value },
      h("i", { class: value < 0 ? "seps-less" : "seps-more", "data-tint": index % 4 }),
      h("span", {}, short(name)),
      h("b", {}, (value < 0 ? "" : "+") + value.toFixed(4)),
    );
    const total = h("output", { "data-similarity": record.similarity }, record.similarity.toFixed(4));
    return h(
      "div",
      { class: "seps-terms" },
      h("p", {}, h("i", {}, "S(I, T)"), " ", total),
      h("div", { class: "seps-bar", "aria-hidden": "true" }, ...segments.map(segment), ...marks),
      h("ol", {}, ...entries.map(item)),
    );
  }

  // Every aggregated token of the layer's branch, all on one scale, as large as `room` [width, height] lets them be;
  // `outline` is given each canvas, to draw over it.
  function multiples(place, photo, record, layer, { opacity, room, outline, choose }) {
    const { aggregation_weights: rows } = SepsRecord.branchOf(record, layer);
    const { range } = SepsRecord.layerValues(record, layer);
    const size = (columns) => {
      const width = Math.floor((room[0] - GAP * (columns - 1)) / columns);
      return [width, Math.max(1, Math.round((width * photo.naturalHeight) / photo.naturalWidth))];
    };
    const most = Math.max(1, Math.floor((room[0] + GAP) / (SMALLEST + GAP)));
    let columns = 1;
    while (columns < most && Math.ceil(rows.length / columns) * (size(columns)[1] + GAP) > room[1]) columns += 1;
    place.style.gap = `${GAP}px`;
    place.style.gridTemplateColumns = `repeat(${columns}, max-content)`;
    place.setAttribute("aria-label", SepsRecord.describe(record, SepsRecord.layerText(layer)));
    if (place.childElementCount !== rows.length) {
      place.replaceChildren(...rows.map((_, index) => button(
        { "data-token": index + 1, "aria-label": `Aggregated token ${index + 1}`, click: () => choose(index + 1) },
        h("canvas", {}),
        h("span", { "aria-hidden": "true" }, String(index + 1)),
      )));
    }
    rows.forEach((_, index) => {
      const canvas = place.children[index].firstChild;
      SepsControls.resize(canvas, ...size(columns));
      const text = SepsRecord.layerText({ ...layer, name: "token", number: index + 1 });
      SepsPicture.drawLayer(canvas, photo, record, text, { opacity, lines: false, range });
      outline(canvas);
    });
  }

  return { caption, terms, multiples };
})();
