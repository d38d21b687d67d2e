// Quality: which classes are taken for which, how far numbers are off, and which features matter.

import { chart } from "./curves.js";
import { Importances } from "./importances.js";
import { Ranking } from "./ranking.js";
import { element, numberText, percentText, replaceChildren, shape } from "./text.js";

export class Quality {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    this.ranking = model.classes && new Ranking(model, marks);
    this.importances = new Importances(model, marks, state);
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
    const parts = [this.importances.view(this.judges())];
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
    const pairs = rows.map((row) => [model.predict(row.values, state.get("step"))[0], row.target, row]);
    const numbers = pairs.flatMap(([said, truth]) => [said, truth]);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const place = (number) => (number - low) / (high - low || 1);
    const x = (number) => room + place(number) * (width - room - 20);
    const y = (number) => height - 28 - place(number) * (height - 38);
    const shapes = [
      shape("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(high), class: "axis" }),
      ...pairs.map(([said, truth, row]) =>
        shape("circle", {
          cx: x(said),
          cy: y(truth),
          r: 3,
          class: "dot",
          fill: marks.line(0),
          onclick: () => (state.set({ tab: "tree" }), state.get("pick")(row)),
        }),
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
      element("p", { class: "pale" }, "A dot lights the way of its row."),
      chart(width, height, "True against predicted numbers; on the line they agree", shapes),
    );
  }
}
