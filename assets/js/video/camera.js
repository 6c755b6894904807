// The camera: what the caption keeps of its picture, frame by frame. The next frame is sent when the answer to the last
// one is there, so that none waits; what is shown is the frame that the answer is of. Nothing is stored but a frozen frame.

import { sum } from "../base/arrays.js";
import { floats, fixed } from "../base/numbers.js";
import { paintPatches } from "../base/canvas.js";
import { VEIL, look } from "../base/colours.js";
import { button, describedBy, h, press } from "../base/dom.js";
import { say } from "../base/words.js";
import { readMask } from "../viewer/masks.js";

const SENT = 448; // pixels of the long side of a frame that is looked at: a model reads no more
const KEPT = 900; // of one that is frozen
const QUALITY = 0.8; // of JPEG
const OPACITY = 0.75;
const MEASURED = 8; // frames of which the rate is that
const PATIENCE = 8000; // milliseconds until a frame without an answer is given up
const RESTING = 200; // milliseconds between two looks at a camera that has no picture, or is not in sight
const PROBLEMS = {
  NotAllowedError: "denied", SecurityError: "denied", NotFoundError: "none", OverconstrainedError: "none",
  NotReadableError: "busy", AbortError: "busy",
};

// A canvas as base64 of a JPEG, at most so many pixels long.
const jpegOf = (source, longest) =>
  scaled(source, source.width, source.height, longest).toDataURL("image/jpeg", QUALITY).split(",")[1];

function scaled(source, width, height, longest) {
  const factor = Math.min(1, longest / Math.max(width, height));
  const canvas = h("canvas", { width: Math.round(width * factor), height: Math.round(height * factor) });
  canvas.getContext("2d").drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}

// The camera in Explore. caption(), gallery(): for its frames; frozen(work): work() leads to the frame as a gallery.
export function cameraLens({ engine, caption, gallery, frozen }) {
  const player = h("video", { playsinline: true, muted: true });
  let isOn = false;
  let facing = "environment";
  let [stream, frame, sentAt] = [null, null, null]; // frame: what is being looked at, a canvas
  let shown = null; // {frame, value} that is drawn
  let word = null; // index of the word whose map is drawn, null for the mask
  let times = []; // when answers came, and how long they took
  let timer = 0;

  const canvas = h("canvas", { role: "img" });
  const words = h("div", { class: "seps-camera-words", role: "group", "aria-label": say("group.words") });
  const score = h("p", { class: "seps-camera-score" });
  const says = h("p", { class: "seps-camera-says", role: "status" });
  const freeze = button({ class: "seps-action seps-freeze", click: keep }, say("camera.freeze"));
  const other = button({ class: "seps-action", hidden: true, click: around }, say("camera.other"));
  const off = button({ class: "seps-action", click: () => turn(false) }, say("camera.off"));
  describedBy(canvas, score);
  const stage = h("div", { class: "seps-camera", hidden: true }, words, canvas, score, says, h("div", { class: "seps-camera-acts" }, freeze, other, off));
  const toggle = button({ class: "seps-action", "aria-pressed": "false", click: () => turn(!isOn) }, say("camera.switch"));

  function turn(on) {
    isOn = on;
    toggle.setAttribute("aria-pressed", String(on));
    stage.hidden = !on;
    if (on) start();
    else end();
  }

  async function start() {
    freeze.disabled = true;
    says.textContent = say("camera.starting");
    const asked = { audio: false, video: { facingMode: facing, width: { ideal: 1280 }, height: { ideal: 720 } } };
    try {
      if (!navigator.mediaDevices) throw new DOMException("", "insecure");
      const opened = await navigator.mediaDevices.getUserMedia(asked);
      if (!isOn) return opened.getTracks().forEach((track) => track.stop());
      stream = opened;
      player.srcObject = stream;
      await player.play();
      const devices = await navigator.mediaDevices.enumerateDevices();
      other.hidden = devices.filter(({ kind }) => kind === "videoinput").length < 2;
      send();
    } catch (error) {
      says.textContent = say(`camera.${error.name === "insecure" ? "insecure" : (PROBLEMS[error.name] ?? "busy")}`);
    }
  }

  function end() {
    clearTimeout(timer);
    stream?.getTracks().forEach((track) => track.stop());
    player.srcObject = null;
    [stream, frame, shown, sentAt, times] = [null, null, null, null, []];
  }

  function around() {
    facing = facing === "user" ? "environment" : "user";
    end();
    start();
  }

  function later(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(send, milliseconds);
  }

  // Send the picture of now, where the last one is answered.
  function send() {
    if (!stream) return undefined;
    const waits = sentAt !== null && performance.now() - sentAt < PATIENCE;
    if (waits || document.hidden || !stage.offsetParent || !player.videoWidth) return later(RESTING);
    sentAt = performance.now();
    frame = scaled(player, player.videoWidth, player.videoHeight, KEPT);
    later(PATIENCE);
    return ask({ gallery: gallery(), caption: caption(), frame: jpegOf(frame, SENT) });
  }

  async function ask(asked) {
    const value = await engine.look(asked).catch(({ message }) => ({ problem: message }));
    if (!stream || sentAt === null) return undefined;
    const now = performance.now();
    times = [...times, { at: now, took: now - sentAt }].slice(-MEASURED);
    sentAt = null;
    later(0);
    if (value.problem) return void (says.textContent = value.problem);
    const same = shown && shown.value.words.join(" ") === value.words.join(" ");
    shown = { frame, value };
    freeze.disabled = false;
    if (!same) offer(value.words);
    return draw();
  }

  function offer(names) {
    word = null;
    const choice = (index, name) => button({ "data-word": index ?? "", click: () => {
      word = index;
      draw();
    } }, name);
    words.replaceChildren(choice(null, say("camera.mask")), ...names.map((name, index) => choice(index, name)));
  }

  function draw() {
    const { frame: { width, height }, value } = shown;
    press(words.children, (item) => item.dataset.word === String(word ?? ""));
    Object.assign(canvas, { width, height });
    canvas.getContext("2d").drawImage(shown.frame, 0, 0);
    const count = value.grid[0] * value.grid[1];
    const mask = readMask(value.mask, count);
    if (word === null) paintPatches(canvas, value.grid, (patch) => !mask[patch] && [VEIL, OPACITY]);
    else {
      const map = floats(value.maps)[word];
      const range = [0, Math.max(...map)];
      paintPatches(canvas, value.grid, (patch) => look(map[patch], range, OPACITY));
    }
    const kept = sum(mask);
    canvas.setAttribute("aria-label", say("mask.count", { kept, total: count }));
    score.textContent = say("camera.score", { score: fixed(value.similarity, 2), kept, total: count, model: value.model });
    const took = times.map((time) => time.took).sort((first, second) => first - second);
    const milliseconds = took[Math.floor(took.length / 2)];
    const span = times.at(-1).at - times[0].at;
    const rate = span > 0 ? (1000 * (times.length - 1)) / span : 1000 / milliseconds;
    says.textContent = say("camera.rate", { rate, milliseconds });
    stage.dataset.milliseconds = fixed(times.at(-1).took, 1);
  }

  function keep() {
    const still = jpegOf(shown.frame, KEPT);
    frozen((_, options) => engine.freeze({ frame: still }, options));
    turn(false);
  }

  const place = h("div", { class: "lens" }, h("div", { class: "seps-view seps-lens" }, stage));
  return { element: place, toggle: h("div", { class: "camera-switch" }, h("div", { class: "seps-view seps-video" }, toggle)) };
}
