// Files of the page, fetched with progress.

export const UNREACHED = "no network"; // the message of an error where an address cannot be reached

const unreached = () => Promise.reject(new Error(UNREACHED));

// The bytes at an address; progress(bytes) is told how many more have come.
export async function fetched(address, progress = null) {
  const answer = await fetch(address).catch(unreached);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  const size = Number(answer.headers.get("content-length")); // of what is sent, which may be packed
  return gathered(answer.body, size, progress);
}

// What was packed by gzip, which ends in the size that it had.
export async function unpacked(content) {
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  return gathered(stream, new DataView(content.buffer).getUint32(content.length - 4, true));
}

// The bytes of a stream, of about a size, put where they stay as they come: gathered first, a large file would be in
// memory two and three times.
async function gathered(stream, size, progress = null) {
  let content = new Uint8Array(size);
  let filled = 0;
  const reader = stream.getReader();
  const next = () => reader.read().catch(unreached);
  for (let part = await next(); !part.done; part = await next()) {
    const { length } = part.value;
    if (filled + length > content.length) content = grown(content, Math.max(2 * content.length, filled + length));
    content.set(part.value, filled);
    forget(part.value);
    filled += length;
    progress?.(length);
  }
  return filled === content.length ? content : content.slice(0, filled);
}

function grown(content, size) {
  const larger = new Uint8Array(size);
  larger.set(content);
  return larger;
}

// Give the memory of bytes back at once, not when a browser next looks for what nobody needs: they are sent to a port that
// is closed.
export function forget(bytes) {
  nowhere ??= closedPort();
  nowhere.postMessage(null, [bytes.buffer]);
}

let nowhere = null;
function closedPort() {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}

export async function fetchedJson(address, progress = null) {
  return JSON.parse(new TextDecoder().decode(await fetched(address, progress)));
}
