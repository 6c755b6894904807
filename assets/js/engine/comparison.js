// Captions over one photograph, computed in this browser. As demo/views/compare.py.

import { overlapOf, sharedSentence } from "../record/decision.js";
import { unfoundValue } from "../record/unfound.js";
import { linkTo, measureOf } from "./pairs.js";
import { objectsValue } from "./scene.js";

// What captions over one photograph are drawn from, `state` saying of which and how.
export async function comparison(pairs, facts, state, captions) {
  const { index, layer, dense } = state;
  const { photo, scene } = facts.items[index];
  const items = [];
  for (const caption of captions) {
    const { record, packed } = await pairs.explained(facts, index, caption, null, measureOf(layer));
    items.push({
      caption,
      similarity: record.similarity,
      record: packed,
      unfound: unfoundValue(record, facts.language),
      ...(scene ? { objects: objectsValue(scene, facts.nouns, caption) } : {}),
    });
  }
  const masks = items.map(({ record }) => record.branches[0].kept);
  return {
    photo,
    model: facts.model,
    layer,
    items,
    outlined: state.objects,
    unit: scene?.unit ?? null,
    overlap: masks.map((mask) => masks.map((other) => overlapOf(mask, other))),
    shared: sharedSentence(masks),
    link: linkTo("compare", facts, { index, caption: captions.join("\n") }, dense ? { dense } : {}),
  };
}
