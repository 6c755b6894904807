// A packed explanation record read in the browser: its arrays, its layers, and what they say in words.
// Every number comes from the record; nothing of the model is computed here.
window.SepsRecord = (() => {
  "use strict";

  const PARTS = {
    s_p: "the score MLP",
    s_st: "caption attention",
    s_im: "image attention",
    s_dt: "dense caption attention",
  };

  const STANDS_OUT = 1.25; // a third's share of the amount over its share of the patches

  // {shape, float32} to a Float32Array, or to one Float32Array a row where the shape has two dimensions.
  function floats({ shape, float32 }) {
    const bytes = Uint8Array.from(atob(float32), (character) => character.charCodeAt(0));
    const values = new Float32Array(bytes.buffer);
    if (shape.length === 1) return values;
    return Array.from({ length: shape[0] }, (_, row) => values.subarray(row * shape[1], (row + 1) * shape[1]));
  }

  // The packed record with every array unpacked, under the same names.
  function decode(packed) {
    const branches = packed.branches.map((branch) => ({
      ...branch,
      score: floats(branch.score),
      parts: Object.fromEntries(Object.entries(branch.parts).map(([name, part]) => [name, floats(part)])),
      aggregation_weights: branch.aggregation_weights ? floats(branch.aggregation_weights) : [],
      extra_weights: floats(branch.extra_weights),
    }));
    const alignments = packed.alignments.map((alignment) => ({
      ...alignment,
      token_weights: floats(alignment.token_weights),
      cosines: floats(alignment.cosines),
      matrix: floats(alignment.matrix),
      word_maps: floats(alignment.word_maps),
    }));
    return { ...packed, branches, alignments };
  }

  // "token:7:dense" to {name: "token", number: 7, branch: "dense"}, and back.
  function parseLayer(text) {
    const [name, ...rest] = text.split(":");
    const number = /^\d+$/.test(rest[0] ?? "") ? Number(rest.shift()) : null;
    return { name, number, branch: rest[0] ?? "sparse" };
  }

  function layerText({ name, number, branch }) {
    return [name, ...(number === null ? [] : [number]), ...(branch === "sparse" ? [] : [branch])].join(":");
  }

  function branchOf(record, layer) {
    return record.branches.find((branch) => branch.name === layer.branch);
  }

  // Whether the record has this layer.
  function hasLayer(record, layer) {
    const branch = branchOf(record, layer);
    switch (layer.name) {
      case "photo":
        return layer.branch === "sparse";
      case "mask":
        return branch !== undefined || (layer.branch === "both" && record.branches.length === 2);
      case "score":
      case "extra":
        return branch !== undefined;
      case "tokens":
        return branch !== undefined && branch.aggregation_weights.length > 0;
      case "token":
        return branch?.aggregation_weights[layer.number - 1] !== undefined;
      case "word":
        return layer.branch === "sparse" && record.alignments[0].words[layer.number] !== undefined;
      default:
        return branch?.parts[layer.name] !== undefined;
    }
  }

  function extremes(values) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return [low, high];
  }

  // A layer in words and numbers: {title, label, sentence, values, range}. label: of the scale. values: one a patch; an
  // array of them, one a token, for "tokens"; null for the photo; for both masks the fates. range: scores run from
  // their lowest to their highest value, weights from 0 to the highest.
  function layerValues(record, layer) {
    const { name } = layer;
    const told = tell(record, layer, branchOf(record, layer) ?? record.branches[0]);
    const isScore = name === "score" || name in PARTS;
    const all = name === "tokens" ? told.values.flatMap((row) => Array.from(row)) : told.values ?? [0];
    const range = isScore ? extremes(all) : [0, extremes(all)[1]];
    if (name === "mask") range[1] = layer.branch === "both" ? 3 : 1;
    const named = record.branches.length > 1 && name !== "photo" && name !== "word" && layer.branch !== "both";
    const label = isScore ? name : "weight";
    return { ...told, label, title: told.title + (named ? `, ${layer.branch} branch` : ""), range };
  }

  function tell(record, layer, branch) {
    const { name, number } = layer;
    const { score, parts, coefficients, aggregation_weights: rows, extra_weights: extra } = branch;
    const span = (values) => `From ${extremes(values).map((value) => value.toFixed(3)).join(" to ")}`;
    const kept = branch.kept.reduce((sum, one) => sum + one, 0);
    const total = branch.kept.length;
    const upTo = (values) => `up to ${extremes(values)[1].toFixed(4)}`;
    const over = `over ${counted(kept, "kept patch")}`;
    if (name === "photo") return { title: "The photo alone", sentence: "Nothing lies over it.", values: null };
    if (name === "mask" && layer.branch === "both") {
      const values = fates(record, layer);
      const [none, sparse, dense, both] = [0, 1, 2, 3].map((fate) => values.filter((one) => one === fate).length);
      const sentence = `${both} of ${total} patches kept by both branches, ${sparse} by the sparse one alone, `
        + `${dense} by the dense one alone, ${none} by none.`;
      return { title: "Decision masks of both branches", sentence, values };
    }
    if (name === "mask") {
      const sentence = `${kept} of ${total} patches kept, ${total - kept} dropped.`;
      return { title: "Decision mask", sentence, values: branch.kept };
    }
    if (name === "score") {
      const sentence = `${span(score)}: the weighted sum of its parts.`;
      return { title: "Total significance score", sentence, values: score };
    }
    if (name in PARTS) {
      const weight = Number(coefficients[name].toPrecision(6));
      const sentence = `${span(parts[name])}; enters the total score times ${weight}.`;
      return { title: `Part ${name}: ${PARTS[name]}`, sentence, values: parts[name] };
    }
    if (name === "extra") {
      const dropped = counted(total - kept, "dropped patch");
      const some = `Its weights over ${dropped}, ${upTo(extra)}; 0 on kept ones.`;
      const sentence = kept < total ? some : "Nothing was dropped: every weight is 0.";
      return { title: "Extra token", sentence, values: extra };
    }
    if (name === "token") {
      const values = rows[number - 1];
      const sentence = `Its weights ${over}, ${upTo(values)}; 0 on dropped ones.`;
      return { title: `Aggregated token ${number} of ${rows.length}`, sentence, values };
    }
    if (name === "tokens") {
      const tokens = counted(rows.length, "aggregated token");
      const highest = Math.max(...rows.map((row) => extremes(row)[1])).toFixed(4);
      const sentence = `The weights of ${tokens} ${over}, up to ${highest}; 0 on dropped ones.`;
      return { title: rows.length > 1 ? `All ${tokens}` : "The one aggregated token", sentence, values: rows };
    }
    const { words, tokens, best_token, matrix, word_maps } = record.alignments[0];
    const best = best_token[number];
    const token = tokens[best].replace("aggregated", "aggregated token").replace("extra", "the extra token");
    const ending = extremes(word_maps[number])[1] > 0 ? "." : ", which has no weight on any patch.";
    const sentence = `"${words[number]}" met ${token} best, with ${matrix[best][number].toFixed(3)}${ending}`;
    return { title: `Word map of "${words[number]}"`, sentence, values: word_maps[number] };
  }

  function counted(count, noun) {
    return count === 1 ? `${count} ${noun}` : `${count} ${noun}${noun.endsWith("ch") ? "es" : "s"}`;
  }

  // For each patch 3 where both branches keep it, 1 the sparse alone, 2 the dense alone, 0 none; a single branch
  // gives 3 and 0.
  function fates(record, layer) {
    if (layer.branch !== "both") return branchOf(record, layer).kept.map((kept) => (kept ? 3 : 0));
    const [sparse, dense] = record.branches;
    return sparse.kept.map((kept, patch) => kept + 2 * dense.kept[patch]);
  }

  // Where most of the amounts (none negative, row by row) lies: "on the lower left"; null where it is spread evenly.
  // A third of the rows or columns stands out where it holds more than either other and at least 1.25 times its even
  // share. Where one of each does, their ninth is named if it does so too, else the third that stands out more.
  function whereabouts(amounts, [rows, columns]) {
    const third = (index, count) => Math.floor((3 * (2 * index + 1)) / (2 * count));
    const down = (patch) => third(Math.floor(patch / columns), rows);
    const across = (patch) => third(patch % columns, columns);
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const lift = (inside) => {
      const patches = Array.from(amounts.keys()).filter(inside);
      if (!patches.length) return 0;
      return (patches.reduce((sum, patch) => sum + amounts[patch], 0) / total) * (amounts.length / patches.length);
    };
    const outstanding = (of) => {
      const sums = [0, 0, 0];
      amounts.forEach((amount, patch) => (sums[of(patch)] += amount));
      const best = sums.indexOf(Math.max(...sums));
      const alone = sums.filter((sum) => sum === sums[best]).length === 1;
      const found = lift((patch) => of(patch) === best);
      return [alone && found >= STANDS_OUT ? best : null, found];
    };
    let [[row, rowLift], [column, columnLift]] = [outstanding(down), outstanding(across)];
    if (row !== null && column !== null) {
      const ninth = lift((patch) => down(patch) === row && across(patch) === column);
      if (ninth < STANDS_OUT) [row, column] = rowLift >= columnLift ? [row, null] : [null, column];
    }
    if (row === null && column === null) return null;
    if (column === null) return ["at the top", "across the middle", "at the bottom"][row];
    if (row === null) return ["on the left", "down the middle", "on the right"][column];
    if (row === 1 && column === 1) return "in the centre";
    const place = `${["upper", "middle", "lower"][row]} ${["left", "middle", "right"][column]}`;
    return `${column === 1 ? "in" : "on"} the ${place}`;
  }

  // A number of a scale, short.
  function number(value) {
    if (value === 0) return "0";
    return Math.abs(value) < 0.1 ? value.toPrecision(3) : value.toFixed(3);
  }

  // "98 of 196 patches kept".
  function keptCount(branch) {
    return `${branch.kept.reduce((sum, kept) => sum + kept, 0)} of ${branch.kept.length} patches kept`;
  }

  // What the picture of a layer (text form) shows, in words, ending with where most of it lies.
  function describe(record, text) {
    const layer = parseLayer(text);
    const { title, sentence, values, range } = layerValues(record, layer);
    if (layer.name === "photo") return "the photo alone";
    let amounts;
    let said = `${title}: ${sentence[0].toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
    let subject = layer.name === "score" || layer.name in PARTS ? "highest" : "most of the weight";
    if (layer.name === "mask") {
      amounts = Array.from(values, (value) => Number(value === range[1]));
      const kept = amounts.reduce((sum, one) => sum + one, 0);
      said = `${kept} of ${amounts.length} patches kept${layer.branch === "both" ? " by both branches" : ""}`;
      subject = "most";
      if (kept === amounts.length) return said;
    } else {
      const rows = layer.name === "tokens" ? values : [values];
      amounts = Array.from(rows[0], (_, patch) => rows.reduce((sum, row) => sum + row[patch], 0) - range[0]);
    }
    if (!amounts.some((amount) => amount !== 0)) return said;
    const place = whereabouts(amounts, record.grid);
    return `${said}; ${place === null ? "spread evenly" : `${subject} ${place}`}`;
  }

  // A word piece as it is read: without "##".
  function wordName(record, word) {
    return record.alignments[0].words[word].replace(/^##(?=.)/, "");
  }

  // "dog: similarity 0.431 with aggregated 7".
  function wordLine(record, word) {
    const { best_token, tokens, cosines, word_maps } = record.alignments[0];
    const token = best_token[word];
    const placeless = extremes(word_maps[word])[1] > 0 ? "" : ", which has no place on the picture";
    return `${wordName(record, word)}: similarity ${cosines[token][word].toFixed(3)} with ${tokens[token]}${placeless}`;
  }

  // What the record says of one patch, a line each: the token that gives it most weight, then each branch.
  function patchLines(record, patch) {
    const { token_weights, tokens, best_word, cosines } = record.alignments[0];
    const columns = record.grid[1];
    const weights = token_weights.map((row) => row[patch]);
    const token = weights.indexOf(Math.max(...weights));
    const word = best_word[token];
    const met = `whose best word is ${wordName(record, word)} (${cosines[token][word].toFixed(2)})`;
    const at = `Row ${Math.floor(patch / columns) + 1}, column ${(patch % columns) + 1}`;
    const first = `${at}: most weight in ${tokens[token]}, ${met}`;
    const branches = record.branches.map((branch) => {
      const parts = Object.entries(branch.parts).map(([name, values]) => `${name} ${values[patch].toFixed(3)}`);
      const name = record.branches.length > 1 ? `${branch.name}: ` : "";
      const fate = branch.kept[patch] ? "kept" : "dropped";
      const rank = `rank ${branch.rank[patch] + 1} of ${branch.kept.length}`;
      const line = `${name}${fate}, score ${branch.score[patch].toFixed(3)} (${rank}), ${parts.join(", ")}`;
      return line[0].toUpperCase() + line.slice(1);
    });
    return [first, ...branches];
  }

  return {
    PARTS, decode, parseLayer, layerText, branchOf, hasLayer, layerValues, fates, number, keptCount, describe,
    wordName, wordLine, patchLines,
  };
})();
