// Work of which only the last one asked for counts: a newer one cancels the one before.

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

// Call a function once nothing asked for it for some milliseconds.
export function debounced(call, milliseconds) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
  later.stop = () => clearTimeout(timer);
  return later;
}
