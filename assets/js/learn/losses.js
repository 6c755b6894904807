// The losses on a batch under every margin and mining, and claims measured on the live model.

import { h } from "../base/dom.js";
import { inPageLanguage } from "../base/mount.js";
import { say } from "../base/words.js";
import { mount as claimsMount } from "../losses/claims.js";
import { mount as playgroundMount } from "../losses/playground.js";
import { latest } from "../shell/latest.js";
import { working } from "../shell/parts.js";

export function lossesPart({ engine, state, line }) {
  const [run, measure, guiding] = [latest(), latest(), latest()];
  const [playgroundPlace, claimsPlace] = ["seps-playground", "seps-claims"].map((name) => h("div", { class: name }));
  const advice = h("div", {});
  const tasks = h("pre", { class: "guide", tabindex: "0" });
  const fold = (name, content) => h("details", { class: "fold prose tables" }, h("summary", {}, say(`learn_page.${name}`)), content);
  const guide = engine.guide ? [fold("guide", advice), fold("tasks", tasks)] : [];
  const title = say(engine.lacks.includes("claims") ? "learn_page.claims_before" : "learn_page.claims");
  const element = h("div", {}, playgroundPlace, h("h3", {}, title), claimsPlace, ...guide);
  const work = working(element, line);
  const playground = playgroundMount(playgroundPlace, (event, { margin, mining, mask_ids: isMasked, share }) => {
    if (event === "share") state.set({ share: String(share) }, { quiet: true });
    if (event === "turn") state.set({ margin: String(margin), mining, mask_ids: isMasked ? "1" : "0" });
  });
  const claims = claimsMount(claimsPlace, (event, { claim }) => {
    if (event === "run") showClaims(claim);
  });

  const showClaims = (claim = "") => work(measure, async (signal) => {
    return engine.claims({ claim }, { signal, progress: claim ? line.progress(say("app.measuring")) : null });
  }, (value) => {
    const before = claims.value?.claims ?? [];
    const results = Object.fromEntries(before.filter(({ result }) => result).map(({ name, result }) => [name, result]));
    const now = inPageLanguage(value);
    claims.show({ ...now, claims: now.claims.map((row) => ({ ...row, result: row.result ?? results[row.name] ?? null })) });
  });

  function show(now, before) {
    if (!before && !claims.value) {
      showClaims();
      if (engine.guide) showGuide();
    }
    if (before && ["margin", "mining", "mask_ids"].every((name) => now[name] === before[name])) return;
    const values = { margin: Number(now.margin || 0.2), mining: now.mining || "all", mask_ids: now.mask_ids !== "0" };
    line.wait(say("app.measuring"));
    work(run, (signal) => engine.losses(values, { signal }), (value) => playground.show(before ? value : { ...value, ...shareOf(now) }));
  }

  const shareOf = ({ share }) => (share && Number(share) >= 0 && Number(share) <= 1 ? { share: Number(share) } : {});
  const showGuide = () => work(guiding, (signal) => engine.guide({}, { signal }), ({ html, tasks: text }) => {
    advice.innerHTML = html; // written by the app
    tasks.textContent = text;
  });

  return { element, show };
}
