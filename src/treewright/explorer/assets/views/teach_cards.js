// Teach by cards: one card for each feature, the rows as chips in its piles; chips are dragged, gains move, and each split that
// is taken grows the tree beside it.

import { candidates, isSame } from "../model/candidates.js";
import { IMPURITIES } from "../model/cuts.js";
import { CARD } from "../model/layout.js";
import { OwnTree, wayTo } from "../model/own_tree.js";
import { chipShape, decimals, featureCard, WIDTH } from "../drawing/feature_card.js";
import { treePicture } from "../drawing/small_tree.js";
import { followPointer } from "../elements/drag.js";
import { roving } from "../elements/roving.js";
import { Slides } from "./slides.js";
import { counted, element, numberText, replaceChildren, shape, valueText } from "../elements/text.js";

const MOST_CARDS = 12;

export class TeachCards {
  constructor(panel, model, marks, state, download) {
    Object.assign(this, { panel, model, marks, state });
    const { impurity = null, multiway = false } = model.content.grown ?? {};
    this.measures = model.classes ? Object.keys(IMPURITIES) : ["variance"];
    this.measure = { entropy: "entropy", gini: "Gini" }[impurity] ?? this.measures[0];
    this.isMultiway = multiway;
    this.hasCategories = model.features.some(({ kind }) => kind === "categorical");
    this.splits = new Map();
    this.way = "";
    this.changed = new Map(); // of rows whose chips were dragged the values that they have now
    this.slides = new Slides(this, download);
    this.build();
  }

  build() {
    const button = (words, does) => element("button", { type: "button", onclick: does }, words);
    const chooser = (names, chosen, does) => {
      const list = element("select", { onchange: () => (does(list.value), this.render()) });
      list.append(...names.map((name) => element("option", { selected: name === chosen }, name)));
      return list;
    };
    const [each, two] = ["one for each value", "two groups"];
    this.title = element("h2");
    this.reason = element("p", { role: "status" });
    this.own = button("As the tree did", () => this.takeOwn());
    this.back = button("Back", () => this.goBack());
    this.reset = button("Put the chips back", () => (this.changed.clear(), this.render()));
    this.place = element("select", { onchange: () => ((this.way = this.place.value), this.render()) });
    this.cards = element("div", { class: "cards" });
    this.beside = element("div", { class: "grown", onclick: (event) => this.pick(event) });
    this.lesson = element(
      "div",
      { class: "lesson" },
      element(
        "div",
        {},
        element(
          "div",
          { class: "controls" },
          element("label", {}, "node ", this.place),
          element(
            "label",
            {},
            "impurity ",
            chooser(this.measures, this.measure, (name) => (this.measure = name)),
          ),
          this.hasCategories &&
            element(
              "label",
              {},
              "branches ",
              chooser([each, two], this.isMultiway ? each : two, (name) => (this.isMultiway = name === each)),
            ),
        ),
        this.title,
        this.reason,
        element(
          "div",
          { class: "controls" },
          this.own,
          this.back,
          this.reset,
          button("Slides", () => this.slides.open()),
        ),
        this.cards,
      ),
      this.beside,
    );
    replaceChildren(this.panel, this.lesson, this.slides.place);
  }

  // The lesson stays where it is; another tree begins a new one.
  start(changed) {
    if (changed.includes("exchanged"))
      (this.splits.clear(), (this.way = ""), this.changed.clear(), this.slides.close());
    this.render();
  }

  rows() {
    return this.model.trainingRowsAt(0).map((row) => {
      const values = this.changed.get(row.place);
      return values ? { ...row, values, moved: true } : row;
    });
  }

  tree() {
    return new OwnTree(this.model, this.rows(), this.splits, this.measure);
  }

  // The node of the page's tree that a way leads to, as long as both were split alike.
  twin(way) {
    const branches = way ? way.split(".").map(Number) : [];
    let [node, at] = [0, ""];
    for (const branch of branches) {
      if (!isSame(this.splits.get(at), this.model.splits[node])) return null;
      [node, at] = [this.model.below[node][branch], wayTo(at, branch)];
    }
    return node;
  }

