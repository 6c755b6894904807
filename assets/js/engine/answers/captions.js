// Captions ranked for a photograph in this browser. As demo/views/captions.py.

import { listed, say } from "../../base/words.js";
import { readLines } from "./language.js";
import { fromHighest } from "../../base/arrays.js";

const LISTED = 30; // captions of a ranking that are shown
const RECALL_AT = [1, 5, 10];

// What the list of captions is drawn from; rows: {caption, score, is}, the best first.
export function rankingValue(rows) {
  const isKnown = rows.some(({ is }) => is === "right");
  return {
    recall: recallLine(rows),
    rows: rows.slice(0, LISTED).map(({ caption, score, is }, index) =>
      ({ rank: index + 1, caption, score, mark: isKnown || is === "typed" ? is : null })),
  };
}

function recallLine(rows) {
  const first = rows.findIndex(({ is }) => is === "right");
  if (first < 0) return say("captions.no_truth");
  const hits = RECALL_AT.map((k) => say(first < k ? "captions.hit" : "captions.miss", { k }));
  return say("captions.recall", { hits: listed(hits, "clause"), best: first + 1 });
}

// Rank captions for a photograph, best first: [{caption, score, is}], where `is` is "right" for captions written for this
// photograph, "wrong" for others, "typed" for a person's own. pool: facts of the gallery with the captions, or null.
export async function rankCaptions({ engine, pairs }, facts, pool, { index, typed }) {
  const written = await readLines(pairs, facts, typed);
  const { model, name } = facts;
  const isOwn = pool?.name === name;
  const pooled = (pool?.items ?? []).flatMap(({ captions }, owner) =>
    captions.map((caption) => ({ caption, is: isOwn && owner === index ? "right" : "wrong" })));
  const rows = [...pooled, ...written.map((caption) => ({ caption, is: "typed" }))];
  if (!rows.length) throw new Error(say("static.no_captions"));
  if (pool) {
    const count = pooled.length;
    const progress = (number) => engine.tell(say("static.reading_captions", { number, count }));
    await engine.ask("pool", { model, name: pool.name, captions: pooled.map(({ caption }) => caption) }, progress);
    engine.tell("");
  }
  const scores = await engine.ask("captions", { model, gallery: name, index, pool: pool?.name, captions: written });
  return fromHighest(scores).map((at) => ({ ...rows[at], score: scores[at] }));
}
