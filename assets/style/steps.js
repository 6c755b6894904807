// The pictures of the lesson's first four steps: photo, caption, scores, decision. Each is a function of
// what is shown, {value, record, photo, layout, branch, token, word, opacity}, to {sprites, notes}: see scene.js.
window.SepsSteps = (() => {
  "use strict";

  const h = (...rest) => SepsControls.h(...rest);
  const { outlines } = SepsCharts;
  const VEILED = 0.82; // of the veil over dropped patches

  // Where things stand on a stage: `home` is the photo's place in the first five steps and `side` the place beside it;
  // `corner` and `rest` are those of the last three. `type` is the size of the letters.
  function layout(width, height, type, aspect) {
    const narrow = width < 600;
    const line = 1.7 * type;
    const place = (share, tall) => {
      const most = [share * width, tall];
      const wide = Math.min(most[0], most[1] / aspect);
      return { x: 0, y: line, width: wide, height: wide * aspect };
    };
    const beside = (one, gap) => {
      const x = Math.max(one.width, 13 * type) + gap; // words over a narrow picture need room too
      return { x, y: line, width: width - x, height: height - line };
    };
    const below = (one) => {
      const y = one.y + one.height + 2.2 * line;
      return { x: 0, y, width, height: height - y };
    };
    const home = place(narrow ? 1 : 0.44, narrow ? 0.36 * height : height - 2.2 * line);
    const corner = place(narrow ? 0.5 : 0.24, narrow ? 0.24 * height : height - 2.2 * line);
    const gap = 2.4 * type;
    return {
      width, height, type, line, narrow, home, corner,
      side: narrow ? below(home) : beside(home, gap),
      rest: narrow ? below(corner) : beside(corner, gap),
    };
  }

  const heading = (c, key, rect, ...text) => ({
    key,
    rect: {
      x: rect.x,
      y: rect.y - c.layout.line,
      width: Math.min(Math.max(rect.width, 14 * c.layout.type), c.layout.width - rect.x),
      height: c.layout.line,
    },
    node: h("p", { class: "seps-heading" }, ...text),
  });

  // What stands under a picture.
  const footing = (c, key, rect, node) => ({
    key,
    rect: {
      x: rect.x + 1,
      y: rect.y + rect.height + 0.25 * c.layout.type,
      width: Math.min(Math.max(rect.width, 16 * c.layout.type), c.layout.width - rect.x - 1),
      height: c.layout.line,
    },
    node,
  });

  // The patches of the photo on a place, `gap` apart as a share of a patch; `paint` tells what covers each.
  function patches(c, rect, paint = () => ({}), gap = 0) {
    const [rows, columns] = c.record.grid;
    const [wide, tall] = [rect.width / columns, rect.height / rows];
    const [cropWide, cropTall] = [c.photo.naturalWidth / columns, c.photo.naturalHeight / rows];
    return Array.from({ length: rows * columns }, (_, patch) => {
      const [row, column] = [Math.floor(patch / columns), patch % columns];
      return [`patch:${patch}`, {
        x: rect.x + (column + gap / 2) * wide,
        y: rect.y + (row + gap / 2) * tall,
        width: wide * (1 - gap),
        height: tall * (1 - gap),
        image: c.photo,
        crop: [column * cropWide, row * cropTall, cropWide, cropTall],
        ...paint(patch),
      }];
    });
  }

  const valued = (c, values, range) => (patch) => ({
    grey: 1, cover: c.opacity, tint: SepsScene.shade(values[patch], range),
  });

  const masked = (branch) => (patch) => (branch.kept[patch] ? {} : { grey: 1, cover: VEILED, tint: [16, 25, 26] });

  // The key of a layer in its text form, or of any range and label.
  function legend(c, text, range = null, label = null) {
    const key = SepsControls.legend(c.record, SepsRecord.parseLayer(text), { opacity: c.opacity, range });
    key.querySelector(".seps-cross")?.remove();
    if (label) key.querySelector(".seps-scale-label").replaceChildren(label);
    return key;
  }

  const branchOf = (c) => c.record.branches.find((one) => one.name === c.branch) ?? c.record.branches[0];
  const named = (c, name) => SepsRecord.layerText({ name, number: null, branch: branchOf(c).name });
  const countKept = (kept) => kept.reduce((sum, one) => sum + one, 0);

  // 1: the photo comes apart into patches, and each becomes a token of C channels.
  function photo(c) {
    const { layout: { home, side, type }, record } = c;
    const [rows, columns] = record.grid;
    const count = rows * columns;
    const tall = 2.3 * type;
    const most = Math.max(3, Math.floor(side.height / tall) - 2);
    const first = Math.min(most, count - 1);
    const sprites = new Map(patches(c, home, () => ({}), 0.14));
    const wide = Math.min(1.8 * type * (home.width / columns) / (home.height / rows), 3 * type);
    const row = (key, place, name, patch) => {
      const rect = { x: side.x, y: side.y + place * tall, width: side.width, height: tall };
      if (patch !== null) {
        const piece = sprites.get(`patch:${patch}`);
        sprites.set(`row:${key}`, { ...piece, x: rect.x, y: rect.y + 0.25 * type, width: wide, height: 1.8 * type, from: `patch:${patch}` });
      }
      const bar = h("span", { class: "seps-vector" });
      const node = h("div", { class: "seps-row" }, h("span", { class: "seps-row-name" }, ...name), bar);
      node.style.paddingLeft = `${wide + 0.6 * type}px`;
      return { key: `row:${key}`, rect, node };
    };
    const token = (index) => [h("i", {}, "v"), h("sub", {}, String(index))];
    const notes = [
      heading(c, "home", home, `${rows} × ${columns} = ${count} patches`),
      heading(c, "side", side, `${count} patch tokens of ${c.value.channels} channels each`),
    ];
    const start = record.has_cls ? 1 : 0;
    if (record.has_cls) notes.push(row("cls", 0, ["[CLS]"], null));
    for (let index = 0; index < first - start; index += 1) notes.push(row(index, index + start, token(index + 1), index));
    const dots = row("dots", first, ["⋮"], null);
    dots.node.lastChild.remove();
    notes.push(dots, row("last", first + 1, token(count), count - 1));
    return { sprites, notes };
  }

  // 2: the words of both captions, and how much longer the dense one is.
  function words(c) {
    const { layout: { home, side, type }, record, value } = c;
    const { sparse, dense, denser } = value.lengths;
    const chips = (list, name) => h("div", { class: `seps-chips ${name}` }, ...list.map((word) => h("span", {}, word)));
    // Letters so large that all chips fit, by an estimate of their area in letters.
    const fitting = (list) => {
      const area = list.reduce((sum, word) => sum + (0.52 * word.length + 1.1) * 2, 0);
      return Math.max(10, Math.min(type, Math.sqrt((0.5 * side.width * side.height) / area)));
    };
    const bar = (name, length) => {
      const piece = h("i", {});
      piece.style.width = `${(100 * length) / Math.max(sparse, dense ?? 0)}%`;
      return h("div", { class: `seps-length ${name}`, "data-length": length }, piece);
    };
    const box = h("div", { class: "seps-captions" });
    box.append(
      h("p", { class: "seps-heading" }, `Sparse caption: ${sparse} word tokens`),
      chips(record.alignments[0].words, "sparse"),
      bar("sparse", sparse),
    );
    if (dense) {
      const times = Number(denser).toFixed(1);
      box.append(
        h("p", { class: "seps-heading" }, `Dense caption: ${dense} word tokens, ${times} times as many`),
        bar("dense", dense),
        chips(value.dense_words, "dense"),
      );
      box.lastChild.style.fontSize = `${fitting(value.dense_words)}px`;
    } else {
      box.append(h("p", { class: "seps-aside" }, "No dense caption here: the dense branch does not run."));
    }
    const rect = { x: side.x, y: side.y - c.layout.line, width: side.width, height: side.height + c.layout.line };
    return {
      sprites: new Map(patches(c, home)),
      notes: [
        heading(c, "home", home, c.value.photo.title || "The photo"),
        { key: "captions", rect, node: box },
      ],
    };
  }

  // 3: the maps of the parts, and their weighted sum over the photo.
  function scores(c) {
    const { layout: { home, side, line, type }, record, photo: image } = c;
    const branch = branchOf(c);
    const names = Object.keys(branch.parts);
    const total = SepsRecord.layerValues(record, SepsRecord.parseLayer(named(c, "score")));
    const sprites = new Map(patches(c, home, valued(c, total.values, total.range)));
    const notes = [
      heading(c, "home", home, h("i", {}, "s"), ", the weighted sum"),
      footing(c, "home-legend", home, legend(c, named(c, "score"))),
    ];
    const aspect = home.height / home.width;
    const size = (rows) => Math.min(
      side.width / Math.ceil(names.length / rows) - 2 * type,
      ((side.height + line) / rows - 2.15 * line) / aspect,
    );
    const rows = size(1) > size(2) && side.width / names.length > 13 * type ? 1 : 2;
    const columns = Math.ceil(names.length / rows);
    const width = size(rows);
    const pitch = Math.min(side.width / columns, Math.max(width + 2 * type, 15 * type));
    names.forEach((name, index) => {
      const [row, column] = [Math.floor(index / columns), index % columns];
      const rect = {
        x: side.x + column * pitch,
        y: side.y + row * ((side.height + line) / rows),
        width,
        height: width * aspect,
      };
      const { values, range } = SepsRecord.layerValues(record, SepsRecord.parseLayer(named(c, name)));
      sprites.set(`part:${name}`, {
        ...rect,
        image: SepsScene.map(image, record.grid, values, range, { ...rect, opacity: c.opacity }),
        from: "patch:0",
      });
      const weight = Number(branch.coefficients[name].toPrecision(3));
      const title = h(
        "p",
        { class: "seps-heading", "data-part": name, "data-coefficient": branch.coefficients[name] },
        h("b", {}, `${index ? "+ " : ""}${weight} × `), h("i", {}, "s"), h("sup", {}, name.slice(2)),
        h("span", { class: "seps-span" }, range.map((one) => one.toFixed(2)).join(" to ")),
      );
      notes.push({
        key: `part:${name}`,
        rect: { x: rect.x, y: rect.y - line, width: pitch - 0.5 * type, height: line },
        node: title,
      });
      notes.push({
        key: `span:${name}`,
        rect: { x: rect.x, y: rect.y + rect.height, width: pitch - 0.5 * type, height: line },
        node: h("p", { class: "seps-aside" }, SepsRecord.PARTS[name]),
      });
    });
    return { sprites, notes };
  }

  // 4: the decision on the photo, and the patches by score.
  function decision(c) {
    const { layout: { home, side }, record, before } = c;
    const branch = branchOf(c);
    const kept = countKept(branch.kept);
    const drawn = c.value.knobs.decision === "gumbel";
    const probability = branch.name === "sparse" ? c.value.steps[3].keep_probability ?? null : null;
    const slope = branch.name === "sparse" ? c.value.steps[3].decision_gradient ?? null : null;
    const old = before?.branches.find((one) => one.name === branch.name)?.kept ?? null;
    const said = drawn ? ", each drawn by chance" : `: the first ${kept} are kept`;
    return {
      sprites: new Map(patches(c, home, masked(branch))),
      notes: [
        heading(c, "home", home, SepsRecord.keptCount(branch)),
        footing(c, "home-legend", home, maskLegend(c, branch, old)),
        { key: "outlines", rect: home, node: outlines(record, branch.kept, old) },
        heading(c, "side", side, `Patches by score${said}`),
        { key: "chart", rect: side, node: SepsCharts.decision(branch, side, c.layout.type, drawn, probability, slope) },
      ],
    };
  }

  function maskLegend(c, branch, old) {
    const row = legend(c, named(c, "mask"));
    if (!old || old.every((one, patch) => one === branch.kept[patch])) return row;
    const swatch = (name, sign) => h("b", { class: `seps-sign ${name}` }, sign);
    row.append(h("span", {}, swatch("gained", "+"), "gained"), h("span", {}, swatch("lost", "−"), "lost"));
    return row;
  }

  const grown = ({ x, y, width, height }, by) => ({ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by });

  // `count` rectangles of an aspect on a place, in rows, as large as they can be.
  function spread(count, place, aspect, gap) {
    const size = (columns) => {
      const rows = Math.ceil(count / columns);
      const width = (place.width - gap * (columns - 1)) / columns;
      return Math.min(width, (place.height - gap * (rows - 1)) / rows / aspect);
    };
    let columns = 1;
    for (let more = 2; more <= count; more += 1) if (size(more) > size(columns)) columns = more;
    const width = Math.max(2, size(columns));
    return Array.from({ length: count }, (_, index) => ({
      x: place.x + (index % columns) * (width + gap),
      y: place.y + Math.floor(index / columns) * (width * aspect + gap),
      width,
      height: width * aspect,
    }));
  }

  // A small map, drawn once for each size.
  function tileOf(c, key, values, range, { width, height }, text = "") {
    const name = `${key}:${Math.round(width)}x${Math.round(height)}`;
    if (!c.drawn.has(name)) {
      c.drawn.set(name, SepsScene.map(c.photo, c.record.grid, values, range, { width, height, opacity: 1, text }));
    }
    return c.drawn.get(name);
  }

  return {
    layout, heading, footing, patches, valued, masked, legend, branchOf, countKept, maskLegend, spread, tileOf, grown, named,
    pictures: [photo, words, scores, decision],
  };
})();
