// Split picture: the rows of a node over what its split looks at: along a line, or in a plane if it weighs two features.

import { CARD_CHART, chart, splitChart } from "./charts.js";
import { KIND } from "../model/answer.js";
import { numberText, shape, shortened } from "../elements/text.js";

const [WIDTH, HEIGHT, FOOT] = [CARD_CHART, 190, 34];
const MOST_DOTS = 400;

export function splitPicture(model, marks, node) {
  const split = model.splits[node];
  return split?.features?.length === 2 ? planeChart(model, marks, node) : splitChart(model, marks, node);
}

// Dots of the classes, or shades of the numbers, and the line or the ellipse that parts them.
function planeChart(model, marks, node) {
  const split = model.splits[node];
  const rows = model
    .trainingRowsAt(node)
    .filter(({ values }) => split.features.every((feature) => values[feature] !== null))
    .slice(0, MOST_DOTS);
  if (!rows.length) return null;
  const axes = split.features.map((feature) => reach(rows.map(({ values }) => values[feature])));
  const onPage = [
    (number) => 4 + ((number - axes[0].low) / (axes[0].high - axes[0].low)) * (WIDTH - 8),
    (number) => HEIGHT - FOOT - ((number - axes[1].low) / (axes[1].high - axes[1].low)) * (HEIGHT - FOOT - 4),
  ];
  const dots = rows.map(({ values, target }) =>
    shape("circle", {
      cx: onPage[0](values[split.features[0]]),
      cy: onPage[1](values[split.features[1]]),
      r: 2.4,
      fill: model.classes ? marks.classColour(target) : marks.numberColour(model.shareOf(target)),
    }),
  );
  const names = split.features.map((feature) => model.features[feature].name);
  const words = `Rows of the node by ${names[0]} and ${names[1]}, and where the split parts them`;
  const inside = shape("svg", { width: WIDTH, height: HEIGHT - FOOT }, dots, border(split, axes, onPage)); // clips
  return chart(WIDTH, HEIGHT, words, [inside, ...ticks(axes, names)]);
}

function reach(numbers) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const room = 0.05 * (high - low) || 0.5;
  return { low: low - room, high: high + room };
}

// Where what the split compares is its threshold.
function border(split, axes, [x, y]) {
  if (split.kind !== KIND.hyperplane) {
    const radii = split.scales.map((scale) => Math.sqrt(split.threshold / scale));
    const [across, up] = split.centres;
    const size = { rx: Math.abs(x(radii[0]) - x(0)), ry: Math.abs(y(radii[1]) - y(0)) };
    return shape("ellipse", { cx: x(across), cy: y(up), ...size, class: "cut", fill: "none" });
  }
  const [first, second] = split.weights;
  const at = (number) => (split.threshold - first * number) / second;
  const { low, high } = axes[0];
  return shape("line", { x1: x(low), y1: y(at(low)), x2: x(high), y2: y(at(high)), class: "cut" });
}

function ticks([across, up], names) {
  const text = (settings, words) => shape("text", { class: "tick", ...settings }, words);
  const range = ({ low, high }) => `${numberText(low, 3)} to ${numberText(high, 3)}`;
  return [
    shape("line", { x1: 4, x2: WIDTH - 4, y1: HEIGHT - FOOT, y2: HEIGHT - FOOT, class: "axis" }),
    shape("line", { x1: 4, x2: 4, y1: 4, y2: HEIGHT - FOOT, class: "axis" }),
    text({ x: 4, y: HEIGHT - 19 }, `across ${shortened(names[0], 20)}, ${range(across)}`),
    text({ x: 4, y: HEIGHT - 4 }, `up ${shortened(names[1], 20)}, ${range(up)}`),
  ];
}
