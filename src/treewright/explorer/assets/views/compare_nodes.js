// Compare nodes: two nodes side by side, and by which features their rows differ most.

import { swatch } from "./node_card.js";
import { constraintText, constraintsOf } from "../model/rules.js";
import { element, numberText, percentText, replaceChildren } from "../elements/text.js";

const MOST_CLASSES = 8;
const MOST_FEATURES = 6;

export class Compare {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    state.on(["exchanged"], () => state.set({ pinned: null }));
    state.on(["exchanged", "pinned", "node", "step", "theme"], () => this.render());
  }

  render() {
    const { model, state, panel } = this;
    const step = state.get("step");
    const pinned = state.get("pinned") === null ? null : model.standing(state.get("pinned"), step);
    const node = model.standing(state.get("node"), step);
    panel.hidden = pinned === null;
    if (pinned === null) return;
    const stop = element(
      "button",
      { type: "button", onclick: () => state.set({ pinned: null }) },
      "Stop comparing",
    );
    if (pinned === node) {
      const words = `Node ${pinned} is kept: pick another to see both side by side.`;
      replaceChildren(panel, element("p", { role: "status" }, words), stop);
      return;
    }
    const pair = [pinned, node];
    replaceChildren(
      panel,
      element("h2", {}, `Node ${pinned} beside node ${node}`),
      this.table(pair),
      this.ways(pair),
      this.differences(pair),
      stop,
    );
  }

  table(pair) {
    const { model, marks } = this;
    const line = (name, text) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        pair.map((node) => element("td", {}, text(node))),
      );
    const shares = pair.map((node) => (model.classes ? model.shares(node) : []));
    const codes = shares[0]
      .map((_, code) => code)
      .filter((code) => shares[0][code] || shares[1][code])
      .toSorted((a, b) => Math.max(shares[0][b], shares[1][b]) - Math.max(shares[0][a], shares[1][a]))
      .slice(0, MOST_CLASSES);
    const named = (code) => [swatch(marks.fill(code)), model.classes[code]];
    return element(
      "table",
      { class: "beside" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td"),
          pair.map((node) => element("th", { scope: "col" }, `node ${node}`)),
        ),
      ),
      element(
        "tbody",
        {},
        line("predicts", (node) => model.prediction(node)),
        line("rows", (node) => numberText(model.count[node])),
        line("share of rows", (node) => percentText(model.weight[node] / (model.weight[0] || 1))),
        line("impurity", (node) => numberText(model.impurity[node])),
        line(model.lossName("errors"), (node) => numberText(model.risk[node])),
        model.held && line(model.heldName, (node) => numberText(model.held.weight[node])),
        codes.map((code) => line(named(code), (node) => percentText(model.shares(node)[code]))),
      ),
    );
  }

  // What both have in common is said once.
  ways(pair) {
    const { model } = this;
    const words = pair.map((node) =>
      constraintsOf(model, node).map((constraint) => constraintText(model, constraint)),
    );
    const list = (title, lines) =>
      lines.length
        ? [
            element("h3", {}, title),
            element(
              "ul",
              { class: "way" },
              lines.map((line) => element("li", {}, line)),
            ),
          ]
        : [];
    const own = (side) => words[side].filter((line) => !words[1 - side].includes(line));
    return element(
      "div",
      {},
      list(
        "Both",
        words[0].filter((line) => words[1].includes(line)),
      ),
      list(`Only node ${pair[0]}`, own(0)),
      list(`Only node ${pair[1]}`, own(1)),
    );
  }

  // Numeric features by the distance of the means in standard deviations of all rows of the page.
  differences(pair) {
    const { model } = this;
    const sides = pair.map((node) => model.rowsAt(node).map((row) => model.rows[row].values));
    if (sides.some((rows) => !rows.length)) return null;
    const everything = model.rows.map((row) => row.values);
    const found = model.features
      .map((feature, place) => ({ feature, place }))
      .filter(({ feature }) => !feature.categories && !feature.unit)
      .map(({ feature, place }) => {
        const [all, ...both] = [everything, ...sides].map((rows) => momentsOf(rows, place));
        return {
          feature,
          means: both.map(({ mean }) => mean),
          apart: (both[1].mean - both[0].mean) / all.sd,
        };
      })
      .filter(({ apart }) => Number.isFinite(apart) && Math.abs(apart) > 0.2)
      .toSorted((a, b) => Math.abs(b.apart) - Math.abs(a.apart))
      .slice(0, MOST_FEATURES);
    if (!found.length) return null;
    return element(
      "div",
      {},
      element("h3", {}, "Where their rows differ most"),
      element(
        "table",
        {},
        element(
          "tbody",
          {},
          found.map(({ feature, means, apart }) =>
            element(
              "tr",
              {},
              element("th", { scope: "row" }, feature.name),
              means.map((mean) => element("td", {}, numberText(mean + (feature.offset || 0), 3))),
              element(
                "td",
                { class: "pale" },
                `${apart > 0 ? "+" : "−"}${numberText(Math.abs(apart), 2)} sd`,
              ),
            ),
          ),
        ),
      ),
    );
  }
}

function momentsOf(rows, place) {
  const numbers = rows.map((values) => values[place]).filter((number) => number !== null);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
  return { mean, sd: Math.sqrt(squares / numbers.length) };
}
