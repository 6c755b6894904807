// Files of the page, fetched with progress.

// The bytes at an address; progress(bytes) is told how many more have come.
export async function fetched(address, progress = null) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  const parts = [];
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
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
