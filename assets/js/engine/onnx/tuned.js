// A model with the lesson's settings: computes scores and decisions; the graphs of demo/static/lesson.py do the rest.

import { fromHighest, joined, mapped, sum } from "../../base/arrays.js";
import { uniform, captionFraction, combined, decided, directionOf, drawn, keepProbability, textAttention } from "./scoring.js";
import { recordOf } from "./record.js";

const AT_ONCE = 49; // batch size: images, or decisions on one image

export class Tuned {
  // model: see model.js; knobs: settings as in demo/record/settings.py; trained: K of the relevance MLP.
  constructor(model, knobs, trained) {
    this.model = model;
    this.knobs = knobs;
    this.isPaper = knobs.variant === "paper";
    this.count = model.manifest.grid[0] * model.manifest.grid[1];
    this.seen = model.tensor("float32", Float32Array.from({ length: trained }, (_, at) => (at < knobs.top_k ? 1 : 0)), [trained]);
  }

  run(kind, inputs) {
    return this.model.run(`lesson_${this.knobs.variant}_${kind}`, inputs);
  }

  // A caption: {tensor, labels, direction, dense}; `dense` has the same fields of a dense caption, null without one.
  async captionsOf(gallery, caption, dense) {
    return { ...await this.read(caption), dense: await this.opened(gallery, dense) };
  }

  async read(caption, isDense = false) {
    const { tensor, labels } = await this.model.words(caption, isDense);
    return { tensor, labels, direction: directionOf(tensor) };
  }

  // Open a dense caption, or null if there is none. The paper variant has a separate dense branch; its features of a
  // gallery are computed once for all captions.
  async opened(gallery, dense) {
    if (!dense) return null;
    const of = this.model.galleries[gallery];
    if (this.isPaper) of.dense ??= await this.model.featuresOf(`lesson_${this.knobs.variant}_dense_features`, of.values);
    return this.read(dense, true);
  }

  // The parts of the score of an image: {parts, coefficients, score, dense}; `dense` has the same of the dense branch, null
  // without a dense caption. In the paper's variant each branch uses both captions.
  scored(gallery, index, captions) {
    const { model, count, knobs } = this;
    const { features, dense } = model.galleries[gallery];
    const of = (from, name) => ({ [name]: from[name].data.subarray(index * count, (index + 1) * count) });
    const attention = ({ direction }) => textAttention(model.embeddings(gallery, index), count, direction);
    const s_st = { s_st: attention(captions) };
    const s_dt = captions.dense ? { s_dt: attention(captions.dense) } : {};
    const s_im = of(features, "s_im");
    const both = { ...s_st, ...s_dt, ...s_im };
    const parts = this.isPaper ? { ...of(features, "s_p"), ...both } : { ...s_st, ...s_im };
    const denseParts = () => (this.isPaper ? { ...of(dense, "s_p"), ...both } : { ...s_dt, ...s_im });
    return { ...combined(parts, knobs), dense: captions.dense && combined(denseParts(), knobs) };
  }

  // An image with its decision, which a mask replaces in the sparse branch; both branches share one random generator.
  picture(gallery, index, captions, mask = null) {
    const { features, dense } = this.model.galleries[gallery];
    const logits = ({ logits: { data } }) => {
      const each = data.length / this.model.galleries[gallery].count;
      return data.subarray(index * each, (index + 1) * each);
    };
    const noise = this.knobs.decision === "gumbel" ? uniform(this.knobs.seed) : null;
    const branch = (scored, from) => ({ ...scored, logits: logits(from), kept: decided(scored.score, this.knobs, noise) });
    const { dense: other, ...own } = this.scored(gallery, index, captions);
    const picture = { values: this.model.embeddings(gallery, index), ...branch(own, features), dense: null };
    if (other) picture.dense = branch(other, this.isPaper ? dense : features);
    return mask ? { ...picture, kept: Uint8Array.from(mask) } : picture;
  }

  // The inputs of a graph for images, each {values, logits, score, kept}.
  inputs(pictures, { tensor: words }) {
    const { model: { patches, channels } } = this;
    const values = this.stacked("float32", Float32Array, pictures.map((picture) => picture.values), [patches, channels]);
    return { patches: values, words, ...this.decisions(pictures), ...(this.isPaper ? { seen: this.seen } : {}) };
  }

  decisions(branches) {
    const { count, model: { manifest: { num_tokens: tokens } } } = this;
    return {
      logits: this.stacked("float32", Float32Array, branches.map(({ logits }) => logits), [tokens, count]),
      score: this.stacked("float64", Float64Array, branches.map(({ score }) => score), [count]),
      mask: this.stacked("bool", Uint8Array, branches.map(({ kept }) => kept), [count]),
    };
  }

