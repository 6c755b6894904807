// The losses on a batch under every margin and mining, and claims measured on the live model.

import { h } from "../base/dom.js";
import { inPageLanguage } from "../base/mount.js";
import { say } from "../base/words.js";
import { mount as claimsMount } from "../losses/claims.js";
import { mount as playgroundMount } from "../losses/playground.js";
import { latest } from "../shell/latest.js";
import { working } from "../shell/parts.js";
import { component } from "../base/component.js";

export function lossesPart({ engine, state, line }) {
  const [run, measure] = [latest(), latest()];
  const [playgroundPlace, claimsPlace] = ["seps-playground", "seps-claims"].map((name) => h("div", { class: name }));
  const element = h("div", {}, playgroundPlace, h("h3", {}, say(engine.lacks.includes("claims") ? "learn_page.claims_before" : "learn_page.claims")), claimsPlace);
  const work = working(element, line);
  const playground = component(playgroundPlace, playgroundMount, null, (event, { margin, mining, mask_ids: isMasked }) => {
    if (event === "turn") state.set({ margin: String(margin), mining, mask_ids: isMasked ? "1" : "0" });
  });
  const claims = component(claimsPlace, claimsMount, null, (event, { claim }) => {
    if (event === "run") showClaims(claim);
  });

  const showClaims = (claim = "") => work(measure, async (signal) => {
    const progress = ({ text, done }) => line.wait(text || say("app.measuring"), done);
    return engine.claims({ claim }, { signal, progress: claim ? progress : null });
  }, (value) => {
    const before = claims.value?.claims ?? [];
    const results = Object.fromEntries(before.filter(({ result }) => result).map(({ name, result }) => [name, result]));
    const now = inPageLanguage(value);
    claims.show({ ...now, claims: now.claims.map((row) => ({ ...row, result: row.result ?? results[row.name] ?? null })) });
  });

  function show(now, before) {
    if (!before) showClaims();
    if (before && ["margin", "mining", "mask_ids"].every((name) => now[name] === before[name])) return;
    const values = { margin: Number(now.margin || 0.2), mining: now.mining || "all", mask_ids: now.mask_ids !== "0" };
    work(run, (signal) => engine.losses(values, { signal }), (value) => playground.show(value));
  }

  return { element, show };
}
