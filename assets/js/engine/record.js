// The explanation of one pair out of its graph's outputs, packed as demo/record/packing.py packs it, with arrays as
// {shape, values} in the place of base64.

const TERMS = {
  "patch-to-word mean": "patch_to_word",
  "word-to-patch mean": "word_to_patch",
  "patch relevance": "patch_relevance",
  "word relevance": "word_relevance",
};

// outputs: tensors by name; manifest: of the model; words: labels of the caption's; forced: whether a mask was given.
export function recordOf(outputs, manifest, words, forced) {
  const floats = (name) => ({ shape: [...outputs[name].dims], values: Float32Array.from(outputs[name].data) });
  const numbers = (name) => Array.from(outputs[name].data, Number);
  const parts = Object.keys(outputs).filter((name) => name in manifest.coefficients);
  const tokens = outputs.token_weights.dims[0];
  return {
    variant: manifest.variant,
    grid: [...manifest.grid],
    has_cls: manifest.has_cls,
    similarity: outputs.similarity.data[0],
    terms: Object.fromEntries(Object.entries(TERMS).map(([term, name]) => [`sparse ${term}`, outputs[name].data[0]])),
    branches: [{
      name: "sparse",
      kept: numbers("kept"),
      forced,
      rank: numbers("rank"),
      score: floats("score"),
      parts: Object.fromEntries(parts.map((name) => [name, floats(name)])),
      coefficients: Object.fromEntries(parts.map((name) => [name, manifest.coefficients[name]])),
      aggregation_weights: floats("aggregation_weights"),
      extra_weights: floats("extra_weights"),
    }],
    alignments: [{
      caption: "sparse",
      words,
      tokens: tokenLabels(tokens, manifest.has_cls),
      token_weights: floats("token_weights"),
      cosines: floats("cosines"),
      matrix: floats("matrix"),
      best_token: numbers("best_token"),
      best_word: numbers("best_word"),
      word_maps: floats("word_maps"),
      patch_cosines: floats("patch_cosines"),
    }],
  };
}

function tokenLabels(count, hasCls) {
  const aggregated = Array.from({ length: count - 1 - (hasCls ? 1 : 0) }, (_, index) => `aggregated ${index + 1}`);
  return [...(hasCls ? ["[CLS]"] : []), ...aggregated, "extra"];
}
