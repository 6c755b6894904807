// The losses on a small real batch: similarities and who violates the margin, the loss over margins, the ratio loss
// beside others, and captions that no class list foresaw.
window.SepsPlayground = (() => {
  "use strict";

  const DEBOUNCE = 250; // milliseconds
  const MININGS = { all: "All negatives", hardest: "Hardest negatives" };
  const LINES = { all: null, hardest: "7 4" };
  const LOSSES = { mse: ["MSE, the paper's", null], mae: ["MAE", "8 4"], huber: ["Huber", "2 4"] };

  const h = (...rest) => SepsControls.h(...rest);

  // Show `props.value` inside `element`, now and whenever `watch` tells that it changed.
  // trigger("change", {margin, mining, mask_ids}) follows a change, once it rests.
  function mount(element, props, trigger, watch) {
    const root = element.querySelector(".seps-playground") ?? element;
    root.classList.add("seps-view");
    let playground = null;
    const show = () => {
      if (props.value) {
        playground ??= build(root, trigger);
        playground.update(props.value);
        return;
      }
      playground?.end();
      playground = null;
      root.replaceChildren(h("p", { class: "seps-empty" }, "No batch yet."));
    };
    watch("value", show);
    show();
  }

  function build(root, trigger) {
    let value = null;
    let timer = 0;
    let pair = [0, 0];
    const part = (name, title, ...children) =>
      h("section", { class: `seps-part ${name}` }, h("h3", {}, title), ...children);

    const margin = h("input", { type: "range", step: 0.01, input: changed });
    const marginReading = h("output", {});
    const minings = Object.entries(MININGS).map(([name, label]) =>
      SepsControls.button(
        {
          "data-mining": name,
          click: () => {
            for (const one of minings) one.setAttribute("aria-pressed", one.dataset.mining === name);
            changed();
          },
        },
        label,
      ),
    );
    const masking = h("input", { type: "checkbox", input: changed });
    const table = h("div", { class: "seps-matrix" });
    const reading = h("p", { class: "seps-pair", role: "status", "aria-live": "polite" });
    const now = h("p", { class: "seps-now" });
    const ids = h("p", { class: "seps-ids" });
    const curve = h("div", { class: "seps-curve-place" });
    const captions = h("ol", { class: "seps-batch" });
    const share = h("input", { type: "range", step: 0.01, min: 0, max: 1, value: 0.3, input: () => drawRatio() });
    const shareReading = h("output", {});
    const ratios = h("div", { class: "seps-ratios" });
    const unforeseen = h("div", { class: "seps-unforeseen" });
    root.replaceChildren(
      part(
        "seps-ranking",
        "Ranking loss: a true pair must win by the margin",
        h(
          "div",
          { class: "seps-halves" },
          h("div", {}, table, reading, captions),
          h(
            "div",
            {},
            h(
              "div",
              { class: "seps-settings" },
              h("label", {}, "Margin", margin, marginReading),
              h("div", { class: "seps-minings", role: "group", "aria-label": "Mining" }, ...minings),
              h("label", {}, masking, "mask by img_ids"),
            ),
            now,
            ids,
            curve,
          ),
        ),
      ),
      part(
        "seps-ratio",
        "Ratio loss: what holds the kept share near its target",
        h("div", { class: "seps-settings" }, h("label", {}, "Kept share", share, shareReading)),
        ratios,
      ),
      part("seps-classes", "Why ranking, and not cross-entropy over fixed classes", unforeseen),
    );

    const settings = () => ({
      margin: margin.valueAsNumber,
      mining: minings.find((one) => one.getAttribute("aria-pressed") === "true").dataset.mining,
      mask_ids: masking.checked,
    });

    function changed() {
      marginReading.textContent = margin.valueAsNumber.toFixed(2);
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = 0;
        root.setAttribute("aria-busy", "true");
        trigger("change", settings());
      }, DEBOUNCE);
    }

    function update(next) {
      value = next;
      root.removeAttribute("aria-busy");
      if (!timer) {
        Object.assign(margin, { min: value.margin_range[0], max: value.margin_range[1], value: value.margin });
        marginReading.textContent = value.margin.toFixed(2);
        for (const one of minings) one.setAttribute("aria-pressed", one.dataset.mining === value.mining);
        masking.checked = value.mask_ids;
      }
      table.replaceChildren(SepsMatrix.table(value, choose), SepsMatrix.key());
      choose(pair);
      now.replaceChildren(
        h("i", {}, "L"),
        h("sub", {}, "align"),
        " = ",
        h("output", { "data-loss": value.now }, value.now.toFixed(4)),
        h("span", {}, `${value.counted} violations counted, in ${value.violating} violating pairs`),
      );
      const { pairs, with_ids: one, without_ids: other } = value.masked;
      const places = pairs.map(({ row, column }) => `(${row + 1}, ${column + 1})`).join(" and ");
      ids.replaceChildren(
        `img_ids masks ${places}: two captions of one photo. Loss with it `,
        h("b", { "data-with-ids": one }, one.toFixed(4)),
        ", without it ",
        h("b", { "data-without-ids": other }, other.toFixed(4)),
        ".",
      );
      captions.replaceChildren(...value.captions.map(({ text }) => h("li", {}, text)));
      unforeseen.replaceChildren(...SepsMatrix.unforeseen(value.ranking));
      draw();
    }

    // Tell one pair: its similarity, and by how much it violates the margin both ways.
    function choose([row, column]) {
      pair = [row, column];
      for (const cell of table.querySelectorAll("[data-row]")) {
        const here = Number(cell.dataset.row) === row && Number(cell.dataset.column) === column;
        cell.firstChild.setAttribute("aria-pressed", here);
      }
      [...captions.children].forEach((item, index) => item.classList.toggle("seps-named", index === column));
      reading.replaceChildren(...SepsMatrix.told(value, row, column).map((line) => h("span", {}, line)));
    }

    function draw() {
      if (!value || !root.clientWidth) return;
      drawCurve();
      drawRatio();
    }

    function sample(dashed) {
      const line = SepsCharts.svg("line", {
        x1: 0,
        x2: 28,
        y1: 6,
        y2: 6,
        class: "seps-curve",
        "stroke-dasharray": dashed,
      });
      return SepsCharts.svg("svg", { width: 28, height: 12 }, line);
    }

    function drawCurve() {
      const width = curve.clientWidth;
      const { margins } = value.curve;
      const lines = Object.entries(LINES).map(([name, dashed]) => ({ name, dashed, values: value.curve[name] }));
      const chart = SepsCharts.curves({
        xs: margins,
        lines,
        at: value.margin,
        width,
        height: 210,
        type: 14,
        names: ["margin", "align loss"],
      });
      for (const { name } of lines) {
        const dot = { cx: chart.x(value.margin), cy: chart.y(value.loss[name]), r: name === value.mining ? 6 : 4 };
        chart.drawing.append(
          SepsCharts.svg("circle", { ...dot, class: name === value.mining ? "seps-here" : "seps-there" }),
        );
      }
      const names = Object.entries(LINES).map(([name, dashed]) =>
        h(
          "span",
          {},
          sample(dashed),
          MININGS[name],
          " ",
          h("b", { "data-loss-of": name }, value.loss[name].toFixed(3)),
        ),
      );
      curve.replaceChildren(chart.drawing, h("p", { class: "seps-samples" }, ...names));
    }

    function drawRatio() {
      const { target, shares, losses } = value.ratio;
      const at = Math.round(share.valueAsNumber * (shares.length - 1));
      shareReading.textContent = shares[at].toFixed(2);
      const wide = Math.max(240, root.clientWidth < 760 ? root.clientWidth : (root.clientWidth - 340) / 2 - 24);
      const charts = [
        ["value", "loss"],
        ["gradient", "gradient"],
      ].map(([kind, name]) => {
        const lines = Object.entries(LOSSES).map(([loss, [, dashed]]) => ({
          name: `${loss}-${kind}`,
          dashed,
          values: losses[loss][kind],
        }));
        const chart = SepsCharts.curves({
          xs: shares,
          lines,
          at: shares[at],
          width: wide,
          height: 210,
          type: 14,
          names: ["kept share", name],
        });
        const goal = { x: chart.x(target), y: 16, "text-anchor": "middle", class: "seps-goal" };
        chart.drawing.append(
          SepsCharts.svg("path", { class: "seps-goal-line", d: `M${chart.x(target)} 22V174` }),
          SepsCharts.svg("text", goal, `target ${target}`),
        );
        return chart.drawing;
      });
      const rows = Object.entries(LOSSES).map(([loss, [label, dashed]]) =>
        h(
          "tr",
          { "data-ratio": loss },
          h("th", { scope: "row" }, sample(dashed), ` ${label}`),
          ...["value", "gradient"].map((kind) =>
            h("td", { [`data-${kind}`]: losses[loss][kind][at] }, losses[loss][kind][at].toFixed(4)),
          ),
        ),
      );
      const head = h(
        "thead",
        {},
        h("tr", {}, h("td", {}), h("th", { scope: "col" }, "loss"), h("th", { scope: "col" }, "gradient")),
      );
      const said = "Near the target the gradient of MSE fades; that of MAE keeps its size; Huber joins both.";
      ratios.replaceChildren(...charts, h("div", {}, h("table", {}, head, h("tbody", {}, ...rows)), h("p", {}, said)));
    }

    const end = SepsControls.onWidth(root, (width) => {
      root.classList.toggle("seps-narrow", width < 760);
      draw();
    });
    return {
      update,
      end: () => {
        clearTimeout(timer);
        end();
      },
    };
  }

  return { mount };
})();