  render() {
    const { model } = this;
    const tree = this.tree();
    const node = tree.at(this.way) ?? tree.open() ?? tree.nodes[0];
    this.way = node.way;
    const twin = this.twin(node.way);
    const ranked = candidates(model, node.rows, this.measure, this.isMultiway);
    const ownSplit = twin === null ? null : model.splits[twin];
    this.node = node;
    this.wanted = ownSplit ?? (twin === null && ranked[0]?.gain > 0 ? ranked[0].split : null);
    this.own.textContent = twin === null ? "Take the best" : "As the tree did";
    this.own.disabled = !this.wanted || Boolean(node.split);
    this.back.disabled = !this.splits.size;
    this.reset.disabled = !this.changed.size;
    replaceChildren(this.title, `${this.wordsOf(tree, node)}: ${this.holding(node.rows)}`);
    replaceChildren(this.reason, this.why(node, twin, ranked));
    replaceChildren(
      this.place,
      tree.nodes.map((one) =>
        element(
          "option",
          { value: one.way, selected: one === node },
          `${this.wordsOf(tree, one)} (${counted(one.rows.length, "row")})`,
        ),
      ),
    );
    const largest = ranked[0]?.gain ?? 0;
    const shown = ranked.slice(0, MOST_CARDS);
    replaceChildren(
      this.cards,
      shown.map((judged) =>
        this.card(judged, largest, isSame(judged.split, ownSplit) || isSame(judged.split, node.split)),
      ),
      ranked.length > shown.length &&
        element(
          "p",
          { class: "pale" },
          `${counted(ranked.length - shown.length, "feature")} more, all of less gain.`,
        ),
    );
    this.drawTree(tree, node);
  }

  wordsOf(tree, node) {
    const words = [];
    for (let one = node; one.parent >= 0; one = tree.nodes[one.parent]) {
      const { split } = tree.nodes[one.parent];
      const answer = split.answers[Number(one.way.split(".").at(-1))];
      words.unshift(`${this.nameOf(split)} ${split.codes ? `= ${answer}` : answer}`);
    }
    return words.join(", ") || "all rows";
  }

  nameOf(split) {
    return split.question ?? this.model.features[split.feature].name;
  }

  holding(rows) {
    const { model } = this;
    const total = model.content.rows.total[0];
    const sampled =
      total > model.trainingRowsAt(0).length ? `, of a sample of the ${counted(total, "row")}` : "";
    if (!model.classes) return `${counted(rows.length, "row")}${sampled}`;
    const counts = model.classes.map((name, code) => [
      rows.filter(({ target }) => target === code).length,
      name,
    ]);
    const some = counts.filter(([count]) => count).map(([count, name]) => `${count} ${name}`);
    return `${counted(rows.length, "row")}, ${some.slice(0, 6).join(", ")}${some.length > 6 ? " …" : ""}${sampled}`;
  }

  // What was done here, and why.
  why(node, twin, ranked) {
    const [first, second] = ranked;
    const gain = ({ gain: amount }) => decimals(amount);
    if (!first) return "All rows agree in every feature: nothing can be split.";
    if (this.model.classes && node.rows.every(({ target }) => target === node.rows[0].target))
      return "All rows are of one class: there is nothing left to split.";
    const best = `${this.nameOf(first.split)} has the largest gain, ${gain(first)}${second ? `, before ${this.nameOf(second.split)} with ${gain(second)}` : ""}.`;
    if (node.split)
      return `Split on ${this.nameOf(node.split)}, with a gain of ${gain(node.judged)}. ${best}`;
    if (twin === null) return `${best} The tree of this page has no such node.`;
    const own = this.model.splits[twin];
    return own ? `${best} The tree splits on ${this.nameOf(own)}.` : `${best} The tree has a leaf here.`;
  }

  // ---- cards and chips

