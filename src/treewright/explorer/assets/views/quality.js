// Quality: which classes are taken for which, how far numbers are off, and which features matter.

import { chart, widthIn } from "../drawing/charts.js";
import { Importances } from "./importances.js";
import { finished } from "../model/shapley.js";
import { Ranking } from "./ranking.js";
import { roving } from "../elements/roving.js";
import {
  abridged,
  compactText,
  element,
  numberText,
  percentText,
  replaceChildren,
  roundNumbers,
  shape,
  shortened,
} from "../elements/text.js";

const MANY = 8; // classes have small cells, and their names stand slanted
const LONG = 14; // letters of names that stand slanted, too
const MOST_SLANTED = 17; // letters that a slanted name has room for
const MOST_CLASSES = 20;
const AT_ONCE = 500_000; // nodes times rows
const PATIENCE = 12; // milliseconds of work at a time

export class Quality {
  constructor(panel, model, marks, state, forest) {
    Object.assign(this, { panel, model, marks, state, forest: forest?.said ? forest : null });
    this.ranking = model.classes && new Ranking(model, marks);
    this.importances = new Importances(model, marks, state);
    state.on(["exchanged", "step", "tab", "theme", "room"], () => this.render());
  }

  // Rows that the tree was not grown on, if the page has such.
  judges() {
    const held = this.model.rows.filter((row) => row.validation);
    const [rows, name] = held.length ? [held, "validation rows"] : [this.model.rows, "training rows"];
    const all = this.model.content.rows?.total.at(-1) ?? rows.length;
    const some = all > rows.length;
    return { rows, name: `${numberText(rows.length)} ${some ? `of ${numberText(all)} ` : ""}${name}`, some };
  }

  // Figures of training rows are better than those of others.
  flattery() {
    const hasReport = document.getElementById("report");
    if (this.model.rows.some((row) => row.validation)) {
      const words = "A sample; the report above has the figures of all rows.";
      return hasReport && this.judges().some ? element("p", { class: "pale" }, words) : null;
    }
    const above = hasReport ? " The report above has those of rows it has not seen." : "";
    const what = this.forest ? "forest" : "tree";
    return element("p", { class: "pale" }, `The ${what} was grown on these rows, which flatters it.${above}`);
  }

  render() {
    if (this.state.get("tab") !== "quality") return;
    const { rows } = this.judges();
    const parts = [element("section", {}, this.importances.title())];
    if (rows.length && this.ranking)
      parts.unshift(
        this.confusion(),
        this.ranking.view(rows, (row) => this.says(row)),
      );
    else if (rows.length) parts.unshift(this.residuals());
    replaceChildren(this.panel, parts);
    this.rank(parts.at(-1), rows.length * this.model.visible(this.state.get("step")).length);
  }

  // Importances come at once, or, if they take a while, when the slider rests, in parts so short that it can be moved meanwhile.
  rank(place, work) {
    clearTimeout(this.waiting);
    const parts = this.importances.view(this.judges());
    if (work < AT_ONCE) return place.replaceWith(finished(parts));
    const go = () => {
      const begun = performance.now();
      while (performance.now() - begun < PATIENCE) {
        const { done, value } = parts.next();
        if (done) return place.replaceWith(value);
      }
      this.waiting = setTimeout(go);
    };
    this.waiting = setTimeout(go, 150);
  }

  // What is predicted for a row: class probabilities or a number, of a forest by all its trees.
  says(row) {
    return this.forest ? this.forest.saidOf(row) : this.model.predict(row.values, this.state.get("step"));
  }

  whose() {
    return this.forest ? "of the forest " : "";
  }

  classOf(row) {
    return this.forest
      ? this.model.best(this.forest.saidOf(row))
      : this.model.classOf(row.values, this.state.get("step"));
  }

