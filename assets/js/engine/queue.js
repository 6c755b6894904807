// Gradio's queue: an event is joined, and one stream per session brings its progress and its answer.

const PREFIX = "gradio_api";

// What is behind an address of the API; the page's language goes with it, in which errors are written.
export function address(path, language) {
  const url = new URL(`${PREFIX}/${path}`, document.baseURI);
  if (language !== "en") url.searchParams.set("lang", language);
  return url;
}

export const post = (url, body, signal = null) =>
  fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

// session: its name; failed(problem): returns an Error for a failed event.
export function makeQueue(session, language, failed) {
  const waiting = new Map(); // event -> {done, fail, progress}
  const early = new Map(); // event -> messages that came before its number was known
  let isOpen = false;

  // Join an event, {id, data}; progress({rank, done, text}) or, with a first part, progress({value}) is called meanwhile.
  async function join({ id, data }, { progress = null, signal = null } = {}) {
    signal?.throwIfAborted();
    const answer = await post(address("queue/join", language), { data, fn_index: id, session_hash: session, simple_format: true });
    const joined = await answer.json();
    if (!answer.ok) throw failed(joined.error ?? joined.detail);
    const event = joined.event_id;
    return new Promise((done, fail) => {
      waiting.set(event, { done, fail, progress });
      signal?.addEventListener("abort", () => {
        waiting.delete(event);
        fail(signal.reason);
        post(address("cancel", language), { session_hash: session, fn_index: id, event_id: event });
      });
      for (const message of early.get(event) ?? []) take(event, message);
      early.delete(event);
      if (!isOpen) listen();
    });
  }

  function take(event, message) {
    const { done, fail, progress } = waiting.get(event);
    if (message.msg === "estimation") progress?.({ rank: message.rank });
    if (message.msg === "progress") progress?.(progressOf(message.progress_data));
    if (message.msg === "process_generating" && message.success) progress?.({ value: message.output.data[0] });
    if (message.msg !== "process_completed") return;
    waiting.delete(event);
    if (message.success) done(message.output.data);
    else fail(failed(message.output.error));
  }

  async function listen() {
    isOpen = true;
    try {
      const url = address("queue/data", language);
      url.searchParams.set("session_hash", session);
      for await (const message of messagesOf(await fetch(url))) {
        if (waiting.has(message.event_id)) take(message.event_id, message);
        else if (message.event_id) early.set(message.event_id, [...(early.get(message.event_id) ?? []), message]);
        if (message.msg === "unexpected_error") throw failed(message.message);
        if (message.msg === "close_stream") break;
      }
    } catch (error) {
      for (const { fail } of waiting.values()) fail(error);
      waiting.clear();
    } finally {
      isOpen = false;
      early.clear();
    }
    if (waiting.size) listen();
  }

  return { join };
}

// The last unit of a progress: how far, 0 to 1 where that is known, and in words.
function progressOf(units) {
  const { index, length, desc } = units.at(-1) ?? {};
  return { done: length ? index / length : null, text: [desc, index && (length ? `${index} / ${length}` : index)].filter(Boolean).join(" ") };
}

// The messages of a stream of server-sent events, each one line of JSON.
async function* messagesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) if (part.startsWith("data:")) yield JSON.parse(part.slice(5));
  }
}
