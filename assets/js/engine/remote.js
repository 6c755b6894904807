// Asks a thread of models.

import { say } from "../base/words.js";
import { UNREACHED } from "./fetching.js";

// What went wrong, in a sentence of the table with its reason, which alone is the error's cause; an address that cannot be
// reached has a sentence of its own.
export function failure(reason, sentence = "static.failed") {
  return new Error(reason === UNREACHED ? say("static.unreached") : say(sentence, { reason }), { cause: reason });
}

// ask(method, values, noted) leads to an answer; end() ends the thread, whose memory goes back.
export function remote() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  let count = 0;
  worker.onmessage = ({ data: { id, result, problem, progress } }) => {
    if (!waiting.has(id)) return; // one part could not be fetched, others are still coming
    const { done, failed, noted } = waiting.get(id);
    if (progress !== undefined) return noted?.(progress);
    waiting.delete(id);
    if (problem === undefined) done(result);
    else failed(failure(problem));
  };
  worker.onerror = () => {
    for (const { failed } of waiting.values()) failed(failure(say("static.ended")));
    waiting.clear();
  };
  // ask("rank", {...}) resolves to the answer; noted(progress) is called on the way.
  const ask = (method, values, noted = null) => new Promise((done, failed) => {
    const id = (count += 1);
    waiting.set(id, { done, failed, noted });
    worker.postMessage({ id, method, values });
  });
  return { ask, end: () => worker.terminate() };
}
