// A model under settings of the lesson: scores and decisions are computed here, what they lead to by two graphs of each
// variant, see demo/static/lesson.py.

import { joined } from "./numbers.js";
import { recordOf } from "./record.js";
import { captionFraction, combined, decided, directionOf, drawn, keepProbability, textAttention } from "./scoring.js";

const AT_ONCE = 49; // pictures, or decisions on one, that are passed together

export class Tuned {
  // model: see model.js; knobs: of demo/record/settings.py; trained: K of its relevance MLP.
  constructor(model, knobs, trained) {
    this.model = model;
    this.knobs = knobs;
    this.count = model.manifest.grid[0] * model.manifest.grid[1];
    this.seen = model.tensor("float32", Float32Array.from({ length: trained }, (_, at) => (at < knobs.top_k ? 1 : 0)), [trained]);
  }

  async load(kind) {
    const name = `lesson_${this.knobs.variant}_${kind}`;
    await this.model.load(name, null, `${name}.onnx`);
    return name;
  }

  // The parts and the score of one picture of a gallery for a caption's direction.
  scored(gallery, index, direction) {
    const { model, count } = this;
    const { features } = model.galleries[gallery];
    const of = (name) => features[name]?.data.subarray(index * count, (index + 1) * count);
    const text = textAttention(model.embeddings(gallery, index), count, direction);
    return combined({ s_p: of("s_p"), s_st: text, s_im: of("s_im") }, this.knobs);
  }

  // What a graph takes of pictures, each {values, logits, score, kept}.
  inputs(pictures, words) {
    const { model: { patches, channels, manifest: { num_tokens: tokens } }, count } = this;
    const many = pictures.length;
    const stacked = (type, array, name, dims) => {
      const each = pictures[0][name].length;
      pictures.forEach((picture, at) => array.set(picture[name], at * each));
      return this.model.tensor(type, array, [many, ...dims]);
    };
    const floats = (name, dims) => stacked("float32", new Float32Array(many * pictures[0][name].length), name, dims);
    return {
      patches: floats("values", [patches, channels]),
      words,
      logits: floats("logits", [tokens, count]),
      score: stacked("float64", new Float64Array(many * count), "score", [count]),
      mask: stacked("bool", new Uint8Array(many * count), "kept", [count]),
      ...(this.knobs.variant === "paper" ? { seen: this.seen } : {}),
    };
  }

  picture(gallery, index, direction, mask = null) {
    const { features: { logits: { data } }, count } = this.model.galleries[gallery];
    const each = data.length / count;
    const { parts, coefficients, score } = this.scored(gallery, index, direction);
    return {
      values: this.model.embeddings(gallery, index),
      logits: data.subarray(index * each, (index + 1) * each),
      parts, coefficients, score,
      kept: mask ? Uint8Array.from(mask) : decided(score, this.knobs),
    };
  }

  // S(I, T) of each of some pictures.
  async similarities(pictures, words) {
    const graph = await this.load("rank");
    const scores = [];
    for (let at = 0; at < pictures.length; at += AT_ONCE) {
      const inputs = this.inputs(pictures.slice(at, at + AT_ONCE), words);
      scores.push((await this.model.run(graph, inputs)).similarity.data);
    }
    return joined(scores);
  }

  // {record, packed as a page without a server packs it; probability, gradient: of the decision, see scoring.js}.
  async explain(gallery, index, caption, mask) {
    const { model, knobs, count } = this;
    const { tensor, labels } = await model.words(caption);
    const picture = this.picture(gallery, index, directionOf(tensor), mask);
    const outputs = await model.run(await this.load("pair"), this.inputs([picture], tensor));
    const { parts, coefficients, score, kept } = picture;
    const order = Array.from(score, (_, patch) => patch).sort((first, other) => score[other] - score[first] || first - other);
    const rank = [];
    order.forEach((patch, place) => { rank[patch] = place; });
    const array = (data) => ({ data, dims: [count] });
    const all = {
      ...outputs,
      ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, array(part)])),
      score: array(score), kept: array(kept), rank: array(rank),
    };
    const record = recordOf(all, { ...model.manifest, variant: knobs.variant, coefficients }, labels, Boolean(mask));
    return {
      record,
      probability: Array.from(keepProbability(score, knobs)),
      gradient: knobs.decision === "gumbel" ? Array.from(drawn(score, knobs).gradient) : null,
    };
  }

  // S(I, T) of every picture of a gallery.
  async rank(gallery, caption) {
    const { tensor } = await this.model.words(caption);
    const direction = directionOf(tensor);
    const { count } = this.model.galleries[gallery];
    const pictures = Array.from({ length: count }, (_, index) => this.picture(gallery, index, direction));
    return this.similarities(pictures, tensor);
  }

  // What S(I, T) loses as the decision on each patch is turned over, (N,): NaN of the only one kept.
  async effects(gallery, index, caption) {
    const { tensor } = await this.model.words(caption);
    const picture = this.picture(gallery, index, directionOf(tensor));
    const isOnly = picture.kept.reduce((sum, bit) => sum + bit, 0) === 1;
    const turned = Array.from(picture.kept, (bit, patch) => {
      const kept = picture.kept.slice();
      if (!isOnly || !bit) kept[patch] = 1 - bit;
      return { ...picture, kept };
    });
    const [whole, ...others] = await this.similarities([picture, ...turned], tensor);
    return others.map((similarity, patch) => (isOnly && picture.kept[patch] ? NaN : whole - similarity));
  }

  // S(I, T) of a picture with captions of an open pool, from one position up to another.
  async captions(gallery, index, pool, from, to) {
    const scores = [];
    for (const tensor of this.model.pools[pool].slice(from, to)) {
      const [score] = await this.similarities([this.picture(gallery, index, directionOf(tensor))], tensor);
      scores.push(score);
    }
    return scores;
  }

  // How much of the score's spread over a picture is that of the captions of an open pool, null where there is none.
  spread(gallery, index, pool) {
    const scores = this.model.pools[pool].map((tensor) => this.scored(gallery, index, directionOf(tensor)).score);
    return captionFraction(scores);
  }
}
