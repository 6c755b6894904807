// A model in ONNX Runtime: encodes captions, ranks galleries, explains pairs.

import { fromHalf, joined, mapped, sum } from "../../base/arrays.js";
import { once } from "../../base/once.js";
import { fetched, fetchedJson, forget } from "./fetching.js";
import { checkedManifest } from "./manifest.js";
import { classesOf, recordOf } from "./record.js";
import { normalised, squashed } from "./resize.js";

const NEEDED = ["text", "features", "rank", "pair", "forced"]; // graphs; that of images comes with the first picture
const BATCH = 10; // pictures whose features are computed together
const RANKED = 50; // pictures that are ranked together
const ENCODED = 32; // captions that are encoded together
const REMEMBERED = 64; // captions
// Weights stay packed, see seps/models/export/packing.py, and each is unpacked where a run comes to it: unpacked all at
// once when a graph is loaded, they take several times the memory, which WebAssembly never gives back.
const UNPACKED = String(2 ** 16); // bytes of what is computed when a graph is loaded
// Memory that one run would keep for the next is given back to the other graphs.
const SESSION = {
  enableCpuMemArena: false, enableMemPattern: false,
  logSeverityLevel: 3, // errors alone: it warns of each weight that stays packed
  extra: { optimization: { constant_folding_max_output_size_in_bytes: UNPACKED } },
};
// Ideographs beyond U+FFFF, which the tokenizer's library takes for letters of a word.
const IDEOGRAPHS = /[\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu;

export class Model {
  // ort: ONNX Runtime; Tokenizer: of @huggingface/tokenizers; folder: an address that ends in "/".
  constructor(ort, folder, manifest, language = null, tokenizer = null) {
    this.ort = ort;
    this.folder = folder;
    this.manifest = checkedManifest(manifest);
    this.language = language;
    this.tokenizer = tokenizer;
    this.providers = /** @type {any[]} */ (["wasm"]); // what runs the graphs
    this.sessions = {};
    this.galleries = {}; // name -> {count, values, size, features, classes}
    this.captions = new Map();
    this.pools = {}; // name -> the words of its captions, as tensors
    const [patches, channels] = manifest.graphs.image.outputs[0].shape.slice(1); // [CLS] among them where there is one
    this.patches = patches;
    this.channels = channels;
    const { class_names: names, grid: [rows, columns] } = manifest;
    this.classes = names ? rows * columns * (2 + channels) : 0; // numbers of a picture's classes, see takeGallery
  }

  static async open(ort, Tokenizer, folder, progress) {
    const json = (name) => fetchedJson(folder + name, progress);
    const [manifest, language, tokens] = await Promise.all(["manifest.json", "language.json", "tokenizer.json"].map(json));
    const model = new Model(ort, folder, manifest, language, new Tokenizer(tokens, {}));
    for (const name of NEEDED) await model.load(name, progress);
    return model;
  }

  // A model that only encodes pictures; onCpu: with WebGPU, the names of the nodes that WebAssembly runs.
  static async ofPictures(ort, folder, onCpu = null) {
    const model = new Model(ort, folder, await fetchedJson(`${folder}manifest.json`));
    const left = onCpu?.length ? { forceCpuNodeNames: onCpu } : {}; // which ONNX Runtime does not take empty
    if (onCpu) model.providers = [{ name: "webgpu", ...left }];
    return model;
  }

  async load(name, progress = null, file = this.manifest.graphs[name]?.file ?? `${name}.onnx`) {
    if (this.sessions[name]) return;
    const { weights } = this.manifest.graphs[name] ?? {}; // a file beside the graph, of a large one
    const parts = [file, weights].filter(Boolean).map((part) => fetched(this.folder + part, progress));
    const [content, data] = await Promise.all(parts);
    const externalData = weights ? [{ path: weights, data }] : [];
    const options = { ...SESSION, executionProviders: this.providers, externalData };
    this.sessions[name] = await this.ort.InferenceSession.create(content, options);
    const copied = [content, data, this.ort.env.wasm.wasmBinary]; // the last when the first graph is loaded
    delete this.ort.env.wasm.wasmBinary;
    copied.filter(Boolean).forEach(forget);
  }

  tensor(type, values, dims) {
    return new this.ort.Tensor(type, values, dims);
  }

  async run(name, inputs) {
    await this.load(name);
    return this.sessions[name].run(inputs);
  }

  // Free what the graphs take, until one is run again.
  async release() {
    const sessions = Object.values(this.sessions);
    this.sessions = {};
    for (const session of sessions) await session.release();
  }

  // Tokenize a caption: ids with [CLS] and [SEP], their labels, and all pieces; dense ones may be longer.
  read(caption, isDense = false) {
    const { max_words: most_words, cls_id: cls, sep_id: sep } = this.manifest.captions;
    const most = isDense ? this.language.max_dense_words : most_words;
    const pieces = this.pieces(caption);
    const ids = [cls, ...pieces.slice(0, most - 2), sep];
    const label = (id) => this.tokenizer.id_to_token(id);
    const texts = caption.split(/\s+/).filter(Boolean);
    const alone = texts.map((word) => this.pieces(word));
    let next = 1;
    return {
      ids,
      labels: ids.map(label),
      pieces: pieces.map(label),
      limit: most - 2,
      // each word split at spaces, with the labels of its pieces
      words: texts.map((word, index) => ({ text: word, labels: alone[index].map(label) })),
      // the positions of each word's pieces, where [CLS] has 0; null if the words, tokenized one by one, give other pieces than the caption
      places: alone.flat().join() === pieces.join() ? alone.map((part) => part.map(() => next++)) : null,
    };
  }

  pieces(text) {
    const spaced = text.normalize("NFKC").replace(IDEOGRAPHS, " $& ");
    return this.tokenizer.encode(spaced, { add_special_tokens: false }).ids;
  }

  // The words of a caption, (L, C), as a tensor, and their labels.
  words(caption, isDense = false) {
    const words = once(this.captions, isDense ? `dense\n${caption}` : caption, async () => {
      const { ids, labels } = this.read(caption, isDense);
      const [tensor] = await this.encodeCaptions([ids]);
      return { tensor, labels };
    });
    if (this.captions.size > REMEMBERED) this.captions.delete(this.captions.keys().next().value);
    return words;
  }

  // Captions of one length, given as ids: a tensor of each, the words (L, C).
  async encodeCaptions(captions) {
    const [count, length] = [captions.length, captions[0].length];
    const { words: { data, dims } } = await this.run("text", {
      ids: this.tensor("int64", BigInt64Array.from(captions.flat(), BigInt), [count, length]),
      lengths: this.tensor("int64", new BigInt64Array(count).fill(BigInt(length)), [count]),
    });
    const size = length * dims[2];
    return captions.map((_, at) => this.tensor("float32", data.slice(at * size, (at + 1) * size), [length, dims[2]]));
  }

  // Encode at most `most` more captions of a pool, grouped by length to avoid padding; return how many are encoded.
  async openPool(name, captions, progress, most = Infinity) {
    const words = (this.pools[name] ??= new Array(captions.length).fill(null));
    const waiting = captions.flatMap((caption, at) => (words[at] ? [] : [{ at, ids: this.read(caption).ids }]));
    let left = Math.min(most, waiting.length);
    let done = captions.length - waiting.length;
    for (const length of new Set(waiting.map(({ ids }) => ids.length))) {
      const alike = waiting.filter(({ ids }) => ids.length === length);
      for (let from = 0; from < alike.length && left > 0; from += ENCODED) {
        const part = alike.slice(from, from + ENCODED);
        (await this.encodeCaptions(part.map(({ ids }) => ids))).forEach((tensor, index) => { words[part[index].at] = tensor; });
        left -= part.length;
        progress(done += part.length);
      }
    }
    return done;
  }

  // S(I, T) of a picture with each caption of an open pool, where one is named, and with others.
  async rankCaptions(gallery, index, pool, captions) {
    const words = [...(pool ? this.pools[pool] : [])];
    for (const caption of captions) words.push((await this.words(caption)).tensor);
    const inputs = this.ranked(gallery, index, index + 1);
    const scores = new Float32Array(words.length);
    for (const [at, tensor] of words.entries()) {
      scores[at] = (await this.run("rank", { ...inputs, words: tensor })).similarity.data[0];
    }
    return scores;
  }

  // Take a gallery's embeddings, in float16 at an address.
  async openGallery(name, address, progress) {
    if (this.galleries[name]) return;
    const halves = await fetched(address, progress);
    const values = fromHalf(halves);
    forget(halves);
    await this.takeGallery(name, values);
  }

  // Take V pictures' embeddings (N[+1], C), each, where the model has classes, with its patches' best classes (N), their
  // probabilities (N) and what class vectors add (N, C) behind it.
  async takeGallery(name, numbers) {
    const size = this.patches * this.channels;
    const count = numbers.length / (size + this.classes);
    const each = (from, to) => joined(Array.from({ length: count }, (_, at) =>
      numbers.subarray(at * (size + this.classes) + from, at * (size + this.classes) + to)));
    const values = this.classes ? each(0, size) : numbers;
    const classes = this.classes ? each(size, size + this.classes) : null;
    this.galleries[name] = { count, values, size, classes, features: await this.featuresOf("features", values) };
  }

  // What a graph makes of the embeddings of a gallery: {type, dims, data} of each output.
  async featuresOf(graph, values) {
    const size = this.patches * this.channels;
    const count = values.length / size;
    const features = {};
    for (let at = 0; at < count; at += BATCH) {
      const part = values.subarray(at * size, Math.min(at + BATCH, count) * size);
      const dims = [part.length / size, this.patches, this.channels];
      const outputs = await this.run(graph, { patches: this.tensor("float32", part, dims) });
      for (const [output, { data, type, dims }] of Object.entries(outputs)) {
        (features[output] ??= { type, dims, parts: [] }).parts.push(data);
      }
    }
    return mapped(features, stacked);
  }

  // S(I, T) of every picture of a gallery, for a caption and an optional dense caption.
  async rank(gallery, caption, dense = "") {
    const { count } = this.galleries[gallery];
    const { tensor: words } = await this.words(caption);
    const [graph, step] = dense ? ["dense_rank", BATCH] : ["rank", RANKED];
    const beside = await this.beside(dense);
    const scores = [];
    for (let at = 0; at < count; at += step) {
      const inputs = this.ranked(gallery, at, Math.min(at + step, count));
      const pictures = dense ? { patches: inputs.patches, ...beside } : inputs;
      scores.push((await this.run(graph, { ...pictures, words })).similarity.data);
    }
    return joined(scores);
  }

  async beside(dense) {
    return dense ? { dense_words: (await this.words(dense, true)).tensor } : {};
  }

  // What ranking takes of the pictures of a gallery from one position up to another.
  ranked(gallery, from, to) {
    const { count, values, size, features } = this.galleries[gallery];
    const cut = ({ type, dims, data }) => {
      const each = data.length / count;
      return this.tensor(type, data.subarray(from * each, to * each), [to - from, ...dims.slice(1)]);
    };
    const patches = this.tensor("float32", values.subarray(from * size, to * size), [to - from, this.patches, this.channels]);
    return { patches, ...mapped(features, cut) };
  }

  embeddings(gallery, index) {
    const { values, size } = this.galleries[gallery];
    return values.subarray(index * size, (index + 1) * size);
  }

  // The outputs of a pair's graph, under a mask where one is given; captions: {words, dense_words: where there are such}.
  match(values, captions, mask) {
    const patches = this.tensor("float32", values, [this.patches, this.channels]);
    const graph = `${captions.dense_words ? "dense_" : ""}${mask ? "forced" : "pair"}`;
    const forced = mask ? { mask: this.tensor("bool", Uint8Array.from(mask), [mask.length]) } : {};
    return this.run(graph, { patches, ...captions, ...forced });
  }

  async explain(gallery, index, caption, mask, dense = "") {
    const { tensor: words, labels } = await this.words(caption);
    const outputs = await this.match(this.embeddings(gallery, index), { words, ...await this.beside(dense) }, mask);
    const denseLabels = dense ? (await this.words(dense, true)).labels : null;
    const record = recordOf(outputs, this.manifest, labels, Boolean(mask), denseLabels);
    if (!this.classes) return record;
    const seen = this.galleries[gallery].classes.subarray(index * this.classes, (index + 1) * this.classes);
    const classes = classesOf(seen, this.embeddings(gallery, index), words, this.manifest.class_names);
    return { ...record, classes };
  }

  // Drop of S(I, T) and of each word's part per patch: decision flipped ("effect") or embedding averaged ("blanked").
  async effects(name, gallery, index, caption, mask, dense, progress) {
    const { tensor: words, labels } = await this.words(caption);
    const captions = { words, ...await this.beside(dense) };
    const values = this.embeddings(gallery, index);
    const whole = await this.match(values, captions, mask);
    const kept = Array.from(whole.kept.data, Number);
    const count = kept.length;
    const before = wordMeans(whole.matrix);
    const result = { values: new Float32Array(count), words: new Float32Array(labels.length * count) };
    const only = sum(kept) === 1;
    const blank = name === "blanked" ? meanPatch(values, count, this.channels) : null;
    for (let patch = 0; patch < count; patch += 1) {
      if (!blank && only && kept[patch]) continue;
      const flipped = kept.map((bit, at) => (at === patch ? 1 - bit : bit));
      const changed = blank ? replaced(values, patch, count, blank) : values;
      const outputs = await this.match(changed, captions, blank ? mask : flipped);
      result.values[patch] = whole.similarity.data[0] - outputs.similarity.data[0];
      wordMeans(outputs.matrix).forEach((mean, word) => { result.words[word * count + patch] = before[word] - mean; });
      progress(patch + 1);
    }
    return { values: { shape: [count], values: result.values }, words: { shape: [labels.length, count], values: result.words } };
  }

  // The embeddings of a picture, RGB bytes of width x height, as takeGallery takes them.
  async encode({ pixels, width, height }, progress) {
    await this.load("image", progress);
    const { size } = this.manifest.pixels;
    const values = normalised(squashed(pixels, width, height, size), this.manifest.pixels);
    const { patches, best, probability, added } =
      await this.run("image", { pixels: this.tensor("float32", values, [1, 3, size, size]) });
    if (!this.classes) return patches.data;
    return joined([patches.data, Float32Array.from(best.data, Number), probability.data, added.data]);
  }
}

const stacked = ({ type, dims, parts }) => ({ type, dims, data: joined(parts, parts[0].constructor) });

// What each word adds to the word-to-patch mean: its best entry of the matrix (M, L) over the number of words.
function wordMeans({ data, dims: [tokens, words] }) {
  return Array.from({ length: words }, (_, word) => {
    let best = -Infinity;
    for (let token = 0; token < tokens; token += 1) best = Math.max(best, data[token * words + word]);
    return Math.fround(best / words);
  });
}

function meanPatch(values, count, channels) {
  const start = values.length - count * channels;
  return Float32Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let patch = 0; patch < count; patch += 1) sum += values[start + patch * channels + channel];
    return sum / count;
  });
}

function replaced(values, patch, count, blank) {
  const changed = values.slice();
  changed.set(blank, values.length - (count - patch) * blank.length);
  return changed;
}
