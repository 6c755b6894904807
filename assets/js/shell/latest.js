// Work of which only the last one asked for counts: a newer one cancels the one before.

import { say } from "../base/words.js";

// run(work): work(signal) leads to a result, null where a newer one came; other errors are thrown.
export function latest() {
  let current = new AbortController();
  async function run(work) {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    try {
      const result = await work(signal);
      return signal.aborted ? null : result;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }
  run.stop = () => current.abort();
  return run;
}

// A signal, and what aborts it because a person cancelled.
export function cancellable() {
  const stop = new AbortController();
  return { signal: stop.signal, cancel: () => stop.abort(new Error(say("app.cancelled"))) };
}
