// The engine behind HTTP: the app's endpoints, see demo/page/actions.py. Its answers are those of engine/browser.js.

import { bytes } from "../base/numbers.js";
import { once } from "../base/once.js";
import { language, say } from "../base/words.js";
import { save as saveFile } from "../files/saving.js";
import { address, makeQueue, post } from "./queue.js";

const ASKED = [
  "rank", "rank_all", "locate", "indexing", "explain", "measure", "captions", "compare", "contrast", "look", "lesson", "losses", "claims", "guide", "paper",
  "edit", "judge", "degrade", "several", "recaption",
];
const FORMATS = { // of files, by what they are of; those of a film come with its timeline
  pair: ["png", "svg", "pdf", "json", "html"], ranking: ["csv"], captions: ["csv"], compare: ["png", "svg", "pdf", "html", "spec"],
  contrast: ["png", "svg", "pdf", "json", "csv", "html", "spec"], lesson: ["pdf", "png", "gif", "html"], edit: ["csv"],
  judge: ["csv", "json"], drawing: ["png", "gif"],
};
const WAIT = 300; // milliseconds between two looks whether the app has started
const KEY = "seps.session"; // in the tab's memory, so that a reload finds a person's own photos again

export function makeEngine() {
  const session = sessionName();
  const queue = makeQueue(session, language, failure);
  const opened = new Map(); // gallery -> its facts, to be
  const starting = start();

  async function start() {
    for (;;) {
      if (await hasStarted()) {
        const answer = await post(address("run/page_start", language), { data: [], session_hash: session });
        if (!answer.ok) throw failure((await answer.json().catch(() => ({}))).error);
        new EventSource(address(`heartbeat/${session}`, "en")); // while it is open the session is kept
        return (await answer.json()).data[0];
      }
      await new Promise((after) => setTimeout(after, WAIT));
    }
  }

  async function ask(name, values, options = {}) {
    const { calls: { [name]: call } } = await starting;
    const data = call.names.map((each) => values[each] ?? null);
    if (call.waits) return (await queue.join({ id: call.id, data }, options))[0];
    const body = { data, session_hash: session };
    const answer = await post(address(`run/page_${name}`, language), body, options.signal);
    const told = await answer.json();
    if (!answer.ok) throw failure(told.error);
    return told.data[0];
  }

  const open = (gallery, options = {}) => once(opened, gallery, () => ask("gallery", { gallery }, options));

  // Files to the app: the paths under which it holds them.
  async function upload(files, query, { signal = null } = {}) {
    const form = new FormData();
    for (const file of files) form.append("files", file, file.name);
    const answer = await fetch(address(`upload${query}`, "en"), { method: "POST", body: form, signal });
    if (!answer.ok) throw failure(answer.status === 413 ? say("sources.too_large") : await answer.text());
    return answer.json();
  }

  function kept(facts) {
    opened.set(facts.name, Promise.resolve(facts));
    return facts;
  }

  async function takePhotos(files, options = {}) {
    const { uploads } = await starting;
    if (files.length > uploads.count) throw new Error(say("sources.too_many", { count: files.length, limit: uploads.count }));
    const paths = await upload(files, "", options);
    const photos = paths.map((path) => ({ path, meta: { _type: "gradio.FileData" } }));
    return kept(await ask("photos", { photos }, options));
  }

  async function takeVideo(file, options = {}) {
    const [path] = await upload([file], "?video", options);
    return kept(await ask("video", { file: path }, options));
  }

  // Save a file that the app draws, in the colours of the page; the sentence that says so.
  async function save(what, values, options) {
    const dark = document.body.classList.contains("dark");
    const { name, type, base64 } = await ask(`save_${what}`, { ...values, dark }, options);
    saveFile(name, type, bytes(base64));
    return say("download.saved", { name });
  }

  return {
    lacks: [], formats: FORMATS, save,
    about: () => [],
    start: () => starting,
    open, takePhotos, takeVideo,
    generate: async (values, options) => {
      const answer = await ask("generate", values, options);
      kept(answer.gallery);
      return answer;
    },
    freeze: async (values, options) => kept(await ask("freeze", values, options)),
    ...Object.fromEntries(ASKED.map((name) => [name, (values, options) => ask(name, values, options)])),
  };
}

// Whether the app has taken the address over from what shows the worked example meanwhile, see demo/opening/server.py.
async function hasStarted() {
  const answer = await fetch(new URL("opening/state", document.baseURI), { cache: "no-store" }).catch(() => null);
  return answer?.ok ? !(await answer.json()).opening : false;
}

const failure = (problem) => new Error(problem || say("app.failed"));

function sessionName() {
  try {
    const name = sessionStorage.getItem(KEY) ?? crypto.randomUUID();
    sessionStorage.setItem(KEY, name);
    return name;
  } catch {
    return `${Date.now()}-${Math.random()}`.replace("0.", ""); // no memory, or no secure context
  }
}
