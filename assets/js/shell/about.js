// About: a panel with the three ideas, the models, licences and links.

import { button, h } from "../base/dom.js";
import { say, symbols, tells } from "../base/words.js";

const IDEAS = ["patch", "token", "score"];
const LINKS = { paper: "https://arxiv.org/abs/2511.01390", code: "https://github.com/Sweet4tars/seps" };

export function aboutPanel({ engine, closed }) {
  const models = h("p", {});
  const notes = h("div", { class: "notes" });
  const credits = h("ul", { class: "credits", tabindex: "0", "aria-label": say("about_page.photos") });
  const dialog = h(
    "dialog",
    { class: "panel", "aria-labelledby": "about-title", close: closed, click: (event) => event.target === dialog && dialog.close() },
    h("div", {},
      h("h2", { id: "about-title" }, say("about_page.title")),
      h("dl", {}, ...IDEAS.flatMap((name) => [
        h("dt", {}, say(`intro.${name}`)), h("dd", {}, ...symbols(say(`about_page.${name}`))),
      ])),
      h("h3", {}, say("about_page.models")),
      models, notes,
      h("h3", {}, say("about_page.photos")),
      credits,
      h("p", { class: "links" }, ...Object.entries(LINKS).map(([name, href]) =>
        h("a", { href, target: "_blank", rel: "noreferrer" }, say(`about_page.${name}`)))),
      button({ class: "main-action", autofocus: true, click: () => dialog.close() }, say("about_page.close")),
    ),
  );

  async function fill() {
    notes.replaceChildren(...engine.about().map((text) => h("p", {}, text)));
    const { galleries, credits: lines = [] } = await engine.start();
    const names = [...new Set(galleries.map(({ model }) => model))];
    models.textContent = names.map((name) => (tells(`about_page.model_${name}`) ? say(`about_page.model_${name}`) : name)).join(" ");
    credits.replaceChildren(...lines.map((text) => h("li", {}, text)));
  }

  return {
    element: dialog,
    toggle(isOpen) {
      if (isOpen === dialog.open) return;
      if (!isOpen) return dialog.close();
      dialog.showModal();
      fill().catch(() => {});
    },
  };
}
