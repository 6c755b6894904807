// The entry of a view outside the app: in a frame of a notebook, or on a page that is one file. Nothing is fetched.

import { mount as compare } from "./compare/compare.js";
import { fitFrame, followTheme } from "./notebook/frame.js";
import { component } from "./static/component.js";
import { fileName, save } from "./static/saving.js";
import { layerSheet } from "./static/sheets/layer.js";
import { decode } from "./record/record.js";
import { mount as viewer } from "./viewer/viewer.js";

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
component(place, { viewer, compare }[name], value, answer);
fitFrame(place.parentElement);
