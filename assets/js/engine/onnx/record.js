// The explanation of a pair from its graph's outputs, as demo/record/packing.py, with {shape, values} for base64.

const TERMS = {
  "patch-to-word mean": "patch_to_word", "word-to-patch mean": "word_to_patch",
  "patch relevance": "patch_relevance", "word relevance": "word_relevance",
};

const ALIGNED = ["token_weights", "cosines", "matrix", "word_maps", "patch_cosines"]; // arrays of an alignment

// outputs: tensors by name; manifest: of the model; words: labels of the caption's; forced: whether a mask was given;
// denseWords: tokens of the dense caption (its outputs are named "dense_..."); null without one.
export function recordOf(outputs, manifest, words, forced, denseWords = null) {
  const sparse = sideOf(outputs, "", manifest);
  const dense = denseWords && sideOf(outputs, "dense_", manifest);
  const alignments = [{ caption: "sparse", words, ...sparse.alignment() }];
  if (dense && "dense_matrix" in outputs) alignments.push({ caption: "dense", words: denseWords, ...dense.alignment() });
  return {
    variant: manifest.variant, grid: [...manifest.grid], has_cls: manifest.has_cls,
    similarity: outputs.similarity.data[0],
    terms: { ...sparse.terms("sparse"), ...(alignments.length > 1 ? dense.terms("dense") : {}) },
    branches: [
      { name: "sparse", forced, ...sparse.branch() },
      ...(dense ? [{ name: "dense", forced: false, ...dense.branch() }] : []),
    ],
    alignments,
  };
}

// Reads one caption's branch, alignment and terms from the outputs with this prefix.
function sideOf(outputs, prefix, { coefficients, has_cls: hasCls }) {
  const of = (name) => outputs[prefix + name];
  const floats = (name) => ({ shape: [...of(name).dims], values: Float32Array.from(of(name).data) });
  const numbers = (name) => Array.from(of(name).data, Number);
  const parts = Object.keys(coefficients).filter(of);
  return {
    branch: () => ({
      kept: numbers("kept"), rank: numbers("rank"), score: floats("score"),
      parts: Object.fromEntries(parts.map((name) => [name, floats(name)])),
      coefficients: Object.fromEntries(parts.map((name) => [name, coefficients[name]])),
      aggregation_weights: of("aggregation_weights") ? floats("aggregation_weights") : null,
      extra_weights: floats("extra_weights"),
    }),
    alignment: () => ({
      tokens: tokenLabels(of("token_weights").dims[0], hasCls), best_token: numbers("best_token"), best_word: numbers("best_word"),
      ...Object.fromEntries(ALIGNED.map((name) => [name, floats(name)])),
    }),
    terms: (name) => Object.fromEntries(Object.entries(TERMS).map(([term, output]) => [`${name} ${term}`, of(output).data[0]])),
  };
}

// What the classifier saw in a picture, out of the numbers of its classes as takeGallery in model.js takes them.
// values: the picture's embeddings (N[+1], C); words: (L, C), a tensor; names: of all classes.
export function classesOf(seen, values, { data, dims: [length, channels] }, names) {
  const count = seen.length / (2 + channels);
  const added = seen.subarray(2 * count);
  const patches = values.subarray(values.length - count * channels);
  const dot = (one, other, from, to) => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += one[from + channel] * other[to + channel];
    return sum;
  };
  const lengthsOf = (rows, number) => Array.from({ length: number }, (_, row) => {
    const at = row * channels;
    return Math.sqrt(dot(rows, rows, at, at));
  });
  const [ofWords, ofPatches] = [lengthsOf(data, length), lengthsOf(patches, count)];
  const shares = Float32Array.from({ length: length * count }, (_, at) => {
    const [word, patch] = [Math.floor(at / count), at % count];
    const product = dot(data, added, word * channels, patch * channels);
    return product / Math.max(ofWords[word] * ofPatches[patch], 1e-12);
  });
  return {
    names: Array.from(seen.subarray(0, count), (number) => names[number]),
    probability: { shape: [count], values: seen.slice(count, 2 * count) },
    word_shares: { shape: [length, count], values: shares },
  };
}

function tokenLabels(count, hasCls) {
  const aggregated = Array.from({ length: count - 1 - (hasCls ? 1 : 0) }, (_, index) => `aggregated ${index + 1}`);
  return [...(hasCls ? ["[CLS]"] : []), ...aggregated, "extra"];
}
