// The models in a thread: {id, method, values} comes in; {id, result}, {id, problem} or {id, progress} go out, in order.

import { fetched, forget, imported, needWebAssembly, unpacked } from "./fetching.js";
import { Model } from "./model.js";
import { joined } from "../../base/arrays.js";
import { Tuned } from "./tuned.js";

const THREADS = 4;
const models = {};
let libraries = null;

// ONNX Runtime and the tokenizer's library, from an address that ends in "/".
async function load(folder, progress) {
  const [ort, { Tokenizer }] = await Promise.all([loadRuntime(folder, progress), imported(`${folder}tokenizers.js`)]);
  return { ort, Tokenizer };
}

// Load ONNX Runtime. Its threads need a cross-origin isolated page.
async function loadRuntime(folder, progress) {
  needWebAssembly();
  const [ort, wasm] = await Promise.all([imported(`${folder}ort.js`), fetched(`${folder}ort.wasm.gz`, progress)]);
  ort.env.wasm.wasmBinary = await unpacked(wasm);
  if (ort.env.wasm.wasmBinary !== wasm) forget(wasm);
  ort.env.wasm.numThreads = self.crossOriginIsolated ? Math.min(THREADS, navigator.hardwareConcurrency) : 1;
  return ort;
}

// One model has its graphs at a time: those of the others go, and come again when they are asked for.
async function only(name) {
  for (const [other, model] of Object.entries(models)) if (other !== name) await model.release();
}

const methods = {
  engine: () => ({ version: libraries.ort.env.versions.common, threads: libraries.ort.env.wasm.numThreads }),
  async open({ model, folder, libraries: place, gallery, embeddings }, progress) {
    libraries ??= await load(place, progress);
    models[model] ??= await Model.open(libraries.ort, libraries.Tokenizer, folder, progress);
    await models[model].openGallery(gallery, embeddings, progress);
    const { manifest, language } = models[model];
    return { manifest, language };
  },
  read: ({ model, caption, isDense }) => models[model].read(caption, isDense),
  rank: ({ model, gallery, caption, dense }) => models[model].rank(gallery, caption, dense),
  pool: ({ model, name, captions, most }, progress) => models[model].openPool(name, captions, progress, most),
  captions: ({ model, gallery, index, pool, captions }) => models[model].rankCaptions(gallery, index, pool, captions),
  tuned: ({ model, method, knobs, trained, values }) => new Tuned(models[model], knobs, trained)[method](...values),
  explain: ({ model, gallery, index, caption, mask, dense }) => models[model].explain(gallery, index, caption, mask, dense),
  effects: ({ model, name, gallery, index, caption, mask, dense }, progress) =>
    models[model].effects(name, gallery, index, caption, mask, dense, progress),
  // The embeddings of a picture, by a thread that is asked for nothing else; onCpu: as in Model.ofPictures.
  async encode({ model, folder, libraries: place, picture, onCpu }, progress) {
    libraries ??= { ort: await loadRuntime(place, progress) };
    models[model] ??= await Model.ofPictures(libraries.ort, folder, onCpu);
    return models[model].encode(picture, progress);
  },
  take: ({ model, gallery, pictures }) => models[model].takeGallery(gallery, joined(pictures)),
};

let turn = Promise.resolve();
self.onmessage = ({ data: { id, method, values } }) => {
  const answer = async () => {
    try {
      if (values.model) await only(values.model);
      self.postMessage({ id, result: await methods[method](values, (progress) => self.postMessage({ id, progress })) });
    } catch (error) {
      self.postMessage({ id, problem: error.message });
    }
  };
  turn = turn.then(answer);
};
