// The kept patches whose dropping is described beside the effects of patches, as demo/service/measuring.py chooses them.

import { whereabouts } from "../record/whereabouts.js";
import { objectsName, patchesOf, phrasesOf } from "./scene.js";

const STRONG = 0.5; // of the highest effect: what a patch of the strongest region has at least

// {patches, name, named}; record: decoded; effects: one a patch; scene: {facts, nouns}, null of a photograph.
export function describedRegion(record, effects, caption, scene) {
  const [{ kept }] = record.branches;
  for (const { objects } of scene ? phrasesOf(scene.facts, scene.nouns, caption) : []) {
    const patches = patchesOf(scene.facts, objects, kept.length).map((inside, patch) => (inside && kept[patch] ? 1 : 0));
    if (patches.some(Boolean)) return { patches, name: objectsName(scene.facts, objects), named: true };
  }
  const patches = strongest(kept, effects, record.grid);
  return { patches, name: whereabouts(patches, record.grid) ?? "", named: false };
}

// The kept patches around the one whose dropping costs most, each of at least half of its effect, side by side.
function strongest(kept, effects, [rows, columns]) {
  const amounts = Array.from(effects, (effect, patch) => (kept[patch] ? effect : 0));
  const most = Math.max(...amounts);
  const region = amounts.map(() => 0);
  if (most <= 0) return region;
  const waiting = [amounts.indexOf(most)];
  while (waiting.length) {
    const patch = waiting.pop();
    if (region[patch] || amounts[patch] < STRONG * most) continue;
    region[patch] = 1;
    const [row, column] = [Math.floor(patch / columns), patch % columns];
    if (row > 0) waiting.push(patch - columns);
    if (row < rows - 1) waiting.push(patch + columns);
    if (column > 0) waiting.push(patch - 1);
    if (column < columns - 1) waiting.push(patch + 1);
  }
  return region;
}
