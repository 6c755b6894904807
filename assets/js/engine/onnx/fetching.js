// Files of the page, fetched with progress.

export const UNREACHED = "no network"; // the message of an error where an address cannot be reached
export const NOT_JSON = "not JSON: "; // how the message of an error begins, before the file
// The messages of errors where the browser, or the host's Content-Security-Policy, lets no WebAssembly run.
export const NO_WASM = "no WebAssembly";
export const WASM_FORBIDDEN = "WebAssembly forbidden";

const MOST_AT_ONCE = 2 ** 27; // bytes that are taken before they have come
const EMPTY = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]); // the smallest module of WebAssembly

const unreached = () => Promise.reject(new Error(UNREACHED));

// The bytes at an address; progress(bytes) is called with the number of bytes in each chunk.
export async function fetched(address, progress = null) {
  const answer = await fetch(address).catch(unreached);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  const size = Number(answer.headers.get("content-length")); // of what is sent, which may be packed
  return gathered(answer.body, size, progress);
}

// A module; browsers do not say why one cannot be fetched.
export async function imported(address) {
  try {
    return await import(address);
  } catch (error) {
    if (error instanceof TypeError) await fetched(address); // with its own error where it is not there
    throw error;
  }
}

// Throws where no WebAssembly can run, before megabytes of it are fetched.
export function needWebAssembly() {
  if (typeof WebAssembly === "undefined") throw new Error(NO_WASM);
  try {
    new WebAssembly.Module(EMPTY);
  } catch {
    throw new Error(WASM_FORBIDDEN);
  }
}

// What was packed by gzip, which ends in the size that it had; as it is where the host has it unpacked on the way.
export async function unpacked(content) {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content;
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  return gathered(stream, new DataView(content.buffer).getUint32(content.length - 4, true));
}

// The bytes of a stream of about a size, put in place as they come, so that a large file is in memory only once.
async function gathered(stream, size, progress = null) {
  let content = new Uint8Array(Math.min(size, MOST_AT_ONCE)); // more where more comes: the size may be wrong
  let filled = 0;
  const reader = stream.getReader();
  const next = () => reader.read().catch(unreached);
  for (let part = await next(); !part.done; part = await next()) {
    const { length } = part.value;
    if (filled + length > content.length) {
      content = new Uint8Array(content.buffer.transfer(Math.max(2 * content.length, filled + length)));
    }
    content.set(part.value, filled);
    forget(part.value);
    filled += length;
    progress?.(length);
  }
  return filled === content.length ? content : content.slice(0, filled);
}

// Free the memory of bytes at once, before the garbage collector runs.
export const forget = (bytes) => bytes.buffer.transfer(0);

export async function fetchedJson(address, progress = null) {
  const text = new TextDecoder().decode(await fetched(address, progress));
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(NOT_JSON + new URL(address, self.location.href).pathname.split("/").pop());
  }
}
