// Curves over an axis, in SVG.

import { chart, svg, svgText } from "../base/dom.js";
import { withMinus } from "../base/numbers.js";

// lines: [{name, values, dashed}] over `xs`, from `low` to `high`; a vertical line stands at `at`.
export function curvesChart({ xs, lines, at, width, height = 210, type = 14, names, low = null, high = null }) {
  const all = lines.flatMap(({ values }) => values);
  const [bottomValue, topValue] = [low ?? Math.min(0, ...all), high ?? Math.max(...all, 1e-9)];
  const [left, right, top, bottom] = [3.4 * type, width - 0.8 * type, 1.8 * type, height - 2.6 * type];
  const [first, span] = [xs[0], xs.at(-1) - xs[0]];
  const x = (value) => left + ((value - first) * (right - left)) / span;
  const y = (value) => bottom - ((value - bottomValue) * (bottom - top)) / (topValue - bottomValue);
  const drawing = chart(width, height, type, names[1]);
  const line = (name, d, more = {}) => svg("path", { class: `seps-${name}`, d, ...more });
  const middle = bottomValue < 0 ? 0 : (bottomValue + topValue) / 2;
  drawing.append(
    line("axis", `M${left} ${top}V${bottom}M${left} ${y(Math.max(0, bottomValue))}H${right}`),
    ...[bottomValue, middle, topValue].flatMap((value) => [
      line("grid", `M${left} ${y(value)}H${right}`),
      svgText(left - 0.4 * type, y(value) + 0.35 * type, "end", withMinus(String(Number(value.toPrecision(2))))),
    ]),
    ...["start", "middle", "end"].map((anchor, place) => {
      const value = first + (place / 2) * span;
      return svgText(x(value), bottom + 1.2 * type, anchor, String(Number(value.toPrecision(3))));
    }),
    svgText((left + right) / 2, height - 0.3 * type, "middle", names[0]),
    svgText(0, 0.9 * type, "start", names[1]),
    ...lines.map(({ name, values, dashed }) => svg("polyline", {
      points: values.map((value, index) => `${x(xs[index])},${y(value)}`).join(" "),
      class: "seps-curve", "data-curve": name, "stroke-dasharray": dashed,
    })),
    line("cut", `M${x(at)} ${top}V${bottom}`, { "data-at": at }),
  );
  return { drawing, x, y };
}
