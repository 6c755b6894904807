// The lesson's settings, what they moved, and the rank that follows.
window.SepsKnobs = (() => {
  "use strict";

  const h = (...rest) => SepsControls.h(...rest);
  const KNOBS = {
    keep_ratio: ["Keep ratio", "range", { min: 0.05, max: 1, step: 0.01 }],
    aggr_ratio: ["Aggregation ratio", "range", { min: 0.05, max: 1, step: 0.01 }],
    beta: ["Beta", "range", { min: 0, max: 0.5, step: 0.01 }],
    top_k: ["Top K", "range", { min: 1, max: 10, step: 1 }],
    decision: ["Decision", "select", { "top-k": "top-k", gumbel: "Gumbel-Softmax" }],
    temperature: ["Temperature", "range", { min: 0.1, max: 5, step: 0.1 }],
    seed: ["Seed", "number", { min: 0, step: 1 }],
    dense: ["Dense caption", "checkbox", {}],
    variant: ["Variant", "select", { paper: "paper", released: "released code" }],
  };
  const DRAWS = ["temperature", "seed"]; // of Gumbel-Softmax alone
  const DEBOUNCE = 250; // milliseconds

  // The panel of settings. `change` is given all of them, once they have rested. `update(value)` shows a value's.
  function create(change) {
    let timer = 0;
    let value = null;
    const rows = Object.fromEntries(
      Object.entries(KNOBS).map(([name, [label, kind, options]]) => {
        const id = `seps-knob-${name}-${Math.random().toString(36).slice(2)}`;
        const input =
          kind === "select"
            ? h(
                "select",
                { id, input: changed },
                ...Object.entries(options).map(([key, text]) => h("option", { value: key }, text)),
              )
            : h("input", { id, type: kind, ...options, input: changed });
        const reading = h("output", { for: id });
        const mark = h("span", { class: "seps-untrained", hidden: true }, "not trained for");
        const why = h("small", { id: `${id}-why` });
        input.setAttribute("aria-describedby", `${id}-why`);
        const element = h(
          "div",
          { class: "seps-knob", "data-knob": name },
          h("label", { for: id }, label),
          input,
          kind === "range" ? reading : "",
          mark,
          why,
        );
        return [name, { element, input, reading, mark, why, kind }];
      }),
    );
    const reset = SepsControls.button({ class: "seps-reset", click: back }, "As trained");
    const element = h(
      "div",
      { class: "seps-knobs", role: "group", "aria-label": "Settings" },
      ...Object.values(rows).map((row) => row.element),
      reset,
    );

    function read({ input, kind }) {
      if (kind === "checkbox") return input.checked;
      return kind === "select" ? input.value : Number(input.value);
    }

    function put({ input, kind }, setting) {
      if (kind === "checkbox") input.checked = setting;
      else input.value = String(setting);
    }

    const settings = () => Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, read(row)]));

    function readings() {
      for (const [name, { reading, input, element: row }] of Object.entries(rows)) {
        reading.textContent =
          name === "top_k" ? input.value : Number(input.value).toFixed(name === "temperature" ? 1 : 2);
        row.hidden = DRAWS.includes(name) && rows.decision.input.value !== "gumbel";
      }
    }

    function changed() {
      if (rows.seed.input.value === "" || !rows.seed.input.checkValidity()) return;
      readings();
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = 0;
        change(settings());
      }, DEBOUNCE);
    }

    // As the model was trained; its decisions by the top k, as every model is evaluated.
    function back() {
      for (const [name, row] of Object.entries(rows)) put(row, name === "decision" ? "top-k" : value.trained[name]);
      changed();
    }

    // A setting that a person has just moved stays where it is until its own answer comes.
    function update(next) {
      value = next;
      for (const [name, row] of Object.entries(rows)) {
        const [low, high] = value.limits?.[name] ?? [];
        if (row.kind === "range" && high !== undefined) Object.assign(row.input, { min: low, max: high });
        if (!timer) put(row, value.knobs[name]);
        const why = value.fixed[name] ?? "";
        row.input.disabled = why !== "";
        row.why.replaceChildren(...symbols(why));
        row.mark.hidden = !value.untrained.includes(name);
        row.element.classList.toggle("seps-fixed", why !== "");
      }
      readings();
    }

    return { element, update, stop: () => clearTimeout(timer) };
  }

  // Text in which "s_st" or "tokens_d" is a symbol with an index.
  function symbols(text) {
    return text.split(/\b([A-Za-z]_[A-Za-z]+|[A-Za-z]+_[sd])\b/).map((part, index) => {
      if (index % 2 === 0) return part;
      const [name, below] = part.split("_");
      return h("span", { class: "seps-symbol" }, name.length === 1 ? h("i", {}, name) : name, h("sub", {}, below));
    });
  }

  const ordinal = (number) => {
    const last = number % 100 > 10 && number % 100 < 14 ? 0 : number % 10;
    return `${number}${["th", "st", "nd", "rd"][last] ?? "th"}`;
  };

  // The rank of the photo for the caption, on a line of all places, and that of the caption for the photo.
  function standing(value) {
    const { rank, caption_rank: other } = value;
    const box = h("div", { class: "seps-standing" });
    const line = ({ now, before, total, gallery, note }, whose, of) => {
      if (now === null) {
        box.append(h("p", { "data-rank": "" }, note || `${whose} has no rank.`));
        return;
      }
      const was = before !== null && before !== now ? `, was ${ordinal(before)}` : "";
      box.append(
        h("p", { "data-rank": now }, `${whose}: `, h("b", {}, ordinal(now)), ` of ${total} ${of} in ${gallery}${was}`),
      );
      const places = h("div", { class: "seps-places", "aria-hidden": "true" });
      for (const [place, name] of [
        [before, "seps-was"],
        [now, "seps-is"],
      ]) {
        if (place === null || (name === "seps-was" && before === now)) continue;
        const mark = h("i", { class: name });
        mark.style.left = `${total > 1 ? (100 * (place - 1)) / (total - 1) : 0}%`;
        places.append(mark);
      }
      box.append(places);
    };
    line(rank, "The photo for this caption", "photos");
    if (other && (other.now !== null || rank.now !== null)) line(other, "This caption for the photo", "captions");
    return box;
  }

  // What the settings moved: kept sets, terms, score and rank before and after.
  function moved(value, record, before, photo) {
    if (!before) {
      const text = "All as the model was trained. Move a setting to see what it moves.";
      return h("div", { class: "seps-moved" }, h("p", { class: "seps-aside" }, text));
    }
    const { kept, terms, score } = value.moved;
    const gained = countOf(kept.gained);
    const lost = countOf(kept.lost);
    const change = (one, other, digits = 4) => (one === null || other === null ? "" : signed(other - one, digits));
    const shown = (one) => (one === null ? "none" : one.toFixed(4));
    const row = (name, one, other, key = {}) =>
      h(
        "tr",
        { ...key, class: one === other ? "seps-same" : null },
        h("th", { scope: "row" }, name),
        h("td", {}, shown(one)),
        h("td", {}, shown(other)),
        h("td", {}, change(one, other)),
      );
    const places = value.rank;
    const rankRow = h(
      "tr",
      { "data-moved": "rank", class: places.before === places.now ? "seps-same" : null },
      h("th", { scope: "row" }, `rank of ${places.total}`),
      h("td", {}, String(places.before ?? "none")),
      h("td", {}, String(places.now ?? "none")),
      h("td", {}, places.now === null || places.before === null ? "" : signed(places.now - places.before, 0)),
    );
    const short =
      record.alignments.length + before.alignments.length > 2 ? (name) => name : (name) => name.replace(/^sparse /, "");
    const table = h(
      "table",
      {},
      h(
        "thead",
        {},
        h("tr", {}, h("td", {}), ...["before", "now", "change"].map((name) => h("th", { scope: "col" }, name))),
      ),
      h(
        "tbody",
        {},
        ...Object.entries(terms).map(([name, [one, other]]) => row(short(name), one, other, { "data-moved": name })),
        row("S(I, T)", ...score, { "data-moved": "score" }),
        rankRow,
      ),
    );
    const sets = [
      ["before", before, null],
      ["now", record, before],
    ].map(([name, one, other]) => {
      const branch = one.branches[0];
      const frame = h("div", { class: "seps-set" });
      const canvas = h("canvas", {
        role: "img",
        "aria-label": `Kept patches ${name}: ${SepsRecord.keptCount(branch)}`,
      });
      const width = 150;
      SepsControls.resize(canvas, width, (width * photo.naturalHeight) / photo.naturalWidth);
      SepsPicture.drawLayer(canvas, photo, one, "mask", { opacity: 0.82, lines: false });
      frame.append(canvas);
      if (other) frame.append(SepsCharts.outlines(one, branch.kept, other.branches[0].kept));
      return h(
        "figure",
        { "data-set": name },
        frame,
        h("figcaption", {}, `${name}: ${branch.kept.reduce((sum, kept) => sum + kept, 0)} kept`),
      );
    });
    const counts = `${kept.both} kept in both, ${gained} gained (+), ${lost} lost (−)`;
    return h(
      "div",
      { class: "seps-moved" },
      h(
        "div",
        { class: "seps-sets" },
        ...sets,
        h("p", { "data-moved": "kept", "data-gained": gained, "data-lost": lost }, counts),
      ),
      table,
    );
  }

  const countOf = (list) => (Array.isArray(list) ? list.length : list);
  const signed = (value, digits) => (value > 0 ? "+" : value < 0 ? "-" : "±") + Math.abs(value).toFixed(digits);

  return { symbols, create, standing, moved };
})();
