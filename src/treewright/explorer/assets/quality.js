// Quality: which classes are taken for which, how far numbers are off, and which features matter.

import { chart } from "./curves.js";
import { Ranking } from "./ranking.js";
import { element, numberText, percentText, replaceChildren, shape } from "./text.js";

export class Quality {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    this.ranking = model.classes && new Ranking(model, marks);
    state.on(["exchanged", "step", "tab", "theme"], () => this.render());
  }

  // Rows that the tree was not grown on, if the page has such.
  judges() {
    const held = this.model.rows.filter((row) => row.validation);
    return held.length
      ? { rows: held, name: "validation rows" }
      : { rows: this.model.rows, name: "training rows" };
  }

  render() {
    if (this.state.get("tab") !== "quality") return;
    const parts = [this.importances()];
    const { rows } = this.judges();
    if (rows.length && this.ranking)
      parts.unshift(this.confusion(), this.ranking.view(rows, this.state.get("step")));
    else if (rows.length) parts.unshift(this.residuals());
    replaceChildren(this.panel, parts);
  }

  confusion() {
    const { model, state } = this;
    const step = state.get("step");
    const { rows, name } = this.judges();
    const cells = Array.from({ length: model.width }, () => Array.from({ length: model.width }, () => []));
    for (const row of rows) cells[row.target][model.best(model.predict(row.values, step))].push(row);
    const right = cells.reduce((sum, line, code) => sum + line[code].length, 0);
    const light = (chosen) => {
      const lit = new Set(chosen.flatMap((row) => model.pathOf(row.values, step).map(({ node }) => node)));
      state.set({ lit, tab: "tree" });
    };
    const lines = cells.map((line, truth) => {
      const total = line.reduce((sum, cell) => sum + cell.length, 0) || 1;
      return element(
        "tr",
        {},
        element("th", { scope: "row", dir: "auto" }, model.classes[truth]),
        line.map((cell, said) => {
          const strength = Math.round((100 * cell.length) / total);
          const words = `${cell.length} rows of ${model.classes[truth]} taken for ${model.classes[said]}: light their leaves`;
          const button = element(
            "button",
            {
              type: "button",
              disabled: !cell.length,
              "aria-label": words,
              title: words,
              onclick: () => light(cell),
            },
            String(cell.length),
          );
          const shade = truth === said ? "var(--right)" : "var(--wrong)";
          return element(
            "td",
            {
              class: "cell",
              css: { background: `color-mix(in srgb, ${shade} ${strength * 0.45}%, var(--card))` },
            },
            button,
          );
        }),
      );
    });
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "true ↓ predicted →"),
      model.classes.map((text) => element("th", { scope: "col", dir: "auto" }, text)),
    );
    return element(
      "section",
      {},
      element("h2", {}, `${percentText(right / (rows.length || 1))} of ${rows.length} ${name} right`),
      element("p", { class: "pale" }, "A cell lights the leaves of its rows."),
      element(
        "div",
        { class: "wide" },
        element("table", { class: "confusion" }, element("thead", {}, head), element("tbody", {}, lines)),
      ),
    );
  }

  residuals() {
    const { model, marks, state } = this;
    const { rows, name } = this.judges();
    const [width, height, room] = [560, 300, 40];
    const pairs = rows.map((row) => [model.predict(row.values, state.get("step"))[0], row.target]);
    const numbers = pairs.flat();
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const place = (number) => (number - low) / (high - low || 1);
    const x = (number) => room + place(number) * (width - room - 20);
    const y = (number) => height - 28 - place(number) * (height - 38);
    const shapes = [
      shape("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(high), class: "axis" }),
      ...pairs.map(([said, truth]) =>
        shape("circle", { cx: x(said), cy: y(truth), r: 2.6, fill: marks.line(0), opacity: 0.6 }),
      ),
      shape("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(low), class: "axis" }),
      shape("line", { x1: x(low), y1: y(low), x2: x(low), y2: y(high), class: "axis" }),
      ...[low, (low + high) / 2, high].flatMap((number) => [
        shape(
          "text",
          { x: x(number), y: height - 12, class: "tick", "text-anchor": "middle" },
          numberText(number, 3),
        ),
        shape(
          "text",
          { x: room - 6, y: y(number) + 4, class: "tick", "text-anchor": "end" },
          numberText(number, 3),
        ),
      ]),
      shape("text", { x: x(high), y: y(low) - 6, class: "tick", "text-anchor": "end" }, "predicted"),
      shape("text", { x: x(low) + 6, y: y(high) + 6, class: "tick" }, "true"),
    ];
    const error = Math.sqrt(
      pairs.reduce((sum, [said, truth]) => sum + (said - truth) ** 2, 0) / (pairs.length || 1),
    );
    return element(
      "section",
      {},
      element("h2", {}, `Root mean squared error ${numberText(error)} on ${rows.length} ${name}`),
      chart(width, height, "True against predicted numbers; on the line they agree", shapes),
    );
  }

  // The share of each feature in the decrease of impurity of the tree as it is pruned now.
  importances() {
    const { model, state, marks } = this;
    const step = state.get("step");
    const removed = new Map();
    for (const node of model.visible(step)) {
      const children = model.children(node, step);
      if (!children.length) continue;
      const split = model.splits[node];
      const features = split.features || [split.feature];
      const gain =
        model.weight[node] * model.impurity[node] -
        children.reduce((sum, child) => sum + model.weight[child] * model.impurity[child], 0);
      for (const feature of features)
        removed.set(feature, (removed.get(feature) || 0) + gain / features.length);
    }
    const total = [...removed.values()].reduce((sum, gain) => sum + gain, 0) || 1;
    const order = [...removed].toSorted((a, b) => b[1] - a[1]).slice(0, 30);
    const fall = this.falls(order.map(([feature]) => feature));
    const lines = order.map(([feature, gain]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", dir: "auto" }, model.features[feature].name),
        element("td", {}, percentText(gain / total)),
        fall && element("td", {}, fallText(fall.get(feature))),
        element(
          "td",
          { class: "bar" },
          element("span", {
            css: { width: `${(100 * gain) / (order[0][1] || 1)}%`, background: marks.line(0) },
          }),
        ),
      ),
    );
    return element(
      "section",
      {},
      element("h2", {}, "Importance of the features"),
      element(
        "p",
        { class: "pale" },
        fall
          ? `Share in the decrease of impurity, which favours features of many values; and by how much the score on ${this.judges().name} falls when the feature's column is shuffled.`
          : "Share in the decrease of impurity; it favours features of many values.",
      ),
      lines.length
        ? element("table", { class: "importances" }, element("tbody", {}, lines))
        : element("p", {}, "A tree of one leaf asks for none."),
    );
  }

  // By how much the score falls when a feature's column is shuffled (Breiman, 2001): mean and spread.
  falls(features) {
    const { rows } = this.judges();
    if (rows.length < 2) return null;
    const base = this.score(rows.map(({ values }) => values));
    return new Map(
      features.map((feature) => {
        const random = seeded(feature + 1);
        const found = Array.from({ length: SHUFFLES }, () => {
          const order = shuffled(rows.length, random);
          const changed = rows.map(({ values }, row) =>
            values.with(feature, rows[order[row]].values[feature]),
          );
          return base - this.score(changed);
        });
        const mean = found.reduce((sum, fall) => sum + fall, 0) / SHUFFLES;
        const spread = Math.sqrt(found.reduce((sum, fall) => sum + (fall - mean) ** 2, 0) / SHUFFLES);
        return [feature, { mean, spread }];
      }),
    );
  }

  // The share of rows that are right, or of the variance that is explained.
  score(values) {
    const { model } = this;
    const { rows } = this.judges();
    const said = values.map((row) => model.predict(row, this.state.get("step")));
    if (model.classes)
      return said.filter((shares, row) => model.best(shares) === rows[row].target).length / rows.length;
    const mean = rows.reduce((sum, { target }) => sum + target, 0) / rows.length;
    const squares = (of) => rows.reduce((sum, { target }, row) => sum + (target - of(row)) ** 2, 0);
    return 1 - squares((row) => said[row][0]) / (squares(() => mean) || 1);
  }
}

const SHUFFLES = 5;

function fallText({ mean, spread }) {
  return `${numberText(mean, 2)} ± ${numberText(spread, 1)}`;
}

// The same numbers every time: a small generator (mulberry32).
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffled(size, random) {
  const order = Array.from({ length: size }, (_, place) => place);
  for (let last = size - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
