// WebGPU for many uploaded pictures at once, if it agrees with WebAssembly on the worked example; else WebAssembly.

import { say } from "../../base/words.js";
import { openPicture } from "./pictures.js";

export const MANY = 16; // pictures together, from which on it saves more than its start and its test take
const CLOSE = 1e-5; // of S(I, T)
const ALIKE = 1e-3; // of embeddings: the largest difference over their root mean square
const PATIENCE = 60_000; // milliseconds for its start and one picture

// Whether this browser has a GPU that is faster than this processor, and lets WebAssembly wait for it.
async function offersGpu() {
  if (typeof WebAssembly === "undefined" || !("Suspending" in WebAssembly)) return false;
  const { gpu } = /** @type {any} */ (navigator);
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return Boolean(adapter) && !(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter);
}

// How far two embeddings of a picture are apart, over their root mean square; NaN where a number is none.
function distance(embeddings, others) {
  let [most, squares] = [embeddings.length === others.length ? 0 : NaN, 0];
  embeddings.forEach((value, at) => {
    most = Math.max(most, Math.abs(value - others[at])); // Math.max gives NaN where one is
    squares += value * value;
  });
  return most / Math.sqrt(squares / embeddings.length);
}

// How WebGPU differs from WebAssembly on the worked example, from the record of each: {equal, far, apart, turned}.
function compared(far, record, other) {
  const apart = Math.abs(record.similarity - other.similarity);
  const [kept, others] = [record, other].map(({ branches }) => branches[0].kept);
  const turned = kept.filter((bit, patch) => bit !== others[patch]).length;
  return { equal: far <= ALIKE && apart <= CLOSE && turned === 0, far, apart, turned };
}

// start(): a WebGPU thread, {encode(picture), end()}; reference(picture): its embeddings by WebAssembly; example(): the
// worked example's picture; explain(embeddings): the record of its caption with each of them; tell(sentence): the state.
// Returns read(pictures, noted), which resolves to the embeddings of all pictures, or to none.
export function makeGpu({ start, reference, explain, example, tell, megabytes, offered = offersGpu, patience = PATIENCE }) {
  let isOut = false; // it differed, failed or is not there
  let isProven = false;
  tell(say("static.gpu_later", { count: MANY, megabytes }));

  function stop(sentence, values = {}) {
    isOut = true;
    tell(say(sentence, values));
    return [];
  }

  async function prove(thread) {
    const picture = await example();
    const truth = await reference(picture);
    const embeddings = await within(patience, thread.encode(picture));
    const result = compared(distance(truth, embeddings), ...await explain([truth, embeddings]));
    isProven = result.equal;
    if (isProven) tell(say("static.gpu_runs", { ...result, count: MANY }));
    else stop("static.gpu_differed", result);
  }

  return async function read(pictures, noted) {
    if (isOut || pictures.length < MANY) return [];
    if (!isProven && !(await offered())) return stop("static.gpu_none");
    const thread = start();
    try {
      if (!isProven) await prove(thread);
      if (!isProven) return [];
      const all = [];
      for (const [at, picture] of pictures.entries()) {
        noted(at);
        const embeddings = await within(patience, thread.encode(picture));
        if (!embeddings.every(Number.isFinite)) throw new Error(say("static.gpu_numbers"));
        all.push(embeddings);
      }
      return all;
    } catch (error) {
      return stop("static.gpu_failed", { reason: error.cause ?? error.message });
    } finally {
      thread.end();
    }
  };
}

function within(milliseconds, promise) {
  const late = new Promise((_, failed) => {
    setTimeout(() => failed(new Error(say("static.gpu_late", { seconds: milliseconds / 1000 }))), milliseconds);
  });
  return Promise.race([promise, late]);
}

// The picture at an address, as one of a person's own is opened.
export async function pictureAt(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  const picture = await openPicture(new File([await answer.blob()], address));
  URL.revokeObjectURL(picture.src);
  return picture;
}
