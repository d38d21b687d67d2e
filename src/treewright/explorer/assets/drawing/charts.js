// Charts: small charts as SVG: histograms with a cut, lines with bands, and the axes they share.

import { KIND, compared, cutsOf } from "../model/answer.js";
import { fittedIn } from "./strokes.js";
import { numberText, shape, shortened, valueText } from "../elements/text.js";

const BINS = 24;
export const CARD_CHART = 264; // as wide as a card of the page is, beside the bar it scrolls by

// How wide a chart is drawn in a place: as it will be shown, so that its words are as large as all others. What is not on the page
// yet has no width.
export function widthIn(place, most, room = 0) {
  return place.clientWidth ? Math.min(Math.max(place.clientWidth - room, 200), most) : most;
}

// The rows of a node over what its split looks at, the classes stacked, the cut drawn; null if there are none.
export function splitChart(model, marks, node, width = CARD_CHART, height = 96) {
  const split = model.splits[node];
  const rows = model.trainingRowsAt(node);
  if (!split || !rows.length) return null;
  if (split.kind === KIND.table) return categoryChart(model, marks, split, rows, width, height);
  const cuts = cutsOf(split);
  if (!cuts.length) return null;
  const points = rows
    .map((row) => [compared(split, row.values), row.target])
    .filter(([number]) => number !== null);
  if (!points.length) return null;
  const axis = axisAround(
    points.map(([number]) => number),
    cuts,
  );
  const inside = height - 16;
  const x = (number) => 4 + ((number - axis.low) / (axis.high - axis.low)) * (width - 8);
  const shapes = model.classes
    ? stacks(model, marks, points, axis, x, inside)
    : dots(model, marks, points, x, inside);
  shapes.push(shape("line", { x1: 4, x2: width - 4, y1: inside, y2: inside, class: "axis" }));
  for (const cut of cuts)
    shapes.push(shape("line", { x1: x(cut), x2: x(cut), y1: 2, y2: inside, class: "cut" }));
  if (!model.classes) shapes.push(...sides(model, marks, node, [4, ...cuts.map(x), width - 4], inside));
  const feature = split.features ? {} : model.features[split.feature];
  shapes.push(
    shape("text", { x: 4, y: height - 3, class: "tick" }, shortened(endText(feature, axis.lowest), 18)),
  );
  shapes.push(
    shape(
      "text",
      { x: width - 4, y: height - 3, class: "tick", "text-anchor": "end" },
      shortened(endText(feature, axis.highest), 18),
    ),
  );
  if (!model.classes)
    shapes.push(
      shape(
        "text",
        { x: width / 2, y: height - 3, class: "tick", "text-anchor": "middle" },
        `up: ${shortened(model.content.target, 18)}`,
      ),
    );
  return chart(
    width,
    height,
    `Rows of the node by ${split.question}, cut at ${cuts.map((cut) => numberText(cut)).join(", ")}`,
    shapes,
  );
}

// The target of a node's rows before that of all rows, with what the node predicts; null if there are none.
export function targetChart(model, marks, node, width = CARD_CHART, height = 78) {
  const here = model.trainingRowsAt(node).map((row) => row.target);
  const everywhere = model.trainingRowsAt(0).map((row) => row.target);
  if (!here.length) return null;
  const axis = axisAround(everywhere, [model.value[node]]);
  const inside = height - 16;
  const x = (number) => 4 + ((number - axis.low) / (axis.high - axis.low)) * (width - 8);
  const heights = (numbers) => {
    const counts = new Array(BINS + 1).fill(0);
    for (const number of numbers)
      counts[Math.min(Math.max(Math.floor((number - axis.low) / axis.step), 0), BINS)] += 1;
    const tallest = Math.max(...counts);
    return counts.map((count) => (count / tallest) * (inside - 6));
  };
  const bars = (numbers, fill, opacity) =>
    heights(numbers).map((tall, bin) => {
      const left = x(axis.low + bin * axis.step);
      const wide = ((width - 8) / (BINS + 1)) * 0.92;
      return shape("rect", { x: left, y: inside - tall, width: wide, height: tall, fill, opacity });
    });
  const said = x(model.value[node]);
  return chart(width, height, `Target of the rows of the node, which predicts ${model.prediction(node)}`, [
    node ? bars(everywhere, marks.theme.edge, 0.7) : [],
    bars(here, marks.colour(node), 0.9),
    shape("line", { x1: 4, x2: width - 4, y1: inside, y2: inside, class: "axis" }),
    shape("line", { x1: said, x2: said, y1: 2, y2: inside, class: "cut" }),
    shape("text", { x: 4, y: height - 3, class: "tick" }, numberText(axis.lowest)),
    shape(
      "text",
      { x: width / 2, y: height - 3, class: "tick", "text-anchor": "middle" },
      shortened(model.content.target, 24),
    ),
    shape(
      "text",
      { x: width - 4, y: height - 3, class: "tick", "text-anchor": "end" },
      numberText(axis.highest),
    ),
  ]);
}

function endText(feature, number) {
  return feature.categories || feature.unit || feature.offset
    ? valueText(feature, number)
    : numberText(number);
}