  card(judged, largest, isChosen) {
    const { model, marks } = this;
    const drawn = featureCard(model, marks, judged, { measure: this.measure, largest, isChosen });
    const { feature, question } = judged.split;
    const name = question ?? model.features[feature].name;
    const chips = drawn.chips.map((chip) =>
      chipShape(model, marks, chip, {
        class: "chip",
        "aria-label": `row ${chip.row.id}, ${this.targetOf(chip.row)}: ${name} ${valueText(model.features[feature], chip.row.values[feature])}; Enter moves it to the next pile`,
        onclick: (event) =>
          event.detail === 0 && this.move(chip.row, judged, (chip.branch + 1) % drawn.piles.length),
      }),
    );
    roving(chips);
    const picture = shape(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${drawn.height}`,
        width: WIDTH,
        height: drawn.height,
        role: "group",
        "aria-label": `${name}: gain ${decimals(judged.gain)}`,
      },
      drawn.shapes,
      chips,
    );
    chips.forEach((chip, place) => this.drag(chip, drawn.chips[place], judged, drawn.piles, picture));
    const split = element(
      "button",
      {
        type: "button",
        disabled: Boolean(this.node.split) || !(judged.gain > 0),
        "aria-label": `Split on ${name} here`,
        onclick: () => this.take(judged.split),
      },
      "Split here",
    );
    return element("div", { class: "card", "data-feature": feature }, picture, split);
  }

  targetOf(row) {
    return this.model.classes ? this.model.classes[row.target] : numberText(row.target);
  }

  drag(shown, chip, judged, piles, picture) {
    shown.addEventListener("pointerdown", (event) => {
      const box = picture.getBoundingClientRect();
      const scale = WIDTH / box.width;
      const place = (moved) => [(moved.clientX - box.left) * scale, (moved.clientY - box.top) * scale];
      picture.append(shown); // above the others
      const follow = (moved) => shown.setAttribute("transform", `translate(${place(moved).join(" ")})`);
      followPointer(event, follow, (last) => {
        const y = place(last)[1];
        const pile = piles.find(({ top, bottom }) => y >= top && y < bottom);
        if (pile && pile.branch !== chip.branch) this.move(chip.row, judged, pile.branch);
        else this.render();
      });
    });
  }

  // A chip in another pile has the middle value of that pile: of a category it is the only one.
  move(row, { split, parts }, branch) {
    const values = [...row.values];
    const { feature } = split;
    const there = parts[branch].map((other) => other.values[feature]);
    const sorted = there.toSorted((a, b) => a - b);
    const middle = sorted[sorted.length >> 1] ?? split.codes[split.branches.indexOf(branch)];
    values[feature] = middle;
    const original = this.model.rows[row.place].values;
    if (values.every((value, place) => value === original[place])) this.changed.delete(row.place);
    else this.changed.set(row.place, values);
    this.render();
    this.panel.querySelector(`[data-feature="${feature}"] .chip`)?.focus({ preventScroll: true });
  }

  // ---- the tree beside

  take(split) {
    this.splits.set(this.node.way, split);
    const tree = this.tree();
    this.way = (
      tree.open(({ way }) => this.twin(way) === null || this.model.splits[this.twin(way)]) ??
      tree.open() ??
      tree.nodes[0]
    ).way;
    this.render();
    this.own.focus({ preventScroll: true });
  }

  takeOwn() {
    this.take(this.wanted);
  }

  goBack() {
    const last = [...this.splits.keys()].at(-1);
    this.splits.delete(last);
    for (const way of this.splits.keys()) if (way.startsWith(last ? `${last}.` : "")) this.splits.delete(way);
    this.way = last;
    this.render();
  }

  drawTree(tree, node) {
    const drawn = treePicture(tree.asModel(), this.marks, "the tree as far as it is grown", {
      selected: node.id,
      place: 500,
    });
    this.drawn = { ...drawn, tree };
    replaceChildren(this.beside, drawn.picture);
  }

  pick(event) {
    const { picture, layout, tree } = this.drawn;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      picture.getScreenCTM().inverse(),
    );
    const node = tree.nodes.find(
      ({ id }) =>
        Math.abs(layout.x[id] - point.x) < CARD.width / 2 &&
        Math.abs(layout.y[id] - point.y) < CARD.height / 2,
    );
    if (node) ((this.way = node.way), this.render());
  }
}
