// Pictures that a person opens: decoded here, upright, over white where they are transparent; they leave the browser
// never.

import { say } from "../base/words.js";

export const MOST = 100;
const LONGEST = 2048; // pixels of the long side that are kept

// {name, src, width, height, pixels}: RGB bytes, row by row, and an address to look at.
export async function openPicture(file) {
  const picture = await decoded(file);
  if (!picture) throw new Error(say("static.no_photo", { name: file.name }));
  const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(scale * side)));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    pixels[3 * at] = data[4 * at];
    pixels[3 * at + 1] = data[4 * at + 1];
    pixels[3 * at + 2] = data[4 * at + 2];
  }
  return { name: file.name, src: URL.createObjectURL(file), width, height, pixels };
}

async function decoded(file) {
  try {
    return await createImageBitmap(file, { colorSpaceConversion: "none", imageOrientation: "from-image" });
  } catch {
    return null;
  }
}
