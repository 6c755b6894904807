// Drawings in SVG: outlines on the grid, patches by score, the marks of the patch-word matrix, curves over an axis.
window.SepsCharts = (() => {
  "use strict";

  const SPACE = "http://www.w3.org/2000/svg";

  function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== null) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  const text = (x, y, anchor, words, attributes = {}) =>
    svg("text", { x, y, "text-anchor": anchor, ...attributes }, words);

  // Outlines on a picture of the grid: the border of the kept region; where another set was kept before, a plus on
  // patches gained and a minus, dashed, on patches lost.
  function outlines(record, kept, before) {
    const [rows, columns] = record.grid;
    const thin = { "vector-effect": "non-scaling-stroke" };
    const drawing = svg("svg", {
      viewBox: `0 0 ${columns} ${rows}`,
      preserveAspectRatio: "none",
      class: "seps-outlines",
    });
    const edges = [];
    const marks = [];
    kept.forEach((one, patch) => {
      const [row, column] = [Math.floor(patch / columns), patch % columns];
      if (column + 1 < columns && one !== kept[patch + 1]) edges.push(`M${column + 1} ${row}v1`);
      if (row + 1 < rows && one !== kept[patch + columns]) edges.push(`M${column} ${row + 1}h1`);
      if (!before || one === before[patch]) return;
      const square = { x: 0.09, y: 0.09, width: 0.82, height: 0.82, ...thin };
      marks.push(
        svg(
          "g",
          { class: one ? "seps-gained" : "seps-lost", "data-patch": patch, transform: `translate(${column} ${row})` },
          svg("rect", { class: "seps-under", ...square }),
          svg("rect", square),
          svg("path", { class: "seps-under", d: one ? "M.3 .5h.4M.5 .3v.4" : "M.3 .5h.4", ...thin }),
          svg("path", { d: one ? "M.3 .5h.4M.5 .3v.4" : "M.3 .5h.4", ...thin }),
        ),
      );
    });
    for (const name of ["seps-edge seps-under", "seps-edge"]) {
      drawing.append(svg("path", { class: name, d: edges.join(""), ...thin }));
    }
    drawing.append(...marks);
    return drawing;
  }

  // Patches from the highest score to the lowest, kept ones in the accent; the cut of the top k; the probability that
  // each would be drawn with and, of a draw, the gradient at it.
  function decision(branch, { width, height }, type, drawn, probability, slope) {
    const order = Array.from(branch.rank.keys()).sort((one, other) => branch.rank[one] - branch.rank[other]);
    const scores = order.map((patch) => branch.score[patch]);
    const [low, high] = [Math.min(0, ...scores), Math.max(0, ...scores)];
    const left = 2.8 * type;
    const right = width - (probability ? 2.4 : 0.4) * type;
    const [top, bottom] = [3.2 * type, height - 2 * type];
    const x = (place) => left + (place * (right - left)) / order.length;
    const y = (value) => bottom - ((value - low) * (bottom - top)) / (high - low || 1);
    const drawing = svg("svg", {
      class: "seps-chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-size": type,
    });
    const step = (right - left) / order.length;
    order.forEach((patch, place) => {
      const [from, to] = [y(Math.max(0, scores[place])), y(Math.min(0, scores[place]))];
      drawing.append(
        svg("rect", {
          x: x(place) + 0.08 * step,
          width: 0.84 * step,
          y: from,
          height: Math.max(1, to - from),
          "data-patch": patch,
          class: branch.kept[patch] ? "seps-bar-kept" : "seps-bar-dropped",
        }),
      );
    });
    drawing.append(svg("path", { class: "seps-axis", d: `M${left} ${top}V${bottom}M${left} ${y(0)}H${right}` }));
    for (const value of low < 0 ? [low, 0, high] : [0, high]) {
      drawing.append(text(left - 0.4 * type, y(value) + 0.35 * type, "end", value.toFixed(2)));
    }
    drawing.append(text(left, type, "start", "score"));
    drawing.append(
      text(left, bottom + 1.5 * type, "start", "first"),
      text(right, bottom + 1.5 * type, "end", `${order.length}th`),
    );
    const kept = branch.kept.reduce((sum, one) => sum + one, 0);
    if (!drawn) {
      const cut = x(kept);
      const late = kept > 0.6 * order.length;
      drawing.append(
        svg("path", { class: "seps-cut", d: `M${cut} ${1.6 * type}V${bottom + 0.5 * type}`, "data-kept": kept }),
      );
      const label = `cut after ${kept}: score ${scores[kept - 1].toFixed(3)}`;
      const at = cut + (late ? -0.5 : 0.5) * type;
      drawing.append(text(at, 2.4 * type, late ? "end" : "start", label, { class: "seps-strong" }));
    }
    if (probability) {
      const at = (share) => bottom - share * (bottom - top);
      const points = order.map((patch, place) => `${x(place + 0.5)},${at(probability[patch])}`).join(" ");
      drawing.append(svg("polyline", { class: "seps-chance", points }));
      if (slope) {
        const most = Math.max(...slope);
        const dots = order.map((patch, place) => `M${x(place + 0.5)} ${at(slope[patch] / (most || 1))}h0`).join("");
        drawing.append(svg("path", { class: "seps-slope", d: dots }));
        const label = `dots: gradient of the decision, up to ${most.toPrecision(3)}`;
        drawing.append(
          text(right + 2.2 * type, 2.4 * type, "end", label, { class: "seps-chance-name", "data-slope": most }),
        );
      }
      drawing.append(svg("path", { class: "seps-axis", d: `M${right} ${top}V${bottom}` }));
      for (const share of [0, 0.5, 1]) {
        drawing.append(text(right + 0.4 * type, at(share) + 0.35 * type, "start", String(share)));
      }
      drawing.append(
        text(right + 2.2 * type, type, "end", "keep probability, Gumbel-Softmax", { class: "seps-chance-name" }),
      );
    }
    return drawing;
  }

  // Marks over the patch-word matrix, `rect` wide and high: a square where a word (a row) has its best token, a dot
  // where a token (a column) has its best word.
  function maxima(alignment, { width, height }, chosen) {
    const [words, tokens] = [alignment.words.length, alignment.tokens.length];
    const [wide, tall] = [width / tokens, height / words];
    const drawing = svg("svg", { class: "seps-marks", width, height, viewBox: `0 0 ${width} ${height}` });
    alignment.best_word.forEach((word, token) => {
      const [cx, cy, r] = [(token + 0.5) * wide, (word + 0.5) * tall, Math.max(1.5, Math.min(wide, tall) / 5)];
      drawing.append(svg("circle", { cx, cy, r, "data-token": token, "data-word": word }));
    });
    alignment.best_token.forEach((token, word) => {
      const square = {
        x: token * wide + 1,
        y: word * tall + 1,
        width: Math.max(1, wide - 2),
        height: Math.max(1, tall - 2),
      };
      drawing.append(svg("rect", { ...square, class: "seps-under" }));
      drawing.append(svg("rect", { ...square, "data-token": token, "data-word": word }));
    });
    drawing.append(svg("rect", { class: "seps-chosen", x: 0, y: chosen * tall, width, height: tall }));
    return drawing;
  }

  // Curves over an axis. lines: [{name, label, values, dashed}] over `xs`; marks: a vertical line at `at`.
  function curves({ xs, lines, at, width, height, type, names, low = null, high = null }) {
    const all = lines.flatMap(({ values }) => values);
    const [bottomValue, topValue] = [low ?? Math.min(0, ...all), high ?? Math.max(...all, 1e-9)];
    const [left, right, top, bottom] = [3.4 * type, width - 0.8 * type, 1.8 * type, height - 2.6 * type];
    const x = (value) => left + ((value - xs[0]) * (right - left)) / (xs[xs.length - 1] - xs[0]);
    const y = (value) => bottom - ((value - bottomValue) * (bottom - top)) / (topValue - bottomValue);
    const drawing = svg("svg", {
      class: "seps-chart",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-size": type,
    });
    drawing.append(
      svg("path", {
        class: "seps-axis",
        d: `M${left} ${top}V${bottom}M${left} ${y(Math.max(0, bottomValue))}H${right}`,
      }),
    );
    const ticks = bottomValue < 0 ? [bottomValue, 0, topValue] : [bottomValue, (bottomValue + topValue) / 2, topValue];
    for (const value of ticks) {
      drawing.append(svg("path", { class: "seps-grid", d: `M${left} ${y(value)}H${right}` }));
      drawing.append(text(left - 0.4 * type, y(value) + 0.35 * type, "end", Number(value.toPrecision(2)).toString()));
    }
    for (const share of [0, 0.5, 1]) {
      const value = xs[0] + share * (xs[xs.length - 1] - xs[0]);
      drawing.append(
        text(
          x(value),
          bottom + 1.2 * type,
          ["start", "middle", "end"][2 * share],
          String(Number(value.toPrecision(3))),
        ),
      );
    }
    drawing.append(
      text((left + right) / 2, height - 0.3 * type, "middle", names[0]),
      text(0, 0.9 * type, "start", names[1]),
    );
    for (const { name, values, dashed } of lines) {
      const points = values.map((value, index) => `${x(xs[index])},${y(value)}`).join(" ");
      drawing.append(
        svg("polyline", { points, class: "seps-curve", "data-curve": name, "stroke-dasharray": dashed ?? null }),
      );
    }
    drawing.append(svg("path", { class: "seps-cut", d: `M${x(at)} ${top}V${bottom}`, "data-at": at }));
    return { drawing, x, y };
  }

  return { svg, text, outlines, decision, maxima, curves };
})();