  stacked(type, Kind, parts, dims) {
    return this.model.tensor(type, joined(parts, Kind), [parts.length, ...dims]);
  }

  // The outputs of a graph for images. With a dense caption, the paper's branches share the aggregated tokens; the released
  // variant runs once per caption and adds the scores.
  async outputs(kind, pictures, captions) {
    const own = this.inputs(pictures, captions);
    if (!captions.dense) return this.run(kind, own);
    const others = pictures.map(({ dense }) => dense);
    if (this.isPaper) return this.run(`dense_${kind}`, { ...own, ...prefixed(this.decisions(others)) });
    const alone = await this.run(kind, own);
    const beside = await this.run(kind, this.inputs(pictures.map((picture) => ({ ...picture, ...picture.dense })), captions.dense));
    const sum = alone.similarity.data.map((similarity, at) => similarity + beside.similarity.data[at]);
    return { ...prefixed(beside), ...alone, similarity: { data: sum, dims: alone.similarity.dims } };
  }

  async similarities(pictures, captions) {
    const scores = [];
    for (let at = 0; at < pictures.length; at += AT_ONCE) {
      scores.push((await this.outputs("rank", pictures.slice(at, at + AT_ONCE), captions)).similarity.data);
    }
    return joined(scores);
  }

  // {record, probability, gradient}: the packed record, and those of the sparse decision, see scoring.js.
  async explain(gallery, index, caption, dense, mask) {
    const { model, knobs } = this;
    const captions = await this.captionsOf(gallery, caption, dense);
    const picture = this.picture(gallery, index, captions, mask);
    const all = {
      ...await this.outputs("pair", [picture], captions),
      ...branchOutputs(picture),
      ...(picture.dense ? prefixed(branchOutputs(picture.dense)) : {}),
    };
    const manifest = { ...model.manifest, variant: knobs.variant, coefficients: { ...picture.coefficients, ...picture.dense?.coefficients } };
    return {
      record: recordOf(all, manifest, captions.labels, Boolean(mask), captions.dense?.labels),
      probability: Array.from(keepProbability(picture.score, knobs)),
      gradient: knobs.decision === "gumbel" ? Array.from(drawn(picture.score, knobs).gradient) : null,
    };
  }

  // S(I, T) of every image of a gallery.
  async rank(gallery, caption, dense) {
    const captions = await this.captionsOf(gallery, caption, dense);
    const { count } = this.model.galleries[gallery];
    return this.similarities(Array.from({ length: count }, (_, index) => this.picture(gallery, index, captions)), captions);
  }

  // The drop of S(I, T) if the sparse decision on one patch is flipped, (N,); NaN for the only kept patch.
  async effects(gallery, index, caption, dense) {
    const captions = await this.captionsOf(gallery, caption, dense);
    const picture = this.picture(gallery, index, captions);
    const isOnly = sum(picture.kept) === 1;
    const turned = Array.from(picture.kept, (bit, patch) => {
      const kept = picture.kept.slice();
      if (!isOnly || !bit) kept[patch] = 1 - bit;
      return { ...picture, kept };
    });
    const [whole, ...others] = await this.similarities([picture, ...turned], captions);
    return others.map((similarity, patch) => (isOnly && picture.kept[patch] ? NaN : whole - similarity));
  }

  // S(I, T) of an image with the captions [from, to) of an open pool.
  async captions(gallery, index, pool, from, to) {
    const scores = [];
    for (const tensor of this.model.pools[pool].slice(from, to)) {
      const caption = { tensor, direction: directionOf(tensor), dense: null };
      scores.push(...await this.similarities([this.picture(gallery, index, caption)], caption));
    }
    return scores;
  }

  // The captions' part of the score's variance over an image, with an optional dense caption; null if the variance is 0.
  async spread(gallery, index, pool, dense) {
    const beside = await this.opened(gallery, dense);
    const scores = this.model.pools[pool].map((tensor) =>
      this.scored(gallery, index, { direction: directionOf(tensor), dense: beside }).score);
    return captionFraction(scores);
  }
}

const prefixed = (outputs) => Object.fromEntries(Object.entries(outputs).map(([name, value]) => [`dense_${name}`, value]));

// A branch's scores and decision in the format of a graph's outputs.
function branchOutputs({ parts, score, kept }) {
  const rank = [];
  fromHighest(score).forEach((patch, place) => { rank[patch] = place; });
  return mapped({ ...parts, score, kept, rank }, (data) => ({ data, dims: [score.length] }));
}
