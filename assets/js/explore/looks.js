// How the picture is drawn: its opacity, the grid, a scene's true objects, and of which caption where there is a dense one.

import { button, h, press } from "../base/dom.js";
import { say } from "../base/words.js";
import { hasLayer } from "../record/record.js";

const BRANCHES = ["sparse", "dense", "both"];
const USUAL = 75; // percent

export const looksOf = ({ opacity, grid, objects }) => ({
  opacity: Math.min(100, Math.max(0, Number(opacity || USUAL))) / 100 || 0, lines: grid !== "0", objects: objects === "1",
});

// changed(changes): of the state; branch(name): the layer of another caption is wanted.
export function pictureLooks({ changed, branch }) {
  const opacity = h("input", { type: "range", min: "0", max: "100", step: "5",
    input: () => changed({ opacity: opacity.valueAsNumber === USUAL ? "" : String(opacity.valueAsNumber) }) });
  const check = (name, value) => {
    const box = h("input", { type: "checkbox", change: () => changed({ [name]: box.checked === (name === "grid") ? "" : value }) });
    return box;
  };
  const [grid, objects] = [check("grid", "0"), check("objects", "1")];
  const trueObjects = h("label", {}, objects, " ", say("button.objects"));
  const branches = BRANCHES.map((name) => button({ "data-branch": name, click: () => branch(name) }, say(`branch.${name}`)));
  const ofBranches = h("div", { class: "switch", role: "group", "aria-label": say("group.branch"), hidden: true }, ...branches);
  const element = h("details", { class: "fold looks" }, h("summary", {}, say("explore.looks")),
    h("label", {}, say("button.opacity"), " ", opacity), h("label", {}, grid, " ", say("button.grid")), trueObjects);

  // layer: as `parseLayer` reads it; scene: of the photo, or null.
  function show(now, record, layer, scene) {
    const { opacity: part, lines, objects: isOutlined } = looksOf(now);
    if (document.activeElement !== opacity) opacity.value = String(Math.round(100 * part));
    grid.checked = lines;
    objects.checked = isOutlined;
    trueObjects.hidden = !scene;
    ofBranches.hidden = record.branches.length < 2;
    for (const each of branches) each.disabled = !hasLayer(record, { ...layer, branch: each.dataset.branch });
    press(branches, ({ dataset }) => dataset.branch === layer.branch);
  }

  return { element, branches: ofBranches, show };
}
