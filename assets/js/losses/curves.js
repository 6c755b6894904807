// Curves over an axis, in SVG.

import { chart, svg, svgText } from "../base/dom.js";
import { withMinus } from "../base/numbers.js";

// lines: [{name, label, values, dashed}] over `xs`; marks: a vertical line at `at`.
export function curvesChart({ xs, lines, at, width, height, type, names, low = null, high = null }) {
  const all = lines.flatMap(({ values }) => values);
  const [bottomValue, topValue] = [low ?? Math.min(0, ...all), high ?? Math.max(...all, 1e-9)];
  const [left, right, top, bottom] = [3.4 * type, width - 0.8 * type, 1.8 * type, height - 2.6 * type];
  const x = (value) => left + ((value - xs[0]) * (right - left)) / (xs[xs.length - 1] - xs[0]);
  const y = (value) => bottom - ((value - bottomValue) * (bottom - top)) / (topValue - bottomValue);
  const drawing = chart(width, height, type, names[1]);
  drawing.append(svg("path", {
    class: "seps-axis",
    d: `M${left} ${top}V${bottom}M${left} ${y(Math.max(0, bottomValue))}H${right}`,
  }));
  const ticks = bottomValue < 0 ? [bottomValue, 0, topValue] : [bottomValue, (bottomValue + topValue) / 2, topValue];
  for (const value of ticks) {
    drawing.append(svg("path", { class: "seps-grid", d: `M${left} ${y(value)}H${right}` }));
    const text = withMinus(String(Number(value.toPrecision(2))));
    drawing.append(svgText(left - 0.4 * type, y(value) + 0.35 * type, "end", text));
  }
  for (const fraction of [0, 0.5, 1]) {
    const value = xs[0] + fraction * (xs[xs.length - 1] - xs[0]);
    drawing.append(svgText(
      x(value),
      bottom + 1.2 * type,
      ["start", "middle", "end"][2 * fraction],
      String(Number(value.toPrecision(3))),
    ));
  }
  drawing.append(
    svgText((left + right) / 2, height - 0.3 * type, "middle", names[0]),
    svgText(0, 0.9 * type, "start", names[1]),
  );
  for (const { name, values, dashed } of lines) {
    const points = values.map((value, index) => `${x(xs[index])},${y(value)}`).join(" ");
    drawing.append(
      svg("polyline", { points, class: "seps-curve", "data-curve": name, "stroke-dasharray": dashed ?? null }),
    );
  }
  drawing.append(svg("path", { class: "seps-cut", d: `M${x(at)} ${top}V${bottom}`, "data-at": at }));
  return { drawing, x, y };
}
