// Where photos come from: a gallery, files that are chosen, dropped or pasted, a camera, a video; and ranked captions.

import { button, debounced, h } from "../base/dom.js";
import { phrase, say, tells } from "../base/words.js";

const VIDEO = /^video\//;
const PAUSE = 300; // milliseconds
const LONGEST = 4000; // characters of captions

// gallery(name), photos(files), video(file): the choice; camera: its switch; failed(problem); lacks: of the engine.
export function sourceRow({ lacks, gallery, photos, video, camera, failed }) {
  const select = h("select", { "aria-label": say("sources.gallery"), change: () => gallery(select.value) });
  const input = h("input", { type: "file", accept: "image/*,video/*", multiple: true, hidden: true, change: () => {
    take([...input.files]);
    input.value = "";
  } });
  const open = button({ class: "main-action", click: () => input.click() }, say("sources.open"));
  const element = h("div", { class: "sources" }, select, open, camera, input);
  camera.hidden = lacks.includes("camera");

  function take(files) {
    const film = files.find(({ type }) => VIDEO.test(type));
    if (film && lacks.includes("video")) failed(say("sources.no_video"));
    else if (film) video(film);
    else if (files.length) photos(files);
  }

  // Galleries as {name, title, reason}: one with a reason cannot be opened now.
  function show(galleries, chosen) {
    select.replaceChildren(...galleries.map(({ name, title, reason = "" }) => h(
      "option", { value: name, selected: name === chosen, disabled: Boolean(reason), title: reason || null },
      reason ? say("sources.closed", { title: titleOf(name, title), reason }) : titleOf(name, title),
    )));
    select.value = chosen;
  }

  return { element, show, take };
}

export function titleOf(name, title) {
  const key = `sources.gallery_${name.replaceAll("-", "_")}`;
  return tells(key) ? say(key) : phrase(title ?? name);
}

// The captions that a photo ranks: a gallery's, or only typed ones. changed(changes): of the state, {pool} or {typed}.
export function captionPool({ changed }) {
  const select = h("select", { "aria-label": say("explore.pool"), change: () => changed({ pool: select.value }) });
  const typed = h("textarea", { rows: "2", maxlength: LONGEST, spellcheck: "false", "aria-label": say("explore.typed"), placeholder: say("explore.typed"),
    input: debounced(() => changed({ typed: typed.value }), PAUSE) });
  const element = h("div", { class: "pool", hidden: true }, select, typed);

  // names: of galleries; none: the choice of no gallery; chosen: the pool that was ranked.
  function show(names, none, chosen, text) {
    select.replaceChildren(
      ...names.map((name) => h("option", { value: name }, say("explore.captions_of", { name: titleOf(name) }))),
      h("option", { value: none }, say("explore.only_typed")));
    select.value = chosen;
    if (document.activeElement !== typed) typed.value = text;
  }

  return { element, show };
}

// Let files be dropped and pasted anywhere on the page; returns what ends it.
export function takeAnywhere(take) {
  const veil = h("div", { class: "drop-veil", hidden: true }, h("p", {}, say("sources.drop")));
  document.body.append(veil);
  const ending = new AbortController();
  const depths = { dragenter: (depth) => depth + 1, dragleave: (depth) => Math.max(0, depth - 1), dragover: (depth) => depth, drop: () => 0 };
  let depth = 0; // of elements over which files are held
  const listen = (name, listener) => document.addEventListener(name, listener, { signal: ending.signal });
  for (const [name, change] of Object.entries(depths)) {
    listen(name, (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      depth = change(depth);
      veil.hidden = depth === 0;
      if (["dragover", "drop"].includes(name)) event.preventDefault();
      if (name === "drop") take([...event.dataTransfer.files]);
    });
  }
  listen("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    take(files);
  });
  return () => {
    veil.remove();
    ending.abort();
  };
}
