// Claims, each with a button that measures it on the live model.
window.SepsClaims = (() => {
  "use strict";

  const h = (...rest) => SepsControls.h(...rest);

  // Show `props.value` inside `element`, now and whenever `watch` tells that it changed.
  // trigger("run", {claim}) asks for a claim to be measured.
  function mount(element, props, trigger, watch) {
    const root = element.querySelector(".seps-claims") ?? element;
    root.classList.add("seps-view");
    const show = () => {
      const focused = root.contains(document.activeElement) ? document.activeElement.dataset.run : null;
      root.replaceChildren(...(props.value?.claims ?? []).map((claim) => card(claim, trigger)));
      if (focused) root.querySelector(`[data-run="${focused}"]`)?.focus();
    };
    watch("value", show);
    show();
  }

  function card({ name, claim, how, result }, trigger) {
    const run = SepsControls.button(
      {
        "data-run": name,
        click: () => {
          run.disabled = true;
          run.textContent = "Measuring …";
          trigger("run", { claim: name });
        },
      },
      result ? "Measure again" : "Measure it",
    );
    return h(
      "article",
      { class: "seps-claim", "data-claim": name },
      h("p", { class: "seps-said-claim" }, ...SepsKnobs.symbols(claim)),
      h("p", { class: "seps-how" }, ...SepsKnobs.symbols(how)),
      run,
      h("div", { class: "seps-measured", "aria-live": "polite" }, ...(result ? measured(result) : [])),
    );
  }

  function measured({ measured: numbers, holds }) {
    const rows = Object.entries(numbers).map(([name, value]) =>
      h(
        "tr",
        { "data-measured": name, "data-value": value },
        h("th", { scope: "row" }, ...SepsKnobs.symbols(name)),
        h("td", {}, short(value)),
      ),
    );
    const said = holds ? "✓ It holds." : "✗ It does not hold here.";
    return [
      h("p", { class: "seps-holds", "data-holds": String(holds) }, said),
      h("table", {}, h("tbody", {}, ...rows)),
    ];
  }

  // Four digits that count; 0 stays 0, since a gradient of 0 is the point.
  function short(value) {
    if (typeof value !== "number" || Number.isInteger(value)) return String(value);
    return Math.abs(value) < 0.001 ? value.toExponential(2) : Number(value.toPrecision(4)).toString();
  }

  return { mount };
})();
