// Lists that a person picks from: ranked photographs, ranked captions, a strip of photographs, example captions.
// Each is mounted on a Gradio HTML component and drawn anew from its value; nothing is computed but changes of place.
(() => {
  "use strict";

  const SIGNIFICANT = 3; // decimals of a score
  const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  /** An element with attributes, properties and children; text is always text, never markup. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "class") element.className = value;
      else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** Mount a list: draw it now and whenever Python sends another value. */
  function list(name, draw) {
    return (element, props, trigger, watch) => {
      const memory = {};
      const show = () => {
        const value = props.value;
        const root = make("div", { class: `seps-list ${name}` });
        if (value) draw(root, value, trigger, memory);
        element.replaceChildren(root);
        if (value && memory.drawn) memory.drawn(root);
      };
      show();
      watch("value", show);
    };
  }

  /** Mark a button as the one picked, at once; Python's next value says the same. */
  function press(event) {
    const button = event.currentTarget;
    for (const other of button.closest(".seps-list").querySelectorAll("[aria-pressed]")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
  }

  const score = (value) => value.toFixed(SIGNIFICANT);

  /** The bar under a score: its share of the way from the list's lowest to its highest. */
  function bar(value, low, high) {
    const share = high > low ? (value - low) / (high - low) : 1;
    return make("span", { class: "bar", "aria-hidden": "true" }, make("span", { style: `width:${100 * share}%` }));
  }

  /** The button that saves the whole ranking. */
  function take(trigger) {
    const label = "Download the ranking as CSV";
    return make("button", { type: "button", class: "take", "aria-label": label, onclick: () => trigger("export", {}) }, "CSV");
  }

  /** How a photograph moved since the ranking before: words, and a sign. */
  function change(before, now) {
    if (before === undefined || before === now) return null;
    const steps = Math.abs(before - now);
    const up = before > now;
    const label = `${up ? "up" : "down"} ${steps} ${steps === 1 ? "place" : "places"}`;
    return make("span", { class: `change ${up ? "up" : "down"}`, title: label, "aria-label": label }, `${up ? "▲" : "▼"}${steps}`);
  }

  /** value: {seconds, note, total, selected, lists: [{title, items: [{place, rank, title, thumb, score}]}]} */
  function drawRanking(root, value, trigger, memory) {
    const before = memory.ranks ?? {};
    const boxes = memory.boxes ?? {};
    memory.ranks = {};
    root.append(make("p", { class: "line", "aria-live": "polite" }, value.note));
    const lists = make("div", { class: `lists of-${value.lists.length}` });
    value.lists.forEach((part, number) => {
      const scores = part.items.map((item) => item.score);
      const [low, high] = [Math.min(...scores), Math.max(...scores)];
      const rows = part.items.map((item) => {
        const id = `${number}:${item.place}`;
        memory.ranks[id] = item.rank;
        return make(
          "li",
          { "data-id": id },
          make(
            "button",
            {
              type: "button",
              class: "row",
              "data-place": item.place,
              "aria-pressed": String(item.place === value.selected),
              onclick: (event) => {
                press(event);
                trigger("pick", { place: item.place });
              },
            },
            make("span", { class: "rank" }, String(item.rank)),
            make("img", { src: item.thumb, alt: "", loading: "lazy" }),
            make(
              "span",
              { class: "what" },
              make("span", { class: "title" }, item.title),
              make("span", { class: "score" }, score(item.score)),
              bar(item.score, low, high),
            ),
            change(before[id], item.rank),
          ),
        );
      });
      lists.append(
        make("section", {}, part.title ? make("h4", {}, part.title) : null, make("ol", { class: "ranked" }, ...rows)),
      );
    });
    root.append(lists, take(trigger));
    memory.drawn = (drawn) => slide(drawn, boxes, memory);
  }

  /** Let every row glide from where it was. Boxes are kept relative to their list, so that scrolling moves nothing. */
  function slide(root, boxes, memory) {
    memory.boxes = {};
    for (const item of root.querySelectorAll("li")) {
      const id = item.dataset.id;
      memory.boxes[id] = item.offsetTop;
      const moved = boxes[id] === undefined ? 0 : boxes[id] - item.offsetTop;
      if (moved && !calm()) {
        item.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 320, easing: "ease-out" });
      }
    }
  }

  /** value: {note, selected, recall, rows: [{rank, caption, score, mark: "right" | "wrong" | "typed"}]} */
  function drawCaptions(root, value, trigger) {
    const words = { right: "written for this photo", wrong: "written for another photo", typed: "typed here" };
    const signs = { right: "✓", wrong: "✗", typed: "✎" };
    const scores = value.rows.map((row) => row.score);
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    root.append(make("p", { class: "line", "aria-live": "polite" }, value.note));
    const rows = value.rows.map((row) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: `row ${row.mark ?? ""}`,
            "data-rank": row.rank,
            "aria-pressed": String(row.caption === value.selected),
            onclick: (event) => {
              press(event);
              trigger("pick", { caption: row.caption });
            },
          },
          make("span", { class: "rank" }, String(row.rank)),
          make(
            "span",
            { class: "what" },
            make("span", { class: "caption" }, row.caption),
            make("span", { class: "score" }, score(row.score)),
            bar(row.score, low, high),
          ),
          row.mark ? make("span", { class: "mark", title: words[row.mark], "aria-label": words[row.mark] }, signs[row.mark]) : null,
        ),
      ),
    );
    root.append(make("ol", { class: "ranked" }, ...rows));
    root.append(make("p", { class: "line recall" }, value.recall), take(trigger));
  }

  /** value: {selected, items: [{place, title, thumb}]} */
  function drawStrip(root, value, trigger) {
    root.append(
      ...value.items.map((item) =>
        make(
          "button",
          {
            type: "button",
            class: "thumb",
            title: item.title,
            "aria-label": item.title,
            "aria-pressed": String(item.place === value.selected),
            "data-place": item.place,
            onclick: (event) => {
              press(event);
              trigger("pick", { place: item.place });
            },
          },
          make("img", { src: item.thumb, alt: "", loading: "lazy" }),
        ),
      ),
    );
  }

  /** value: {items: ["a caption", ...]} */
  function drawChips(root, value, trigger) {
    root.append(
      ...value.items.map((text) =>
        make("button", { type: "button", class: "chip", onclick: () => trigger("pick", { caption: text }) }, text),
      ),
    );
  }

  window.SepsLists = {
    ranking: list("ranking", drawRanking),
    captions: list("captions", drawCaptions),
    strip: list("strip", drawStrip),
    chips: list("chips", drawChips),
  };
})();
