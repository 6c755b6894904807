// The address in the browser's bar: it leads back to the view that is shown.

import { askedNames } from "./embed.js";
import { showed } from "./trail.js";

const OPACITY = 75; // percent, where a link says nothing
const SHARE = 0.3; // of patches kept, likewise
// Of a link, what was asked for; the others are how it is drawn.
const ASKED = ["view", "model", "gallery", "caption", "dense", "other", "against", "typed", "pool"];

// What a value answers, of a person's own photograph too, which has no link: a line about all but the photograph, and a
// line about that.
function pairOf(value) {
  const lines = (...parts) => parts.map((part) => JSON.stringify(part)).join("\n");
  if (!value?.link) return lines([value?.caption, value?.dense_caption], [value?.photo?.title, value?.photo?.src?.length]);
  const query = new URLSearchParams(value.link);
  const drawn = query.get("view") === "generate" ? ["seed", "steps", "guidance", "count"] : [];
  return lines([...ASKED, ...drawn].map((name) => query.get(name)), query.get("photo"));
}

function addressOf(value, { layer, opacity, lines, objects, step, talk, spoil, strength, share, mask, budget }) {
  if (!value?.link) return null;
  const percent = Math.round(100 * (opacity ?? OPACITY / 100));
  const settings = Object.entries({
    layer: layer === "mask" ? null : layer,
    opacity: percent === OPACITY ? null : percent,
    grid: lines === false ? 0 : null,
    objects: objects ? 1 : null,
    mask: mask || null,
    budget: budget || null,
    step,
    talk: talk ? 1 : null,
    spoil: strength ? spoil : null,
    strength: strength || null,
    share: share === SHARE ? null : share,
  });
  const rest = settings.filter(([, setting]) => setting !== null && setting !== undefined).map(([name, setting]) => `&${name}=${encodeURIComponent(setting)}`);
  return value.link + rest.join("");
}

const viewOf = (query) => new URLSearchParams(query).get("view");

const withDark = (detail) => ({ ...detail, dark: document.body.classList.contains("dark") });

// The mount of a picture view without a link of its own: what it saves is drawn in the page's colours.
export function darkTold(mount) {
  return (element, props, trigger, watch) =>
    mount(element, props, (event, detail) => trigger(event, event === "export" ? withDark(detail) : detail), watch);
}

// The mount of a picture view, whose link follows it into the address while it is in sight.
export function linked(mount) {
  return (element, props, trigger, watch) => {
    const seen = () => element.offsetParent !== null;
    let kept = {}; // what a new value does not change: the lesson's step and mode, the losses' kept share
    let drawn = {}; // what a new value brings along: a picture's layer and looks
    let shown = seen();
    const hold = () => {
      if (typeof props.value?.share === "number") kept = { share: props.value.share };
    };
    const remember = (value, detail, isNew = false) => {
      if (value?.waiting) return; // the address leads to what is waited for
      showed(element, addressOf(value, detail), pairOf(value), value?.photo?.title, isNew);
    };
    const bar = (isNew) => remember(props.value, { objects: props.value?.outlined, ...props.value, ...kept, ...drawn }, isNew);
    mount(
      element,
      props,
      (event, detail) => {
        if (["step", "share"].includes(event)) kept = { ...detail };
        if (["layer", "measure", "slide"].includes(event)) drawn = { ...detail };
        if (["layer", "measure", "step", "slide", "share"].includes(event) && seen()) remember(props.value, detail);
        if (event === "share") return; // of the address alone
        trigger(event, event === "export" ? withDark(detail) : detail);
      },
      (names, call) =>
        watch(names, () => {
          call();
          hold();
          drawn = {};
          if (seen()) bar(true);
        }),
    );
    hold();
    // The address follows a view that comes back into sight as it was.
    new ResizeObserver(() => {
      if (seen() && !shown && props.value?.link) bar();
      shown = seen();
    }).observe(element);
    // A view that another one led to is mounted with its value; its tab may have left the view's name alone here.
    const isBare = askedNames().filter((name) => name !== "lang").length === 1;
    if (props.value && seen() && (isBare || viewOf(location.search) !== viewOf(props.value.link ?? ""))) bar(true);
  };
}
