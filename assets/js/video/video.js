// A video of a person's own: looked at before it is sent, sent, and read by the app while a bar tells how far it is.

import { button, h } from "../base/dom.js";
import { lasting } from "../base/mount.js";
import { say } from "../base/words.js";

const PATIENCE = 4000; // milliseconds until a browser that cannot read a video's length has told so
const MEGABYTE = 2 ** 20;

// How many seconds a video lasts; null where this browser cannot tell.
function lengthOf(file) {
  const player = document.createElement("video");
  const address = URL.createObjectURL(file);
  const known = new Promise((done) => {
    // A recording that begins at an hour "lasts" an hour more: its first frame says so.
    const lasts = (start) => done(Number.isFinite(player.duration) ? player.duration - start : null);
    if (player.requestVideoFrameCallback) player.requestVideoFrameCallback((_, { mediaTime }) => lasts(mediaTime));
    else player.onloadedmetadata = () => lasts(0);
    player.onerror = () => done(null);
    setTimeout(() => done(null), PATIENCE);
  });
  player.preload = "auto";
  player.muted = true;
  player.src = address;
  return known.finally(() => URL.revokeObjectURL(address));
}

// Send a file: calls `progress` with the fraction that is sent and `done` with its path on the server, or with null;
// returns what stops it.
function send(file, progress, done) {
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("files", file, file.name);
  request.upload.onprogress = ({ loaded, total }) => progress(total ? loaded / total : 0);
  request.onload = () => done(request.status === 200 ? (request.response?.[0] ?? null) : null);
  request.onerror = () => done(null);
  request.responseType = "json";
  request.open("POST", "gradio_api/upload?video");
  request.send(form);
  return () => request.abort();
}

function build(root, trigger) {
  let value = null;
  let name = "";
  let abort = null; // stops what is being sent

  const input = h("input", { type: "file", accept: "video/*,.mkv,.avi,.flv,.wmv,.ogv,.ts,.mts,.m2ts,.mxf,.gif", hidden: true, change: () => chosen(input.files[0]) });
  const choose = button({ class: "seps-action", click: () => input.click() }, say("video.choose"));
  const hint = h("p", { class: "hint" });
  const bar = h("progress", { max: 1, value: 0, "aria-hidden": "true" });
  const says = h("p", { class: "seps-video-says", role: "status", "aria-live": "polite" });
  const stop = button({ class: "seps-action", click: stopped }, say("video.stop"));
  root.replaceChildren(input, choose, hint, bar, says, stop);

  async function chosen(file) {
    input.value = "";
    if (!file) return;
    name = file.name;
    const { bytes, seconds } = value;
    if (file.size > bytes) return show(say("video.large", { name, size: file.size / MEGABYTE, most: bytes / MEGABYTE }));
    const length = await lengthOf(file);
    if (length !== null && length >= seconds + 1) return show(say("video.long", { name, seconds: length, most: seconds }));
    const progress = (fraction) => show(say("video.sending", { name, percent: 100 * fraction }), fraction);
    progress(0);
    abort = send(file, progress, (path) => {
      abort = null;
      if (path === null) show(say("video.unsent", { name }));
      else trigger("read", { upload: path });
    });
  }

  function stopped() {
    if (abort) {
      abort();
      abort = null;
      show(say("video.stopped", { name }));
    } else trigger("stop", { name });
  }

  // A sentence, and how far it is, null where nothing is under way.
  function show(sentence, fraction = null) {
    says.textContent = sentence;
    says.hidden = !sentence;
    const idle = fraction === null;
    for (const element of [choose, hint]) element.hidden = !idle;
    for (const element of [bar, stop]) element.hidden = idle;
    if (fraction) bar.value = fraction;
    else bar.removeAttribute("value"); // which moves to and fro
  }

  function update(next) {
    value = next;
    hint.textContent = say("video.hint", { minutes: value.seconds / 60, most: value.bytes / MEGABYTE });
    if (abort) return; // another answer: what is being sent goes on
    show(value.says, value.busy ? value.done : null);
  }
  return { update, end: () => abort?.() };
}

// trigger("read", {upload}) follows a video that was sent, trigger("stop", {name}) the wish that it be let go.
export const mount = lasting("seps-video", build, "");
