// The models as the page asks for them, each fetched on first use; their answers are records and numbers.

import { failure, remote } from "./remote.js";
import { fetchedJson } from "./fetching.js";
import { inPageLanguage } from "../../base/mount.js";
import { once } from "../../base/once.js";
import { say } from "../../base/words.js";
import { makeGpu, pictureAt } from "./gpu.js";

export const UPLOADS = "uploads";
const PHOTOS = "photos"; // the model of a person's own pictures, where it is here
const MEGABYTE = 1e6;
const PATIENCE = 250; // milliseconds between two lines on what was fetched

const factsAt = (address) => fetchedJson(address).catch(({ message }) => Promise.reject(failure(message)));
const absolute = (path) => new URL(path, document.baseURI).href;

// site: {parts, galleries}, from the page; tell(line) shows progress, "" clears it; started({version, threads, apart}) is
// called once models run, ofGpu(sentence) when the state of WebGPU changes.
export function makeEngine(site, tell, started = null, ofGpu = () => {}) {
  const thread = remote();
  let held = ""; // the model that has its graphs
  let running = null; // {version, threads, apart}, once the first model is there
  const opened = new Map(); // gallery -> its facts, to be
  const folderOf = (kind, name) => `${site.parts[`${kind} ${name}`]}/`;

  // An answer of the models' thread; a model that has no graphs there, since another one was asked, gets them again first.
  async function ask(method, values, noted = null) {
    const isBack = values.model && values.model !== held && method !== "open";
    if (isBack) tell(say("static.starting", { name: values.model }));
    held = values.model ?? held;
    try {
      return await thread.ask(method, values, noted);
    } finally {
      if (isBack) tell("");
    }
  }

  // A gallery with its model, ready: {name, model, noun, chips, items, nouns, manifest, language}.
  function open(name) {
    const gallery = site.galleries.find((each) => each.name === name);
    if (!gallery && !opened.has(name)) return Promise.reject(new Error(say("static.no_gallery", { name })));
    return once(opened, name, () => openNow(gallery), () => tell(""));
  }

  // Tells how much of a model has come, progress(bytes).
  function telling(model, bytes) {
    const total = bytes / MEGABYTE;
    let [loaded, noted] = [0, 0];
    return (count) => {
      loaded += count / MEGABYTE;
      if (performance.now() < noted + PATIENCE) return;
      noted = performance.now();
      tell(loaded < total ? say("static.fetching", { name: model, loaded, total }) : say("static.starting", { name: model }));
    };
  }

  async function openNow({ name, model, bytes, first }) {
    const folder = folderOf("gallery", name);
    const progress = telling(model, bytes + (opened.size ? 0 : site.engine_bytes)); // the libraries come with the first one
    progress(0);
    const values = { ...placeOf(model), gallery: name, embeddings: absolute(`${folder}embeddings.f16`) };
    const [facts, known] = await Promise.all([factsAt(`${folder}gallery.json`), ask("open", values, progress)]);
    for (const item of facts.items) { // pictures by address
      item.thumb = folder + item.thumb;
      item.photo.src = folder + item.photo.src;
    }
    tell("");
    if (!running) await check(name, model, first);
    return { ...facts, ...known };
  }

  // What runs the models, and how far the worked example's S(I, T) is from the app's here.
  async function check(gallery, model, { caption, index, similarity: expected }) {
    const { similarity } = await ask("explain", { model, gallery, index, caption, mask: null });
    running = { ...await ask("engine", {}), apart: Math.abs(similarity - expected) };
    started?.(running);
  }

  const placeOf = (model) => ({
    model, folder: absolute(folderOf("model", model)), libraries: absolute(`${site.parts.libraries}/`),
  });

  // A thread that encodes pictures, {pixels, width, height}, by WebGPU where `isGpu`.
  function encoder(model, isGpu = false) {
    const { image_bytes: bytes, image_on_cpu: onCpu } = galleryOfModel(model);
    const progress = telling(model, bytes + (isGpu ? site.gpu_bytes : site.engine_bytes));
    const place = { ...placeOf(model), ...(isGpu ? { libraries: absolute(`${site.parts.webgpu}/`), onCpu } : {}) };
    const { ask: askEncoder, end } = remote();
    return { end, encode: ({ pixels, width, height }) =>
      askEncoder("encode", { ...place, picture: { pixels, width, height } }, progress) };
  }

  // The embeddings of pictures by a thread of WebAssembly that ends with it: what encoding takes is more than all the rest.
  async function encodeAll(model, pictures, noted) {
    const wasm = encoder(model);
    const embeddings = [];
    try {
      for (const [at, picture] of pictures.entries()) {
        noted(at);
        embeddings.push(await wasm.encode(picture));
      }
    } finally {
      wasm.end();
    }
    return embeddings;
  }

  // The embeddings of pictures, by WebGPU where they are many and it is proven.
  async function encode(model, pictures) {
    const noted = (at) => tell(say("static.reading", { number: at + 1, count: pictures.length }));
    try {
      if (!gpus.has(model)) gpus.set(model, gpuOf(model));
      const embeddings = await gpus.get(model)(pictures, noted);
      return embeddings.length ? embeddings : await encodeAll(model, pictures, noted);
    } finally {
      tell("");
    }
  }

  const gpus = new Map(); // model -> what reads many pictures by WebGPU
  function gpuOf(model) {
    const { caption, photo } = galleryOfModel(model).first;
    return makeGpu({
      start: () => encoder(model, true),
      reference: async (picture) => (await encodeAll(model, [picture], () => {}))[0],
      example: () => pictureAt(absolute(photo)),
      tell: ofGpu,
      megabytes: site.gpu_bytes / MEGABYTE,
      async explain(pictures) {
        await open(firstOf(model));
        const gallery = "webgpu";
        await ask("take", { model, gallery, pictures });
        const records = [];
        for (const index of pictures.keys()) records.push(await ask("explain", { model, gallery, index, caption, mask: null }));
        return records;
      },
    });
  }

  // A person's own pictures, {name, src, width, height, pixels}, as a gallery of a model, under a name.
  async function take(model, pictures, gallery = UPLOADS) {
    const embeddings = await encode(model, pictures); // before the model, so that both are never in memory at once
    const base = await open(firstOf(model));
    await ask("take", { model, gallery, pictures: embeddings });
    const items = pictures.map(({ name, src, width, height }) => ({
      key: name, captions: [], phrases: [], thumb: src,
      photo: { src, width, height, title: name, credit: "", link: null, licence: "", licence_link: null },
    }));
    const texts = { title: say("static.own"), note: "", noun: "photographs" };
    const own = { ...base, ...texts, name: gallery, items, nouns: undefined, openings: {} };
    opened.set(gallery, Promise.resolve(own));
    return own;
  }

  const lessons = new Map(); // model -> what its lesson needs to know, to be
  const lesson = (model) => once(lessons, model, async () => inPageLanguage(await factsAt(`${folderOf("model", model)}lesson.json`)));

  const galleryOfModel = (model) => site.galleries.find((gallery) => gallery.model === model);
  const firstOf = (model) => galleryOfModel(model).name;
  const forOwn = galleryOfModel(PHOTOS) ?? site.galleries[0];
  gpus.set(forOwn.model, gpuOf(forOwn.model));
  const ownSize = { name: forOwn.model, megabytes: (forOwn.bytes + forOwn.image_bytes + site.engine_bytes) / MEGABYTE };
  return { ask, open, take, tell, lesson, firstOf, modelOfPhotos: forOwn.model, ownSize };
}
