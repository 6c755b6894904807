// An equation in MathML, as large as its place allows.

import { math } from "../base/words.js";

export function showEquation(place, text) {
  place.style.fontSize = "";
  place.replaceChildren(math(text));
  fit(place, place.firstElementChild);
}

// Twice, since indices do not shrink evenly.
function fit(place, element) {
  if (!place.clientWidth) return;
  for (let turns = 0; turns < 2; turns += 1) {
    const box = element.getBoundingClientRect();
    const scale = Math.min(
      place.clientWidth / Math.max(box.width, element.scrollWidth),
      place.clientHeight / box.height,
    );
    if (scale < 1) place.style.fontSize = `${parseFloat(getComputedStyle(place).fontSize) * scale * 0.98}px`;
  }
}
