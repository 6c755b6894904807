// The foot of a view: buttons that save it, and its model.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { work } from "../page/busy.js";

const SPEC = "spec"; // of a figure
const nameOf = (format) => (format === SPEC ? say("button.spec") : format);

// A button for each format; `save` gets the clicked one's name. `key`: of the template that describes a button.
// `cancel` ends what takes long: until its file is there no other format can be asked for, and a button calls it.
export function downloadButtons(formats, save, key = "button.download", cancel = null) {
  const stop = button({
    class: "seps-cancel",
    hidden: true,
    click: () => {
      stop.disabled = true;
      cancel();
    },
  }, say("button.cancel"));
  const release = () => {
    for (const element of buttons) element.disabled = false;
    stop.hidden = true;
  };
  const buttons = formats.map((format) => button({
    "data-format": format.toLowerCase(),
    "aria-label": say(key, { format: nameOf(format) }),
    title: format === SPEC ? say("button.spec_hint") : null,
    click: ({ currentTarget }) => {
      save(format.toLowerCase());
      if (!work(currentTarget, cancel ? release : undefined) || !cancel) return;
      for (const element of buttons) element.disabled = true;
      Object.assign(stop, { hidden: false, disabled: false });
    },
  }, nameOf(format)));
  const all = cancel ? [...buttons, stop] : buttons;
  return h("div", { class: "seps-downloads", role: "group", "aria-label": say("button.downloads") }, ...all);
}

export function modelName(name) {
  return name && h("span", {}, say("button.model", { name }));
}
