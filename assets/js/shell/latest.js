// Work of which only the last one asked for counts: a newer one cancels the one before.

import { say } from "../base/words.js";

// run(work): work(signal) leads to a result, null where a newer one came; other errors are thrown.
export function latest() {
  let current = null;
  async function run(work) {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    try {
      const result = await work(mine.signal);
      return current === mine ? result : null;
    } catch (error) {
      if (current !== mine || mine.signal.aborted) return null;
      throw error;
    }
  }
  run.stop = () => {
    current?.abort();
    current = null;
  };
  return run;
}

// A signal, and what aborts it because a person cancelled.
export function cancellable() {
  const stop = new AbortController();
  return { signal: stop.signal, abort: (reason) => stop.abort(reason), cancel: () => stop.abort(new Error(say("app.cancelled"))) };
}
