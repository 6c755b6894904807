// The foot of a view: buttons that save it, and its model.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";

// A button for each format; `save` gets the clicked one's name.
export function downloadButtons(formats, save) {
  const buttons = formats.map((format) => button({
    "data-format": format.toLowerCase(),
    "aria-label": say("button.download", { format }),
    click: () => save(format.toLowerCase()),
  }, format));
  return h("div", { class: "seps-downloads", role: "group", "aria-label": say("button.downloads") }, ...buttons);
}

export function modelName(name) {
  return name && h("span", {}, say("button.model", { name }));
}