  confusion() {
    const { model } = this;
    const { rows, name } = this.judges();
    const said = rows.map((row) => this.classOf(row));
    const right = rows.filter((row, at) => row.target === said[at]).length;
    const { names, groupOf } = this.groups(rows, said);
    const cells = names.map(() => names.map(() => []));
    rows.forEach((row, at) => cells[groupOf(row.target)][groupOf(said[at])].push(row));
    const lines = cells.map((line, truth) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, names[truth]),
        line.map((cell, taken) => this.cell(cell, line, [names[truth], names[taken]])),
      ),
    );
    const isSmall = names.length > MANY || names.some((text) => text.length > LONG);
    const isSlanted = isSmall && names.some((text) => text.length > 3);
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "true ↓ predicted →"),
      names.map((text) =>
        element(
          "th",
          { scope: "col", title: text },
          element("span", {}, isSlanted ? abridged(text, MOST_SLANTED) : text),
        ),
      ),
    );
    const few =
      model.width > names.length ? ` The ${MOST_CLASSES} classes with most mistakes, of ${model.width}.` : "";
    return element(
      "section",
      {},
      element("h2", {}, `Accuracy ${this.whose()}${percentText(right / (rows.length || 1))} on ${name}`),
      this.flattery(),
      element("p", { class: "pale" }, `A cell lights the leaves of its rows.${few}`),
      element(
        "div",
        { class: "wide" },
        element(
          "table",
          { class: `confusion${isSmall ? " many" : ""}${isSlanted ? " slanted" : ""}` },
          element("thead", {}, head),
          element("tbody", {}, lines),
        ),
      ),
    );
  }

  // The classes that have a line of their own; of many those with most mistakes, and the others in one.
  groups(rows, said) {
    const { classes, width } = this.model;
    if (width <= MOST_CLASSES + 1) return { names: classes, groupOf: (code) => code };
    const mistakes = new Int32Array(width);
    rows.forEach(({ target }, at) => {
      if (target !== said[at]) ((mistakes[target] += 1), (mistakes[said[at]] += 1));
    });
    const chosen = classes
      .map((_, code) => code)
      .toSorted((a, b) => mistakes[b] - mistakes[a] || a - b)
      .slice(0, MOST_CLASSES);
    const place = new Map(chosen.map((code, at) => [code, at]));
    const names = [...chosen.map((code) => classes[code]), `${width - MOST_CLASSES} other classes`];
    return { names, groupOf: (code) => place.get(code) ?? MOST_CLASSES };
  }

  cell(rows, line, [truth, taken]) {
    const total = line.reduce((sum, cell) => sum + cell.length, 0) || 1;
    const words = `${rows.length} rows of ${truth} taken for ${taken}: light their leaves`;
    const shade = truth === taken ? "var(--right)" : "var(--wrong)";
    const strength = 0.45 * Math.round((100 * rows.length) / total);
    return element(
      "td",
      { class: "cell", css: { background: `color-mix(in srgb, ${shade} ${strength}%, var(--card))` } },
      element(
        "button",
        {
          type: "button",
          disabled: !rows.length,
          "aria-label": words,
          title: words,
          onclick: () => this.light(rows, `leaves of rows of ${truth} taken for ${taken}`),
        },
        String(rows.length),
      ),
    );
  }

  light(rows, words) {
    const { model, state } = this;
    const way = (row) => model.pathOf(row.values, state.get("step")).map(({ node }) => node);
    state.set({ lit: new Set(rows.flatMap(way)), why: { words, rows }, tab: "tree" });
  }

  residuals() {
    const { model, marks, state } = this;
    const { rows, name } = this.judges();
    const [width, height, room] = [widthIn(this.panel, 660, 30), 320, 44];
    const pairs = rows
      .map((row) => [this.says(row)[0], row.target, row])
      .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
    const numbers = pairs.flatMap(([said, truth]) => [said, truth]);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const place = (number) => (number - low) / (high - low || 1);
    const x = (number) => room + place(number) * (width - room - 20);
    const y = (number) => height - 28 - place(number) * (height - 38);
    const shapes = [
      shape("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(high), class: "axis" }),
      ...roving(
        pairs.map(([said, truth, row]) => {
          const words = `row ${row.id}: predicted ${numberText(said)}, true ${numberText(truth)}`;
          const settings = {
            cx: x(said),
            cy: y(truth),
            r: 3,
            class: "dot",
            fill: marks.line(0),
            "aria-label": words,
            onclick: () => (state.set({ tab: "tree" }), state.get("pick")(row)),
          };
          return shape("circle", settings, shape("title", {}, words));
        }),
      ),
      shape("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(low), class: "axis" }),
      shape("line", { x1: x(low), y1: y(low), x2: x(low), y2: y(high), class: "axis" }),
      ...roundNumbers(low, high).flatMap((number) => [
        shape(
          "text",
          { x: x(number), y: height - 12, class: "tick", "text-anchor": "middle" },
          compactText(number),
        ),
        shape(
          "text",
          { x: room - 6, y: y(number) + 4, class: "tick", "text-anchor": "end" },
          compactText(number),
        ),
      ]),
      shape(
        "text",
        { x: x(high), y: y(low) - 6, class: "tick", "text-anchor": "end" },
        shortened(`predicted ${this.model.content.target}`, 40),
      ),
      shape(
        "text",
        { x: x(low) + 6, y: y(high) + 6, class: "tick" },
        shortened(`true ${this.model.content.target}`, 40),
      ),
    ];
    const error = Math.sqrt(
      pairs.reduce((sum, [said, truth]) => sum + (said - truth) ** 2, 0) / (pairs.length || 1),
    );
    return element(
      "section",
      {},
      element("h2", {}, `Root mean squared error ${this.whose()}${numberText(error)} on ${name}`),
      this.flattery(),
      element("p", { class: "pale" }, "A dot shows the path of its row."),
      chart(width, height, "True against predicted numbers; on the line they agree", shapes, "group"),
    );
  }
}
