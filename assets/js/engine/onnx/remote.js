// Asks a thread of models.

import { say } from "../../base/words.js";
import { NO_WASM, NOT_JSON, UNREACHED, WASM_FORBIDDEN } from "./fetching.js";
import { BAD_MANIFEST } from "./manifest.js";

const NO_WORKER = "worker forbidden";
// Reasons with sentences of their own: to reload the page does not help.
const OWN = {
  [UNREACHED]: "static.unreached",
  [NO_WASM]: "static.no_wasm",
  [WASM_FORBIDDEN]: "static.wasm_forbidden",
  [NO_WORKER]: "static.worker_forbidden",
};
let isForbidden = false; // whether the host's Content-Security-Policy forbids threads
document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
  isForbidden ||= effectiveDirective === "worker-src";
});

// The error message from the table of words; the reason is the error's cause.
export function failure(reason, sentence = "static.failed") {
  return new Error(sentenceOf(reason, sentence), { cause: reason });
}

function sentenceOf(reason, sentence) {
  if (Object.hasOwn(OWN, reason)) return say(OWN[reason]);
  const part = (begin) => reason.slice(begin.length);
  if (reason.startsWith(BAD_MANIFEST)) return say("static.bad_manifest", { field: part(BAD_MANIFEST) });
  return reason.startsWith(NOT_JSON) ? say("static.not_json", { file: part(NOT_JSON) }) : say(sentence, { reason });
}

// ask(method, values, noted) leads to an answer; end() stops the thread and frees its memory.
export function remote() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  let count = 0;
  let ended = null; // why the thread cannot answer
  worker.onmessage = ({ data: { id, result, problem, progress } }) => {
    if (!waiting.has(id)) return; // one part could not be fetched, others are still coming
    const { done, failed, noted } = waiting.get(id);
    if (progress !== undefined) return noted?.(progress);
    waiting.delete(id);
    if (problem === undefined) done(result);
    else failed(failure(problem));
  };
  worker.onerror = () => {
    ended = failure(isForbidden ? NO_WORKER : say("static.ended"));
    for (const { failed } of waiting.values()) failed(ended);
    waiting.clear();
  };
  const ask = (method, values, noted = null) => new Promise((done, failed) => {
    if (ended) return void failed(ended);
    const id = (count += 1);
    waiting.set(id, { done, failed, noted });
    worker.postMessage({ id, method, values });
  });
  return { ask, end: () => worker.terminate() };
}
