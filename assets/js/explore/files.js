// The files that can be downloaded in Explore.

import { looksOf } from "./looks.js";

// layer(), mask(): in sight; film(): formats of the video's timeline, none where there is no video.
export function explorerFiles({ look, state, layer, mask, film }) {
  return () => {
    if (!look.facts || !look.record) return [];
    const now = state.get();
    const pair = { gallery: look.facts.name, index: look.index, caption: now.caption || look.value.caption, dense: now.dense };
    const { name, all } = look.asked;
    const ratio = now.ratio ? Number(now.ratio) / 100 : null;
    const picture = { what: "pair", values: () => ({ ...pair, ...looksOf(now), layer: layer(), mask: mask() }) };
    if (now.mode === "captions") {
      return [picture, { what: "captions", label: "ranking", values: () => ({ ...pair, pool: look.pool, typed: now.typed }) }];
    }
    const ranking = { what: "ranking", label: "ranking", values: () => ({ ...pair, mask: now.mask, ratio, name, exhaustive: all && !ratio }) };
    return [picture, ranking, { what: "film", formats: film(), label: "timeline", values: () => ({ ...pair, other: now.other }) }];
  };
}