// Bins of equal width, none on both sides of the first cut.
export function axisAround(numbers, cuts) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const [lowest, highest] = [at(0.005), at(0.995)];
  const [first, last] = [cuts[0], cuts.at(-1)];
  const room = 0.04 * (Math.max(highest, last) - Math.min(lowest, first)) || 0.5;
  const [from, to] = [Math.min(lowest, first - room), Math.max(highest, last + room)];
  const step = (to - from) / BINS;
  const low = first - Math.ceil((first - from) / step - 1e-9) * step;
  return { low, high: low + (BINS + 1) * step, step, lowest, highest };
}

function stacks(model, marks, points, axis, x, height) {
  const counts = Array.from({ length: BINS + 1 }, () => new Array(model.width).fill(0));
  for (const [number, target] of points) {
    const bin = Math.ceil((number - axis.low) / axis.step - 1e-9) - 1;
    counts[Math.min(Math.max(bin, 0), BINS)][target] += 1;
  }
  return bars(
    marks,
    counts,
    (bin) => [x(axis.low + bin * axis.step), x(axis.low + (bin + 0.92) * axis.step)],
    height,
  );
}

function bars(marks, counts, place, height) {
  const tallest = Math.max(...counts.map((stack) => stack.reduce((sum, count) => sum + count, 0))) || 1;
  const shapes = [];
  counts.forEach((stack, bin) => {
    let foot = height;
    const [left, right] = place(bin);
    stack.forEach((count, code) => {
      if (!count) return;
      const tall = (count / tallest) * (height - 6);
      foot -= tall;
      shapes.push(
        shape("rect", { x: left, y: foot, width: right - left, height: tall, fill: marks.chartFill(code) }),
      );
    });
  });
  return shapes;
}

function heightOf(model, number, height) {
  return height - 4 - model.heightOf(number) * (height - 8);
}

function dots(model, marks, points, x, height) {
  return points.slice(0, 400).map(([number, target]) =>
    shape("circle", {
      cx: x(number),
      cy: heightOf(model, target, height),
      r: 2,
      fill: marks.line(0),
      opacity: 0.55,
    }),
  );
}

function sides(model, marks, node, edges, height) {
  return model.children(node).map((child, branch) => {
    const y = heightOf(model, model.value[child], height);
    return shape("line", {
      x1: edges[branch],
      x2: edges[branch + 1],
      y1: y,
      y2: y,
      stroke: marks.line(1),
      "stroke-width": 2,
    });
  });
}

function categoryChart(model, marks, split, rows, width, height) {
  const feature = model.features[split.feature];
  const branchOf = new Map(split.codes.map((code, place) => [code, split.branches[place]]));
  const counts = new Map();
  for (const row of rows) {
    const code = row.values[split.feature];
    if (code < 0) continue;
    if (!counts.has(code))
      counts.set(code, { code, total: 0, classes: new Array(model.width).fill(0), sum: 0 });
    const entry = counts.get(code);
    entry.total += 1;
    if (model.classes) entry.classes[row.target] += 1;
    else entry.sum += row.target;
  }
  const common = [...counts.values()].toSorted((a, b) => b.total - a.total).slice(0, 20);
  common.sort((a, b) => (branchOf.get(a.code) ?? 99) - (branchOf.get(b.code) ?? 99) || a.code - b.code);
  if (!common.length) return null;
  const gaps = common.filter(
    (entry, place) => place && branchOf.get(entry.code) !== branchOf.get(common[place - 1].code),
  ).length;
  const pitch = (width - 8) / (common.length + 0.7 * gaps);
  let left = 4;
  const places = common.map((entry, place) => {
    if (place) left += pitch * (branchOf.get(entry.code) !== branchOf.get(common[place - 1].code) ? 1.7 : 1);
    return [left + pitch * 0.06, left + pitch * 0.94];
  });
  const inside = height - 16;
  const shapes = model.classes
    ? bars(
        marks,
        common.map((entry) => entry.classes),
        (bin) => places[bin],
        inside,
      )
    : common.map((entry, bin) => {
        const y = heightOf(model, entry.sum / entry.total, inside);
        return shape("rect", {
          x: places[bin][0],
          y,
          width: places[bin][1] - places[bin][0],
          height: inside - y,
          fill: marks.line(0),
        });
      });
  shapes.push(shape("line", { x1: 4, x2: width - 4, y1: inside, y2: inside, class: "axis" }));
  if (pitch > 24) {
    common.forEach((entry, bin) => {
      const { words } = fittedIn(valueText(feature, entry.code), [12], pitch - 2);
      shapes.push(
        shape(
          "text",
          { x: (places[bin][0] + places[bin][1]) / 2, y: height - 3, class: "tick", "text-anchor": "middle" },
          words,
        ),
      );
    });
  }
  return chart(width, height, `Rows of the node by ${split.question}`, shapes);
}

// A picture in words; one whose parts can be picked is a group of them.
export function chart(width, height, words, shapes, role = "img") {
  const settings = {
    viewBox: `0 0 ${width} ${height}`,
    role,
    "aria-label": words,
    class: "chart",
    preserveAspectRatio: "xMidYMid meet",
  };
  return shape("svg", settings, shape("title", {}, words), shapes);
}

// A line through points, broken where there is nothing.
export function linePath(points) {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
