// The pictures of the lesson's last four steps: aggregation, all tokens, the patch-word matrix, the sum. See steps.js.
window.SepsTokens = (() => {
  "use strict";

  const h = (...rest) => SepsControls.h(...rest);
  const {
    heading, footing, patches, valued, masked, legend, branchOf, countKept, maskLegend, spread, tileOf, grown, named,
  } = SepsSteps;

  const highest = (values) => values.reduce((one, other) => Math.max(one, other), 0);
  const alignmentOf = (c) => c.record.alignments.find(({ caption }) => caption === c.branch) ?? c.record.alignments[0];
  const italic = (letter, below) => [h("i", {}, letter), h("sub", {}, below)];

  // 5: one aggregated token's weights over the photo, and those of all.
  function aggregation(c) {
    const { layout: { home, side, type, line }, record } = c;
    const branch = branchOf(c);
    const kept = countKept(branch.kept);
    const rows = branch.aggregation_weights;
    const flow = [`${branch.kept.length} patches → ${kept} kept → ${rows.length} tokens`];
    if (!rows.length) {
      const none = h("p", { class: "seps-aside" }, "This branch merges no tokens of its own here.");
      return {
        sprites: new Map(patches(c, home, masked(branch))),
        notes: [heading(c, "home", home, SepsRecord.keptCount(branch)), { key: "none", rect: side, node: none }],
      };
    }
    const token = Math.min(c.token, rows.length - 1);
    const range = [0, highest(rows[token])];
    const sprites = new Map(patches(c, home, valued(c, rows[token], range)));
    const notes = [
      heading(c, "home", home, `Aggregated token ${token + 1} of ${rows.length}`),
      footing(c, "home-legend", home, legend(c, named(c, "score"), range, "weight")),
      heading(c, "side", side, ...flow),
      { key: "outlines", rect: home, node: SepsCharts.outlines(record, branch.kept, null) },
    ];
    const all = { x: side.x, y: side.y, width: side.width, height: side.height - 0.3 * line };
    const tiles = spread(rows.length, all, home.height / home.width, 0.35 * type);
    tiles.forEach((rect, index) => sprites.set(`tile:${index}`, {
      ...rect,
      image: tileOf(c, `${branch.name}:${index}`, rows[index], [0, highest(rows[index])], rect, String(index + 1)),
      from: "patch:0",
    }));
    notes.push({ key: "ring", rect: grown(tiles[token], 2), node: h("div", { class: "seps-ring" }) });
    return { sprites, notes };
  }

  // The place of all tokens in one row, the same above the patch-word matrix; on a narrow stage steps 6 has several.
  function row(c, count) {
    const { layout: { rest, type, narrow } } = c;
    const label = Math.min(5.5 * type, 0.24 * rest.width);
    const width = rest.width - label - (narrow ? 3 : 4) * type;
    const size = Math.min(width / count, 3.4 * type);
    const tall = Math.max(size, 1.1 * type);
    return {
      size, tall, label,
      tiles: Array.from({ length: count }, (_, index) => ({
        x: rest.x + label + index * size, y: rest.y, width: size, height: tall,
      })),
    };
  }

  const gapped = ({ x, y, width, height }, gap) => ({ x, y, width: Math.max(1, width - gap), height: Math.max(1, height - gap) });

  // Tokens as tiny maps on places; one without weights ([CLS], or an extra token of nothing) stays empty.
  function tiles(c, alignment, places, numbered) {
    const shares = alignment.token_weights.map((row) => [row, highest(row)]);
    return shares.flatMap(([weights, most], index) => {
      if (most === 0) return [];
      const aggregated = /^aggregated (\d+)$/.exec(alignment.tokens[index]);
      const rect = gapped(places[index], 1);
      const key = `${alignment.caption}:all:${index}`;
      const image = tileOf(c, key, weights, [0, most], rect, numbered && aggregated ? aggregated[1] : "");
      const id = aggregated ? `tile:${aggregated[1] - 1}` : `tile:${alignment.tokens[index]}`;
      return [[id, { ...rect, image, from: "patch:0" }]];
    });
  }

  const empty = (alignment, places) => alignment.token_weights.flatMap((weights, index) => (highest(weights) > 0 ? [] : [{
    key: `empty:${index}`, rect: gapped(places[index], 1), node: h("div", { class: "seps-empty-tile" }),
  }]));

  // 6: [CLS], aggregated and extra tokens in one row, two of them large.
  function together(c) {
    const { layout: { corner, rest, type, line, narrow }, record } = c;
    const alignment = alignmentOf(c);
    const branch = branchOf(c);
    const count = alignment.tokens.length;
    const merged = count - 1 - Number(record.has_cls);
    const { tiles: inRow, label, tall } = row(c, count);
    const aspect = corner.height / corner.width;
    const upper = { ...rest, height: 0.5 * rest.height };
    const places = narrow ? spread(count, upper, aspect, 0.2 * type) : inRow;
    const sprites = new Map(patches(c, corner, masked(branch)));
    for (const [id, sprite] of tiles(c, alignment, places, narrow)) sprites.set(id, sprite);
    const sum = record.has_cls ? `1 + ${merged} + 1 = ${count}` : `${merged} + 1 = ${count}`;
    const parts = `${record.has_cls ? "[CLS], " : ""}${merged} aggregated, 1 extra`;
    const notes = [
      heading(c, "home", corner, "Kept and dropped"),
      footing(c, "home-legend", corner, maskLegend(c, branch, null)),
      heading(c, "side", rest, h("b", { "data-tokens": count }, `${sum} tokens`), `: ${parts}`),
      ...empty(alignment, places),
    ];
    if (!narrow) {
      notes.push({
        key: "row", rect: { x: rest.x, y: rest.y, width: label - 0.5 * type, height: tall },
        node: h("p", { class: "seps-aside seps-right" }, "all tokens"),
      });
    }
    const below = (narrow ? upper.y + upper.height : rest.y + tall) + 2.6 * line;
    const start = narrow ? rest.x : rest.x + label;
    const gap = 2.4 * type;
    const large = Math.min((rest.x + rest.width - start) / 2 - gap / 2, (rest.y + rest.height - below - 1.4 * line) / aspect);
    const token = Math.min(c.token, Math.max(0, merged - 1));
    const extra = count - 1;
    const chosen = merged ? [[token + Number(record.has_cls), `Aggregated token ${token + 1}`]] : [];
    [...chosen, [extra, "Extra token"]].forEach(([index, name], place) => {
      const rect = {
        x: start + place * Math.max(large + gap, Math.min(15 * type, 0.5 * (rest.x + rest.width - start))), y: below, width: large, height: large * aspect,
      };
      const weights = alignment.token_weights[index];
      const most = highest(weights);
      notes.push(heading(c, `large:${place}`, rect, name));
      if (most === 0) {
        notes.push({ key: `void:${place}`, rect, node: h("div", { class: "seps-empty-tile" }) });
        return;
      }
      const image = tileOf(c, `${alignment.caption}:all:${index}`, weights, [0, most], rect);
      sprites.set(`large:${place}`, { ...rect, image, from: index === extra ? "tile:extra" : `tile:${token}` });
      notes.push(footing(c, `scale:${place}`, rect, legend(c, "score", [0, most], "weight")));
    });
    if (merged) {
      const ring = grown(places[token + Number(record.has_cls)], 2);
      notes.push({ key: "ring", rect: ring, node: h("div", { class: "seps-ring" }) });
    }
    return { sprites, notes };
  }

  // 7: every token against every word; the best of each, and the K best of those.
  function matrix(c) {
    const { layout: { corner, rest, type, line, narrow }, record, value } = c;
    const alignment = alignmentOf(c);
    const [tokens, words] = [alignment.tokens.length, alignment.words.length];
    const { tiles: places, size, tall, label } = row(c, tokens);
    const word = Math.min(c.word, words - 1);
    const paper = record.variant === "paper";
    const lines = (paper ? 3.4 : 2.4) + (narrow ? 3 : 0);
    const bars = 2 * type;
    const grid = {
      x: rest.x + label, y: rest.y + tall + 0.4 * type, width: size * tokens,
      height: Math.min(rest.height - tall - bars - lines * line, words * 2.4 * type),
    };
    const high = grid.height / words;
    const map = alignment.word_maps[word];
    const most = highest(map);
    const sprites = new Map(patches(c, corner, most > 0 ? valued(c, map, [0, most]) : undefined));
    for (const [id, sprite] of tiles(c, alignment, places, false)) sprites.set(id, sprite);
    const range = extremes(alignment.matrix);
    sprites.set("matrix", {
      ...grid, sharp: true, image: SepsScene.cells(words, tokens, (row, column) => alignment.matrix[column][row], range),
    });
    const said = alignment.words[word];
    const best = alignment.best_token[word];
    const notes = [
      heading(c, "home", corner, `Where “${said.replace(/^##(?=.)/, "")}” looks`),
      footing(c, "home-legend", corner, h("p", { class: "seps-aside", "data-best": best }, `${alignment.tokens[best]}: ${alignment.matrix[best][word].toFixed(3)}`)),
      heading(c, "side", rest, `${tokens} tokens × ${words} words`),
      ...empty(alignment, places),
      { key: "marks", rect: grid, node: SepsCharts.maxima(alignment, grid, word) },
    ];
    const scale = legend(c, "score", range, paper ? "cosine" : "leaky cosine");
    if (!narrow) notes.push(heading(c, "scale", { ...rest, x: rest.x + 0.5 * rest.width, width: 0.5 * rest.width }, scale));
    if (high >= 10) {
      alignment.words.forEach((name, index) => {
        const node = h("p", { class: index === word ? "seps-word-name seps-strong" : "seps-word-name" }, name.replace(/^##(?=.)/, ""));
        node.style.fontSize = `${Math.min(type, 0.92 * high)}px`;
        notes.push({ key: `word:${index}`, rect: { x: rest.x, y: grid.y + index * high, width: label - 0.4 * type, height: high }, node });
      });
    }
    const ofWord = Array.from(alignment.best_token, (token, index) => alignment.matrix[token][index]);
    const ofToken = Array.from(alignment.best_word, (index, token) => alignment.matrix[token][index]);
    const k = paper ? value.knobs.top_k : 0;
    const top = highest([...ofWord, ...ofToken]);
    const [bestWords, bestTokens] = [topK(ofWord, k), topK(ofToken, k)];
    const bar = (share, chosen, name) => {
      const piece = h("i", { class: chosen ? "seps-best" : null });
      piece.style[name] = `${Math.max(0, 100 * share)}%`;
      return piece;
    };
    const side = h("div", { class: "seps-gutter seps-rows" }, ...ofWord.map((one, index) => bar(one / top, bestWords.includes(index), "width")));
    const under = h("div", { class: "seps-gutter seps-columns" }, ...ofToken.map((one, index) => bar(one / top, bestTokens.includes(index), "height")));
    const right = grid.x + grid.width + 0.5 * type;
    notes.push({ key: "rows", rect: { x: right, y: grid.y, width: c.layout.width - right, height: grid.height }, node: side });
    notes.push({ key: "columns", rect: { x: grid.x, y: grid.y + grid.height + 0.3 * type, width: grid.width, height: bars }, node: under });
    const terms = record.terms;
    const name = alignment.caption;
    const told = (kind, values, chosen, mean, relevance) => h(
      "div",
      { class: "seps-best-line", "data-best-of": kind },
      h("p", {}, `Mean of ${values.length} ${kind} maxima: `, h("b", { "data-mean": mean }, mean.toFixed(4))),
      paper ? h("p", {}, `Top ${Math.min(k, values.length)} → MLP: `, h("b", { "data-relevance": relevance }, signed(relevance))) : "",
      paper ? h("p", { class: "seps-aside", "data-top": chosen.map((one) => values[one]).join(" ") }, shortList(chosen.map((one) => values[one]))) : "",
    );
    const foot = { x: rest.x, y: grid.y + grid.height + bars + 0.6 * type, width: rest.width, height: lines * line };
    const sign = (name, text) => h("span", {}, h("i", { class: name }), text);
    const key = h(
      "p",
      { class: "seps-key" },
      sign("seps-square", "best token of a word"), sign("seps-dot", "best word of a token"),
      paper ? sign("seps-best", `${k} highest maxima`) : "",
    );
    notes.push({
      key: "best",
      rect: foot,
      node: h(
        "div",
        { class: "seps-best-lines" },
        key,
        told("token", ofToken, bestTokens, terms[`${name} patch-to-word mean`], terms[`${name} patch relevance`]),
        told("word", ofWord, bestWords, terms[`${name} word-to-patch mean`], terms[`${name} word relevance`]),
      ),
    });
    return { sprites, notes };
  }

  const shortList = (values) => values.slice(0, 5).map((one) => one.toFixed(2)).join(" ") + (values.length > 5 ? " …" : "");
  const signed = (value) => (value < 0 ? "" : "+") + value.toFixed(4);

  function extremes(rows) {
    let [low, high] = [Infinity, -Infinity];
    for (const row of rows) for (const value of row) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return [low, high];
  }

  // Where the k highest values stand, from the highest.
  function topK(values, k) {
    return Array.from(values.keys()).sort((one, other) => values[other] - values[one] || one - other).slice(0, k);
  }

  // 8: the terms, one added after the other, and the rank. `c.play` lets them come one by one.
  function similarity(c) {
    const { layout: { corner, rest, line }, record, value } = c;
    const terms = Object.entries(record.terms);
    let sum = 0;
    const steps = terms.map(([name, term]) => ({ name, term, from: sum, to: (sum += term) }));
    const [low, high] = [Math.min(0, ...steps.map(({ to }) => to)), Math.max(0, ...steps.map(({ to }) => to))];
    const at = (one) => (100 * (one - low)) / (high - low || 1);
    const items = steps.map(({ name, term, from, to }, index) => {
      const piece = h("i", { class: term < 0 ? "seps-less" : null });
      piece.style.left = `${at(Math.min(from, to))}%`;
      piece.style.width = `${Math.abs(at(to) - at(from))}%`;
      const item = h(
        "li",
        { "data-term": name, "data-value": term },
        h("span", { class: "seps-term" }, record.alignments.length > 1 ? name : name.replace(/^sparse /, "")),
        h("b", {}, signed(term)),
        h("span", { class: "seps-lane" }, piece),
        h("output", { "data-sum": to }, to.toFixed(4)),
      );
      item.style.setProperty("--turn", index);
      return item;
    });
    const total = h("p", { class: "seps-total" }, h("i", {}, "S(I, T)"), " = ", h("output", { "data-similarity": record.similarity }, record.similarity.toFixed(4)));
    total.style.setProperty("--turn", terms.length);
    const standing = SepsKnobs.standing(value);
    standing.style.setProperty("--turn", terms.length + 1);
    const place = { x: rest.x, y: rest.y - line, width: rest.width, height: rest.height + line };
    return {
      sprites: new Map(patches(c, corner, masked(branchOf(c)))),
      notes: [
        heading(c, "home", corner, value.photo.title || "The photo"),
        { key: "sum", rect: place, node: h("div", { class: `seps-sum${c.play ? " seps-play" : ""}` }, h("p", { class: "seps-quote" }, `“${value.caption}”`), h("ol", {}, ...items), total, standing) },
      ],
    };
  }

  return { pictures: [aggregation, together, matrix, similarity] };
})();
