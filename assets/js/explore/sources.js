// Where photos come from: a gallery, files that are chosen, dropped or pasted, a camera, a video.

import { button, h } from "../base/dom.js";
import { phrase, say, tells } from "../base/words.js";

const IMAGE = /^image\//;
const VIDEO = /^video\//;

// gallery(name), photos(files), video(file): what a person chose; camera: the switch of the camera; failed(problem): what
// cannot be; lacks: of the engine.
export function sourceRow({ lacks, gallery, photos, video, camera, failed }) {
  const select = h("select", { "aria-label": say("sources.gallery"), change: () => gallery(select.value) });
  const input = h("input", { type: "file", accept: "image/*,video/*", multiple: true, hidden: true, change: () => {
    take([...input.files]);
    input.value = "";
  } });
  const open = button({ class: "main-action", click: () => input.click() }, say("sources.open"));
  const element = h("div", { class: "sources" }, select, open, camera, input);
  let has = { video: !lacks.includes("video"), camera: !lacks.includes("camera") };

  function take(files) {
    const pictures = files.filter(({ type }) => IMAGE.test(type) || !VIDEO.test(type));
    const [film] = files.filter(({ type }) => VIDEO.test(type));
    if (film && !has.video) return failed(say("sources.no_video"));
    if (film) return video(film);
    if (pictures.length) photos(pictures);
    return undefined;
  }

  // Galleries as {name, title, reason}: one with a reason cannot be opened now. possible: what the engine can take.
  function show(galleries, chosen, possible) {
    has = { ...has, ...possible };
    camera.hidden = has.camera === false;
    select.replaceChildren(...galleries.map(({ name, title, reason = "" }) => h(
      "option", { value: name, selected: name === chosen, disabled: Boolean(reason), title: reason || null },
      reason ? say("sources.closed", { title: titleOf(name, title), reason }) : titleOf(name, title),
    )));
    select.value = chosen;
  }

  return { element, show, take };
}

// What a gallery is called.
export function titleOf(name, title) {
  const key = `sources.gallery_${name.replaceAll("-", "_")}`;
  return tells(key) ? say(key) : phrase(title ?? name);
}

// Let files be dropped and pasted anywhere on the page; returns what ends it.
export function takeAnywhere(take) {
  const veil = h("div", { class: "drop-veil", hidden: true }, h("p", {}, say("sources.drop")));
  document.body.append(veil);
  let depth = 0;
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const listeners = {
    dragenter: (event) => {
      if (!holdsFiles(event)) return;
      depth += 1;
      veil.hidden = false;
    },
    dragleave: (event) => {
      if (!holdsFiles(event)) return;
      depth = Math.max(0, depth - 1);
      veil.hidden = depth === 0;
    },
    dragover: (event) => holdsFiles(event) && event.preventDefault(),
    drop: (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      veil.hidden = true;
      take([...event.dataTransfer.files]);
    },
    paste: (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length) return;
      event.preventDefault();
      take(files);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener);
  return () => {
    veil.remove();
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener);
  };
}
