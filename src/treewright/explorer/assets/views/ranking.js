// Ranking: how well the probabilities of a class order the rows, and whether they can be taken at their word.

import { chart, linePath } from "../drawing/charts.js";
import { element, numberText, percentText, replaceChildren, shape } from "../elements/text.js";

const SIZE = 240;
const ROOM = 42;
const BINS = 5;

// The points of the ROC curve, rows of equal score together, and the area below it (Fawcett, 2006).
export function rocCurve(scores, truths) {
  const order = scores.map((_, row) => row).toSorted((a, b) => scores[b] - scores[a]);
  const total = truths.filter(Boolean).length;
  const [rights, wrongs] = [total || 1, truths.length - total || 1];
  const points = [[0, 0]];
  let [right, wrong, area] = [0, 0, 0];
  order.forEach((row, place) => {
    if (truths[row]) right += 1;
    else wrong += 1;
    if (place + 1 < order.length && scores[order[place + 1]] === scores[row]) return;
    const [x, y] = [wrong / wrongs, right / rights];
    const [before, below] = points.at(-1);
    area += ((x - before) * (y + below)) / 2;
    points.push([x, y]);
  });
  return { points, area };
}

// Of the rows taken for the class, how many are, against how many of its rows are found; and the mean precision
// over the steps of what is found (Davis & Goadrich, 2006).
export function precisionCurve(scores, truths) {
  const order = scores.map((_, row) => row).toSorted((a, b) => scores[b] - scores[a]);
  const total = truths.filter(Boolean).length || 1;
  const points = [];
  let [right, average] = [0, 0];
  order.forEach((row, place) => {
    if (truths[row]) right += 1;
    if (place + 1 < order.length && scores[order[place + 1]] === scores[row]) return;
    const [found, precision] = [right / total, right / (place + 1)];
    average += (found - (points.at(-1)?.[0] ?? 0)) * precision;
    points.push([found, precision]);
  });
  return { points, average };
}

// Rows in bins of what was predicted: how often it came true.
export function calibration(scores, truths) {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, said: 0, came: 0 }));
  scores.forEach((score, row) => {
    const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))];
    bin.count += 1;
    bin.said += score;
    bin.came += truths[row] ? 1 : 0;
  });
  return bins
    .filter(({ count }) => count)
    .map(({ count, said, came }) => ({ count, said: said / count, came: came / count }));
}

export class Ranking {
  constructor(model, marks) {
    Object.assign(this, { model, marks });
    this.code = model.width - 1;
  }

  // The pictures for one class against the rest, on the rows that judge.
  view(rows, says) {
    const { model } = this;
    const said = rows.map(says);
    const pictures = element("div", { class: "pictures" });
    const draw = () => {
      const [scores, truths] = [
        said.map((shares) => shares[this.code]),
        rows.map((row) => row.target === this.code),
      ];
      replaceChildren(
        pictures,
        this.roc(scores, truths),
        this.precision(scores, truths),
        this.reliability(scores, truths),
      );
    };
    const select = element(
      "select",
      { onchange: () => ((this.code = Number(select.value)), draw()) },
      model.classes.map((name, code) =>
        element("option", { value: code, selected: code === this.code }, name),
      ),
    );
    draw();
    const title = element("h2", {}, "Can the probability be trusted?");
    return element("section", {}, title, element("label", {}, "class ", select), pictures);
  }

  x(share) {
    return ROOM + share * (SIZE - ROOM - 8);
  }

  y(share) {
    return SIZE - ROOM - share * (SIZE - ROOM - 8);
  }

  frame(across, up, hasDiagonal = true) {
    const diagonal = { x1: this.x(0), y1: this.y(0), x2: this.x(1), y2: this.y(1), class: "axis" };
    return [
      ...(hasDiagonal ? [shape("line", diagonal)] : []),
      shape("line", { x1: this.x(0), y1: this.y(0), x2: this.x(1), y2: this.y(0), class: "axis" }),
      shape("line", { x1: this.x(0), y1: this.y(0), x2: this.x(0), y2: this.y(1), class: "axis" }),
      ...[0, 0.5, 1].flatMap((share) => [
        shape(
          "text",
          { x: this.x(share), y: this.y(0) + 15, class: "tick", "text-anchor": share === 1 ? "end" : "middle" },
          numberText(share),
        ),
        shape(
          "text",
          { x: this.x(0) - 4, y: this.y(share) + 4, class: "tick", "text-anchor": "end" },
          numberText(share),
        ),
      ]),
      shape("text", { x: this.x(0.5), y: SIZE - 6, class: "tick", "text-anchor": "middle" }, across),
      shape(
        "text",
        {
          x: 10,
          y: this.y(0.5),
          class: "tick",
          "text-anchor": "middle",
          transform: `rotate(-90 10 ${this.y(0.5)})`,
        },
        up,
      ),
    ];
  }

  line(points) {
    const d = linePath(points.map(([x, y]) => [this.x(x), this.y(y)]));
    return shape("path", { d, fill: "none", stroke: this.marks.line(0), "stroke-width": 2 });
  }

  roc(scores, truths) {
    const { points, area } = rocCurve(scores, truths);
    const words = `ROC curve, area ${numberText(area, 3)}`;
    return figure(words, [...this.frame("false positive rate", "recall"), this.line(points)]);
  }

  precision(scores, truths) {
    const { points, average } = precisionCurve(scores, truths);
    const words = `Precision, ${numberText(average, 3)} on average`;
    return figure(words, [
      ...this.frame("recall", "precision", false),
      this.line([[0, points[0][1]], ...points]),
    ]);
  }

  reliability(scores, truths) {
    const bins = calibration(scores, truths);
    const dots = bins.map(({ count, said, came }) => {
      const words = `${count} rows: predicted ${percentText(said)}, came true ${percentText(came)}`;
      const settings = { cx: this.x(said), cy: this.y(came), r: 3 + 6 * Math.sqrt(count / scores.length) };
      return shape("circle", { ...settings, fill: this.marks.line(1) }, shape("title", {}, words));
    });
    const words = "Calibration: on the line the probability is what happens";
    return figure(words, [...this.frame("predicted probability", "came true"), ...dots]);
  }
}

function figure(words, shapes) {
  return element("figure", {}, element("figcaption", {}, words), chart(SIZE, SIZE, words, shapes));
}
