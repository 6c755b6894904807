// What a map has under a key, a promise: made where it is not there yet, and made again after it failed.
export function once(known, key, make, failed = () => {}) {
  if (!known.has(key)) {
    const making = make();
    known.set(key, making);
    making.catch(() => {
      known.delete(key);
      failed();
    });
  }
  return known.get(key);
}
