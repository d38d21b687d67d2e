// Teach a cut: the rows of a node on a line, a cut to drag, and what entropy, Gini and gain make of it.

import { KIND } from "../model/answer.js";
import { Cuts, IMPURITIES, spreadOver } from "../model/cuts.js";
import { followPointer, shareAlong } from "../elements/drag.js";
import { chart, linePath, widthIn } from "../drawing/charts.js";
import { counted, element, isolated, numberText, replaceChildren, shape, shortened, valueText } from "../elements/text.js";

const SIZE = { width: 660, dots: 130, curve: 120, left: 14, right: 14 };

const MOST_DOTS = 600;

export class TeachCut {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    this.numeric = model.features
      .map((_, place) => place)
      .filter((place) => model.features[place].kind !== "categorical");
    this.measure = model.classes ? "entropy" : "variance";
    this.earlier = [];
    this.build();
  }

  build() {
    const { model } = this;
    this.feature = element(
      "select",
      { onchange: () => this.start(["feature"]) },
      this.numeric.map((place) => element("option", { value: place }, model.features[place].name)),
    );
    this.measures = model.classes ? Object.keys(IMPURITIES) : ["variance"];
    this.chooser = element(
      "select",
      { onchange: () => ((this.measure = this.chooser.value), this.render()) },
      this.measures.map((name) => element("option", {}, name)),
    );
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: 1000,
      "aria-label": "the cut",
      oninput: () => this.moveTo(this.low + ((this.high - this.low) * Number(this.slider.value)) / 1000),
    });
    const best = element(
      "button",
      { type: "button", onclick: () => this.moveTo(this.bestCut().cut) },
      "Best cut",
    );
    const again = element("button", { type: "button", onclick: () => this.drawAnew() }, "Resample the rows");
    const all = element(
      "button",
      { type: "button", onclick: () => this.start(["feature"]) },
      "All rows as they are",
    );
    this.picture = element("div", { class: "teach-picture" });
    this.numbers = element("div", { "aria-live": "polite" });
    this.title = element("h2");
    replaceChildren(
      this.panel,
      this.title,
      element(
        "div",
        { class: "controls" },
        element("label", {}, "feature ", this.feature),
        element("label", {}, "impurity ", this.chooser),
        best,
        again,
        all,
      ),
      this.slider,
      this.picture,
      this.numbers,
    );
    this.picture.addEventListener("pointerdown", (event) => this.follow(event));
  }

  // Take the rows of the picked node.
  start(changed) {
    const { model } = this;
    const node = model.standing(this.state.get("node"), this.state.get("step"));
    const split = model.splits[node];
    if (changed.includes("node") || changed.includes("tab")) {
      if (split && split.kind === KIND.threshold && this.numeric.includes(split.feature))
        this.feature.value = split.feature;
    }
    this.node = node;
    this.place = Number(this.feature.value);
    this.rows = this.pool();
    this.earlier = [];
    this.measureRows();
    const own =
      split && split.kind === KIND.threshold && split.feature === this.place && split.threshold !== null;
    this.cut = own ? split.threshold : this.cuts.length ? this.cuts[this.cuts.length >> 1] : 0;
    this.render();
  }

  pool() {
    return this.model.trainingRowsAt(this.node).filter((row) => row.values[this.place] !== null);
  }

  // A sample with replacement shows how far the best cut depends on the rows that happened to come.
  drawAnew() {
    this.earlier.push(this.bestCut().cut);
    const pool = this.pool();
    this.rows = pool.map(() => pool[Math.floor(Math.random() * pool.length)]);
    this.measureRows();
    this.cut = this.bestCut().cut;
    this.render();
  }

  measureRows() {
    this.sorted = this.rows.toSorted((a, b) => a.values[this.place] - b.values[this.place]);
    const pairs = this.sorted.map((row) => [row.values[this.place], row.target]);
    this.all = new Cuts(pairs, this.model.classes ? this.model.width : null);
    this.cuts = this.all.cuts;
    this.low = pairs[0]?.[0] ?? 0;
    this.high = pairs.at(-1)?.[0] ?? 1;
  }

  bestCut() {
    return this.all.best(this.measure);
  }

  moveTo(cut) {
    this.cut = cut;
    this.render();
  }

  follow(event) {
    followPointer(event, (moved) => {
      const share = shareAlong(moved, this.picture.firstElementChild, { ...SIZE, width: this.width });
      this.moveTo(this.low + share * (this.high - this.low));
    });
  }

  x(number) {
    return (
      SIZE.left + ((number - this.low) / (this.high - this.low || 1)) * (this.width - SIZE.left - SIZE.right)
    );
  }

  render() {
    const { model } = this;
    const feature = model.features[this.place];
    replaceChildren(this.title, `Node ${this.node}: ${this.rowsText()} by ${feature.name}`);
    this.slider.value = Math.round((1000 * (this.cut - this.low)) / (this.high - this.low || 1));
    this.slider.setAttribute("aria-valuetext", `cut at ${valueText(feature, this.cut)}`);
    const gains = this.all.gains(this.measure);
    this.width = widthIn(this.picture, SIZE.width);
    const height = SIZE.dots + SIZE.curve + 20;
    const shapes = [
      ...this.dots(),
      ...this.means(),
      ...this.curve(gains),
      shape("line", {
        x1: this.x(this.cut),
        x2: this.x(this.cut),
        y1: 4,
        y2: height - 18,
        class: "cut handle",
      }),
      shape("text", { x: SIZE.left, y: height - 3, class: "tick" }, valueText(feature, this.low)),
      shape(
        "text",
        { x: this.width - SIZE.right, y: height - 3, class: "tick", "text-anchor": "end" },
        valueText(feature, this.high),
      ),
      shape(
        "text",
        { x: this.width / 2, y: height - 3, class: "tick", "text-anchor": "middle" },
        shortened(feature.name, Math.floor(this.width / 16)),
      ),
      shape(
        "text",
        { x: this.width - SIZE.right, y: 12, class: "tick", "text-anchor": "end" },
        this.model.classes ? "a dot is a row" : `up: ${shortened(this.model.content.target, Math.floor(this.width / 16))}; a dot is a row`,
      ),
      shape(
        "text",
        { x: this.width - SIZE.right, y: SIZE.dots + 16, class: "tick", "text-anchor": "end" },
        `gain of a cut, by ${this.measure}`,
      ),
    ];
    replaceChildren(
      this.picture,
      chart(this.width, height, `Rows along ${feature.name}, and the gain of every cut`, shapes),
    );
    replaceChildren(this.numbers, this.table(gains));
  }

  // How many rows there are, and of how many they are a sample.
  rowsText() {
    const [here, whole] = [this.rows.length, this.model.count[this.node]];
    const sampled =
      this.model.content.rows.total[0] > this.model.rows.filter((row) => !row.validation).length;
    const rows = sampled ? `a sample of ${here} of ${counted(whole, "row")}` : counted(here, "row");
    return here > MOST_DOTS ? `${rows}, ${MOST_DOTS} of them drawn,` : rows;
  }

  // Rows stand on the line where their value is, piled up where many are.
  dots() {
    const pile = new Map();
    const shown = spreadOver(this.sorted, MOST_DOTS);
    const size = shown.length > 250 ? 2.2 : 3.6;
    return shown.map((row) => {
      const x = this.x(row.values[this.place]);
      const column = Math.round(x / (2 * size + 0.6));
      const below = pile.get(column) || 0;
      pile.set(column, below + 1);
      const y = this.model.classes ? SIZE.dots - size - below * (2 * size + 0.4) : this.height(row.target);
      return shape("circle", {
        cx: this.model.classes ? column * (2 * size + 0.6) : x,
        cy: Math.max(y, size),
        r: size,
        fill: this.model.classes ? this.marks.classColour(row.target) : this.marks.line(0),
        opacity: 0.85,
      });
    });
  }

  // What each side would predict, where it predicts numbers.
  means() {
    if (this.model.classes) return [];
    const edges = [SIZE.left, this.x(this.cut), this.width - SIZE.right];
    return this.all.sides(this.cut).map((rows, side) => {
      const y = rows.rows ? this.height(rows.prediction) : -9;
      const line = { x1: edges[side], x2: edges[side + 1], y1: y, y2: y };
      return shape("line", { ...line, stroke: this.marks.line(1), "stroke-width": 2.5 });
    });
  }

  height(target) {
    return SIZE.dots - 6 - this.model.heightOf(target) * (SIZE.dots - 14);
  }

  // The gain of every cut by the measure that was chosen, and thin those by the others, each to its own scale.
  curve(gains) {
    const base = SIZE.dots + SIZE.curve;
    const largest = Math.max(...gains.map(({ gain }) => gain), 1e-12);
    const y = (gain) => base - (Math.max(gain, 0) / largest) * (SIZE.curve - 16);
    const shapes = [
      shape("line", { x1: SIZE.left, x2: this.width - SIZE.right, y1: base, y2: base, class: "axis" }),
    ];
    if (!gains.length) return shapes;
    for (const other of this.measures) {
      if (other === this.measure) continue;
      const others = this.all.gains(other);
      const most = Math.max(...others.map(({ gain }) => gain), 1e-12);
      const points = others.map(({ cut, gain }) => [this.x(cut), y((Math.max(gain, 0) / most) * largest)]);
      shapes.push(shape("path", { d: linePath(points), fill: "none", class: "thin" }));
    }
    shapes.push(
      shape("path", {
        d: linePath(gains.map(({ cut, gain }) => [this.x(cut), y(gain)])),
        fill: "none",
        stroke: this.marks.line(2),
        "stroke-width": 2,
      }),
    );
    for (const cut of this.earlier)
      shapes.push(
        shape("line", {
          x1: this.x(cut),
          x2: this.x(cut),
          y1: base,
          y2: base + 7,
          stroke: this.marks.line(1),
          "stroke-width": 2,
        }),
      );
    shapes.push(
      shape("circle", {
        cx: this.x(this.cut),
        cy: y(this.all.gain(this.cut, this.measure)),
        r: 5,
        fill: this.marks.line(2),
      }),
    );
    return shapes;
  }

  table(gains) {
    const { all } = this;
    const [left, right] = all.sides(this.cut);
    const feature = this.model.features[this.place];
    const counts = (side) =>
      this.model.classes
        ? this.model.classes
            .slice(0, 6)
            .map((name, code) => `${side.counts[code]} ${isolated(name)}`)
            .join(", ")
        : `mean ${numberText(side.rows ? side.prediction : null)}`;
    const measured = (of) =>
      this.measures.map((measure) =>
        element("td", { class: measure === this.measure ? "chosen" : null }, numberText(of(measure))),
      );
    const line = (name, side) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        element("td", {}, side.rows),
        element("td", {}, counts(side)),
        measured((measure) => side.impurity(measure)),
      );
    const cut = valueText(feature, this.cut);
    const gain = all.gain(this.cut, this.measure);
    const shares = [left, right].map((side) => side.rows / (all.size || 1));
    const weighed = (side) => `${side.rows}/${all.size} · ${impurity(side)}`;
    const impurity = (side) => numberText(side.impurity(this.measure));
    const own = IMPURITIES.entropy(shares);
    const best = Math.max(...gains.map((one) => one.gain), 0);
    const head = element(
      "tr",
      {},
      ["part", "rows", "of them", ...this.measures].map((name) => element("th", { scope: "col" }, name)),
    );
    return element(
      "div",
      {},
      element(
        "table",
        {},
        element("thead", {}, head),
        element(
          "tbody",
          {},
          line("all", all.all),
          line(`${feature.name} ≤ ${cut}`, left),
          line(`${feature.name} > ${cut}`, right),
          element(
            "tr",
            { class: "total" },
            element("th", { scope: "row", colspan: 3 }, "gain"),
            measured((measure) => all.gain(this.cut, measure)),
          ),
        ),
      ),
      element(
        "p",
        { class: "formula" },
        `gain = ${impurity(all.all)} − ${weighed(left)} − ${weighed(right)} = `,
        element("b", {}, numberText(gain)),
        best > 0 && gain >= best * (1 - 1e-9) ? ", the best there is" : "",
      ),
      this.measure === "entropy" &&
        own > 0 &&
        element(
          "p",
          { class: "formula" },
          `gain ratio = ${numberText(gain)} / ${numberText(own)} = `,
          element("b", {}, numberText(gain / own)),
        ),
    );
  }
}
