// The foot of a view: buttons that save it, and whose model it is.

import { button, h } from "../base/dom.js";
import { say } from "../base/words.js";
import { work } from "../page/busy.js";

// A button for each format; `save` is given the clicked one's name. `key`: of the template of what a button does.
export function downloadButtons(formats, save, key = "button.download") {
  const buttons = formats.map((format) => button({
    "data-format": format.toLowerCase(),
    "aria-label": say(key, { format }),
    click: ({ currentTarget }) => {
      save(format.toLowerCase());
      work(currentTarget);
    },
  }, format));
  return h("div", { class: "seps-downloads", role: "group", "aria-label": say("button.downloads") }, ...buttons);
}

export function modelName(name) {
  return name && h("span", {}, say("button.model", { name }));
}
