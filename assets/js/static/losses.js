// Losses without a server: a batch's similarities under settings that a person moves, claims and the training guide as
// they were measured when the page was made. As demo/screens/losses/view.py answers the triggers in the app.

import { inPageLanguage } from "../base/mount.js";
import { say } from "../base/words.js";
import { fetchedJson } from "../engine/fetching.js";
import { playgroundUnder } from "../engine/loss.js";
import { failure } from "../engine/remote.js";
import { mount as claims } from "../losses/claims.js";
import { mount as playground } from "../losses/playground.js";
import { linked } from "../page/address.js";
import { makeView } from "./view.js";

const USUAL = { margin: "0.2", mining: "all", mask_ids: "1", share: "0.3" }; // as links write them

export function lossesView({ site, line }) {
  const view = makeView(line, {
    playground: ["losses-playground", linked(playground), { turn: (settings) => view.show(() => values(settings)) }],
    claims: ["losses-claims", claims, {}],
  }, put);
  const guide = document.getElementById("training-guide");
  let state = settingsOf(new URLSearchParams());
  let fetching = null; // what is shown, to be

  function put({ state: next, guide: html }) {
    if (next) state = next;
    if (html !== undefined) guide.innerHTML = html;
  }

  function facts() {
    if (!fetching) {
      fetching = fetchedJson(`${site.parts.losses}/losses.json`).catch(({ message: reason }) => {
        fetching = null;
        throw failure(reason, "static.no_losses");
      });
    }
    return fetching;
  }

  // share: the kept share at which the ratio losses are read, where a link names it.
  /** @type {(asked: any) => Promise<any>} */
  async function values({ share = null, ...settings }) {
    const known = await facts();
    const value = playgroundUnder(known.playground, settings);
    const shown = { ...value, link: linkTo(settings), ...(share === null ? {} : { share }) };
    return { state: settings, playground: shown };
  }

  async function whole(settings) {
    const { claims: measured, guide: html } = await facts();
    return { ...await values(settings), claims: inPageLanguage(measured), guide: html };
  }

  const example = () => whole(settingsOf(new URLSearchParams()));

  const open = (query, problem) => view.follow(async () => {
    if (!view.value("playground")) view.place({ playground: { waiting: say("hint.computing") } });
    return whole(settingsOf(query));
  }, example, problem);

  return { open, again: (now) => view.show(() => whole(now)), state: () => state };
}

// The settings of a query; throws where it names one that does not exist.
function settingsOf(query) {
  const texts = Object.fromEntries(Object.entries(USUAL).map(([name, usual]) => [name, query.get(name) ?? usual]));
  const [margin, share] = ["margin", "share"].map((name) => numberOf(name, texts[name]));
  chosen("mining", texts.mining, ["all", "hardest"]);
  chosen("mask_ids", texts.mask_ids, ["0", "1"]);
  return { margin, mining: texts.mining, mask_ids: texts.mask_ids === "1", share };
}

function numberOf(name, text) {
  const [low, high] = [0, 1];
  const value = Number(text.trim() || NaN);
  if (!Number.isFinite(value)) throw new Error(say("static.no_number", { name, value: text }));
  if (value < low || value > high) throw new Error(say("static.outside", { name, value, low, high }));
  return value;
}

function chosen(name, value, [choice, other]) {
  if (value !== choice && value !== other) throw new Error(say("static.no_choice", { name, value, choice, other }));
}

// The query that leads to settings, here and in the app.
function linkTo({ margin, mining, mask_ids: isMasked }) {
  const texts = { margin: String(Number(margin.toPrecision(6))), mining, mask_ids: isMasked ? "1" : "0" };
  const moved = Object.entries(texts).filter(([name, text]) => text !== USUAL[name]);
  return `?${new URLSearchParams({ view: "losses", ...Object.fromEntries(moved) })}`;
}
