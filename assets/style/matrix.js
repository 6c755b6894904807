// The playground's tables: the similarities of a batch with its violations, and captions that no class list foresaw.
window.SepsMatrix = (() => {
  "use strict";

  const h = (...rest) => SepsControls.h(...rest);

  // Which looks a pair has: a true one, one masked as of the same photo, one that violates the margin.
  function looks(value, row, column) {
    if (row === column) return "seps-true";
    return value.excluded[row][column] ? "seps-masked" : null;
  }

  // Arrows: along the row (other captions of the photo), along the column (other photos of the caption).
  function arrows(value, row, column) {
    return [
      ["to_captions", "counted_captions", "→", "along the row"],
      ["to_images", "counted_images", "↓", "along the column"],
    ]
      .filter(([amounts]) => value[amounts][row][column] > 0)
      .map(([amounts, counted, sign, way]) => ({
        sign,
        way,
        amount: value[amounts][row][column],
        counted: value[counted][row][column],
      }));
  }

  // Photos by captions; `choose` is given a pair [row, column].
  function table(value, choose) {
    const all = value.similarity.flat();
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const cell = (similarity, row, column) => {
      const found = arrows(value, row, column);
      const signs = found.map(({ sign, counted }) =>
        h("i", { class: counted ? "seps-counted" : "seps-uncounted" }, sign),
      );
      const one = SepsControls.button(
        {
          "aria-label": told(value, row, column).join(" "),
          click: () => choose([row, column]),
          pointerenter: (event) => event.pointerType === "mouse" && choose([row, column]),
          focus: () => choose([row, column]),
        },
        h("span", {}, similarity.toFixed(2).replace(/^-(0\.00)$/, "$1")),
        h("span", { class: "seps-arrows", "aria-hidden": "true" }, ...signs),
      );
      const box = h(
        "td",
        {
          "data-row": row,
          "data-column": column,
          "data-similarity": similarity,
          class: looks(value, row, column),
          "data-violates": found.map(({ sign }) => sign).join(""),
          "data-counted": found
            .filter(({ counted }) => counted)
            .map(({ sign }) => sign)
            .join(""),
        },
        one,
      );
      box.style.setProperty("--share", `${Math.round((45 * (similarity - low)) / (high - low || 1))}%`);
      return box;
    };
    const head = value.captions.map(({ text }, index) => h("th", { scope: "col", title: text }, String(index + 1)));
    const rows = value.similarity.map((row, index) =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h(
            "span",
            {},
            String(index + 1),
            h("img", { src: value.photos[index].thumb, alt: "" }),
            h("em", {}, value.photos[index].title),
          ),
        ),
        ...row.map((similarity, column) => cell(similarity, index, column)),
      ),
    );
    return h(
      "table",
      {},
      h("caption", {}, "Similarity of photos (rows) and captions (columns); pair 1 with 1, 2 with 2, and so on"),
      h("thead", {}, h("tr", {}, h("td", {}), ...head)),
      h("tbody", {}, ...rows),
    );
  }

  function key() {
    const entry = (node, text) => h("span", {}, node, text);
    return h(
      "p",
      { class: "seps-matrix-key" },
      entry(h("b", { class: "seps-true" }), "true pair"),
      entry(h("b", { class: "seps-masked" }), "no negative (same photo)"),
      entry(h("i", { class: "seps-counted" }, "→ ↓"), "violates along its row or column"),
      entry(h("i", { class: "seps-uncounted" }, "→ ↓"), "not counted"),
    );
  }

  // A pair in words.
  function told(value, row, column) {
    const first = `Photo ${row + 1}, caption ${column + 1}: S = ${value.similarity[row][column].toFixed(3)}.`;
    if (row === column) return [first, "The true pair: the others are measured against it."];
    if (value.excluded[row][column]) return [first, "Masked: the caption was written for this photo too."];
    const found = arrows(value, row, column);
    if (!found.length) return [first, "Beaten by the margin both ways: adds nothing."];
    return [
      first,
      ...found.map(
        ({ way, amount, counted }) => `Violates ${way} by ${amount.toFixed(3)}${counted ? "" : ", not counted"}.`,
      ),
    ];
  }

  function unforeseen({ classes, class_list: list, examples }) {
    const cards = examples.map((one) =>
      h(
        "figure",
        { "data-subject": one.subject, "data-rank": one.rank },
        h("img", { src: one.thumb, alt: one.title }),
        h(
          "figcaption",
          {},
          h("p", { class: "seps-quote" }, `“${one.caption}”`),
          h(
            "p",
            {},
            one.named_by.length
              ? `Classes with “${one.subject}”: ${one.named_by.join(", ")}`
              : `No class says “${one.subject}”`,
          ),
          h(
            "p",
            {},
            "Its photo ranks ",
            h("b", {}, `${one.rank} of ${one.total}`),
            `: ${one.score.toFixed(2)} against ${one.other_score.toFixed(2)} (${one.best_other})`,
          ),
        ),
      ),
    );
    const said =
      `Cross-entropy needs a class for every answer. ${list} has ${classes.toLocaleString("en")}` +
      `${examples.some((one) => one.named_by.length) ? "" : ", and none names these subjects"}; ` +
      "a ranking asks only which photo fits the caption better.";
    return [h("p", {}, said), h("div", { class: "seps-cards" }, ...cards)];
  }

  return { table, key, told, unforeseen };
})();
