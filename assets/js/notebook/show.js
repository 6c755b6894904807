// Show the view named by a single-file page, with its data. Nothing is fetched.

import { fitFrame, followTheme } from "./frame.js";
import { decode } from "../record/record.js";
import { component } from "../base/component.js";
import { fileName, save } from "../files/saving.js";
import { layerSheet } from "../files/sheets/layer.js";

// mounts: of the views that there are, by name.
export function showPage(mounts) {
  const { component: name, value, theme } = JSON.parse(document.getElementById("shown").textContent);
  const place = document.getElementById("view");

  // The viewer's picture, as a file.
  async function answer(event, looks) {
    if (event !== "export" || name !== "viewer") return;
    const content = await layerSheet(decode(value.record), value, looks);
    save(fileName(value.model, value.caption, looks.layer, "png"), "image/png", content);
  }

  place.classList.add(`seps-${name}`);
  followTheme(theme);
  component(place, mounts[name], value, answer);
  fitFrame(place.parentElement);
}
