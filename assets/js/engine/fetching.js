// Files of the page, fetched with progress.

export const UNREACHED = "no network"; // the message of an error where an address cannot be reached

const unreached = () => Promise.reject(new Error(UNREACHED));

// The bytes at an address; progress(bytes) is told how many more have come.
export async function fetched(address, progress = null) {
  const answer = await fetch(address).catch(unreached);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  const parts = [];
  const reader = answer.body.getReader();
  const next = () => reader.read().catch(unreached);
  for (let part = await next(); !part.done; part = await next()) {
    parts.push(part.value);
    progress?.(part.value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function unpacked(content) {
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function fetchedJson(address, progress = null) {
  return JSON.parse(new TextDecoder().decode(await fetched(address, progress)));
}
