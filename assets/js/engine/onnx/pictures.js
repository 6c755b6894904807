// Pictures that a person opens: decoded in this browser, upright, in sRGB, transparent ones over white, or over grey if
// white would hide them, as `seps/media/photos.py` does. They never leave the browser.

import { say } from "../../base/words.js";

export const MOST = 100;
const LONGEST = 2048; // pixels of the long side that are kept
const PROFILE = /ICC_PROFILE\0|iCCP|ICCP/; // where a JPEG, a PNG and a WebP have their colour profile
const HEIC = /^.{4}ftyp.{0,40}(heic|heix|heim|heis|mif1)/s;
const HEAD = 2 ** 20; // bytes in which a profile begins
const SAME = 1; // of 255: a profile that moves no colour further is that of sRGB
const [WHITE, GREY] = ["#ffffff", "#8a8a8a"];
const NEAR = 24; // values below white: what is so light cannot be seen on white

// {name, src, width, height, pixels}: RGB bytes, row by row, and an address to look at.
export async function openPicture(file) {
  const head = new TextDecoder("latin1").decode(await file.slice(0, HEAD).arrayBuffer());
  const plain = await decoded(file, "none");
  if (!plain) throw new Error(say(HEIC.test(head) ? "static.no_heic" : "static.no_photo", { name: file.name }));
  const drawn = laid(plain);
  const managed = PROFILE.test(head) ? await decoded(file, "default") : null;
  const converted = managed && laid(managed);
  const { canvas, data } = converted && differ(drawn.data, converted.data) ? converted : drawn;
  const pixels = new Uint8Array((data.length / 4) * 3);
  for (let at = 0; at < data.length / 4; at += 1) pixels.set(data.subarray(4 * at, 4 * at + 3), 3 * at);
  // What is shown is what was read, not the file, which may be transparent.
  const src = URL.createObjectURL(await canvas.convertToBlob({ type: "image/jpeg", quality: 0.92 }));
  return { name: file.name, src, width: canvas.width, height: canvas.height, pixels };
}

const decoded = (file, colorSpaceConversion) =>
  createImageBitmap(file, { colorSpaceConversion, imageOrientation: "from-image" }).catch(() => null);

// {canvas, data}: a decoded picture, which is closed then, laid over what lets it be seen, and its RGBA bytes.
function laid(picture) {
  const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(scale * side)));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  const draw = () => {
    context.drawImage(picture, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  };
  let data = draw();
  const backdrop = backdropOf(data);
  if (backdrop) {
    context.fillStyle = backdrop;
    context.fillRect(0, 0, width, height);
    data = draw();
  }
  picture.close();
  return { canvas, data };
}

// The colour behind a picture of these RGBA bytes, null where none can be seen; see `seps/media/transparency.py`.
function backdropOf(data) {
  const whole = (255 * data.length) / 4;
  let [visible, vanishing] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    visible += data[at + 3];
    if (Math.min(data[at], data[at + 1], data[at + 2]) >= 256 - NEAR) vanishing += data[at + 3];
  }
  if (visible === whole) return null;
  return vanishing > visible / 2 && visible - vanishing < whole - visible ? GREY : WHITE;
}

const differ = (values, other) => values.some((value, at) => Math.abs(value - other[at]) > SAME);

// Pictures with different names, by which a gallery knows them.
export function namedApart(pictures) {
  const times = new Map();
  return pictures.map((picture) => {
    const count = (times.get(picture.name) ?? 0) + 1;
    times.set(picture.name, count);
    return count === 1 ? picture : { ...picture, name: `${picture.name} (${count})` };
  });
}
