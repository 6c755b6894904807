// Files that this browser makes, as the page without a server always did. Each comes to the sentence that says so.

import { rounded } from "../../base/numbers.js";
import { contrastRecord } from "../../record/contrast.js";
import { saveComparison, saveContrast, saveExplanation, saveRanking } from "../../files/files.js";
import { maskOf, PLAIN } from "./pairs.js";
import { rankCaptions } from "./captions.js";
import { contrastFor, whyValue } from "./contrast.js";

export const FORMATS = { pair: ["png", "json"], ranking: ["csv"], captions: ["csv"], compare: ["png"], contrast: ["png", "json", "csv"] };
const TRUTH = { right: "yes", wrong: "no", typed: "" };

// read(values): the pair of a question; scoresOf(facts, caption, dense, ratio); orderOf(facts, scores, name): photos,
// the best first; compare(values): of the engine; sides(values): the two that a question sets side by side.
export function makeSaving({ site, models, pairs, read, scoresOf, orderOf, compare, sides }) {
  const looks = ({ layer = "mask", mask = "", opacity = 0.75, lines = true, objects = false }) => ({ layer, mask, opacity, lines, objects });

  return {
    async pair(values) {
      const { facts, index, caption, dense } = await read(values);
      const state = { ...PLAIN, gallery: facts.name, index, caption, dense, ...looks(values) };
      const mask = maskOf(state, facts.manifest.grid[0] * facts.manifest.grid[1]);
      const more = mask ? { by_hand: await pairs.decisionNumbers(facts, state, mask) } : {};
      const value = await pairs.viewerValue(facts, state);
      return saveExplanation({ site, pairs }, facts, state, value, { ...state, format: values.file_format }, more);
    },

    // A photo under a decision by hand is at its new place.
    async ranking({ ratio, mask, name, ...values }) {
      const { facts, index, caption, dense } = await read(values);
      const scores = Array.from(await scoresOf(facts, caption, dense, ratio));
      const forced = ratio ? null : maskOf({ mask }, facts.manifest.grid[0] * facts.manifest.grid[1]);
      if (forced) scores[index] = (await pairs.explained(facts, index, caption, forced, "", dense)).record.similarity;
      const decision = (at) => (forced ? [at === index ? "by hand" : "the model's"] : []);
      const rows = orderOf(facts, scores, name).map((at, rank) =>
        [rank + 1, facts.items[at].key, facts.items[at].photo.title, rounded(scores[at], 6), caption, ...decision(at)]);
      return saveRanking(facts, facts.name, [["rank", "photo", "title", "score", "caption", ...(forced ? ["decision"] : [])], ...rows]);
    },

    async captions({ gallery, index, pool, typed }) {
      const facts = await models.open(gallery);
      const source = pool === site.no_pool ? null : await models.open(pool);
      const rows = await rankCaptions({ engine: models, pairs }, facts, source, { index, typed });
      const lines = rows.map(({ caption, score, is }, rank) => [rank + 1, caption, rounded(score, 6), TRUTH[is]]);
      return saveRanking(facts, facts.items[index].photo.title, [["rank", "caption", "score", "written for this photo"], ...lines]);
    },

    async compare(values) {
      const { layer = "mask", objects = false, file_format: format } = values;
      return saveComparison(await compare(values), { format, layer, objects });
    },

    async contrast(values) {
      const { facts, state, order } = await sides(values);
      const record = contrastRecord(await contrastFor(pairs, facts, state, order), facts.model);
      const value = await whyValue(pairs, facts, state, order);
      return saveContrast(record, value, { format: values.file_format, layer: values.layer ?? "mask" });
    },
  };
}
