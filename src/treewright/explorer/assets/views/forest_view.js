// Forest view: a tree to choose, the votes on a row, the error as trees are added, and what they ask for.

import { lightWay } from "../model/folding.js";
import { chart, linePath, widthIn } from "../drawing/charts.js";
import { importanceTable, movementMeasure, movementWords, spreadText } from "./importances.js";
import { roving } from "../elements/roving.js";
import {
  counted,
  element,
  fineText,
  numberText,
  percentText,
  replaceChildren,
  roundNumbers,
  shape,
} from "../elements/text.js";
import { verdict } from "./prediction_table.js";

const CURVE = { width: 660, height: 170, left: 52, right: 10, top: 10, bottom: 30 };
const STRIP = { width: 660, height: 110, room: 14 };

export class ForestView {
  constructor({ panel, picker }, forest, marks, state) {
    Object.assign(this, { panel, picker, forest, model: forest.model, marks, state });
    this.disputed = forest.mostDisputed();
    this.buildPicker();
    state.on(["exchanged", "tab", "row", "values", "theme", "room"], () => this.render());
    state.on(["member"], () => this.showMember());
  }

  // ---- which tree is shown

  buildPicker() {
    const { forest, state } = this;
    const { last } = forest;
    const go = (place) => forest.show(place).catch(() => this.showMember()); // whoever served it has ended
    this.number = element("input", {
      type: "number",
      min: 1,
      max: last + 1,
      "aria-label": "number of the tree",
      onchange: () => go(Math.round(Number(this.number.value)) - 1),
    });
    const step = (words, name, by) =>
      element(
        "button",
        { type: "button", "aria-label": name, title: name, onclick: () => go(state.get("member") + by) },
        words,
      );
    const held =
      last + 1 < forest.total ? `of ${last + 1} here, ${forest.total} in all` : `of ${forest.total}`;
    replaceChildren(
      this.picker,
      "Tree ",
      step("‹", "the tree before", -1),
      this.number,
      step("›", "the next tree", 1),
      element("span", { class: "pale" }, ` ${held}`),
    );
    this.picker.hidden = false;
    this.showMember();
  }

  // From now on every tree can be shown.
  serve(ask) {
    this.forest.ask = ask;
    this.buildPicker();
  }

  showMember() {
    this.number.value = this.state.get("member") + 1;
  }

  // Show a tree, with the way that the row takes in it.
  open(member) {
    const { state, model } = this;
    state.set({ member });
    const way = model.pathOf(this.values());
    lightWay(
      state,
      way.map(({ node }) => node),
      { tab: "tree", node: way.at(-1).node },
    );
  }

  row() {
    return this.state.get("row") ?? this.disputed;
  }

  // The row that is voted on.
  values() {
    const { state, model } = this;
    return state.get("values") ?? this.row()?.values ?? model.middleRow();
  }

  // ---- what they say

  render() {
    if (this.state.get("tab") !== "forest") return;
    replaceChildren(this.panel, this.votes(), this.curve(), this.importances());
  }

  votes() {
    const { forest, model, state } = this;
    const row = this.row();
    const typed = state.get("values");
    const source = typed
      ? "the row typed in under “What if”"
      : !row
        ? "a row in the middle of all; pick one under “Rows”, or type one in under “What if”"
        : state.get("row")
          ? `row ${row.id}, which is ${this.truth(row)}`
          : `row ${row.id}, on which the trees agree least; it is ${this.truth(row)}. Pick another under “Rows”`;
    const votes = forest.votes(this.values());
    const isRow = row && !typed && forest.said;
    const said = isRow ? forest.saidOf(row) : forest.together(votes);
    const who =
      isRow || votes.length === forest.total ? "the forest" : `the mean of these ${votes.length} trees`;
    return element(
      "section",
      { class: "votes" },
      element("h2", {}, `${counted(isRow ? forest.total : votes.length, "vote")} on a row`),
      element("p", { class: "pale" }, `On ${source}.`),
      model.classes ? this.verdict(said, votes, who, isRow && row) : this.mean(said[0], votes, who),
      votes.length < forest.total &&
        element("p", { class: "pale" }, `The page holds the first ${votes.length} of ${forest.total} trees:`),
      model.classes ? this.squares(votes) : this.strip(votes, said[0]),
    );
  }

  truth(row) {
    return this.model.classes ? this.model.classes[row.target] : numberText(row.target);
  }

  verdict(said, votes, who, row) {
    const { forest, model, marks } = this;
    const here = votes.length < forest.total && !row ? " here" : "";
    const trees = (code) =>
      row ? forest.countOf(row, code) : votes.filter((vote) => vote.said === code).length;
    return verdict(model, marks, said, {
      words: `${who} says`,
      best: model.best(said),
      beside: (code) => element("td", {}, counted(trees(code), `tree${here}`, `trees${here}`)),
    });
  }

  // A square for each tree, as strong as it is sure; it opens the tree with the way of the row.
  squares(votes) {
    const { model, marks } = this;
    const order = votes.map((_, place) => place).toSorted((a, b) => votes[a].said - votes[b].said || a - b);
    return element(
      "div",
      { class: "squares" },
      roving(
        order.map((place) => {
          const { said, sure } = votes[place];
          const words = `tree ${place + 1} says ${model.classes[said]}, ${percentText(sure)}: show it`;
          return element("button", {
            type: "button",
            title: words,
            "aria-label": words,
            css: { background: marks.fill(said), opacity: 0.35 + 0.65 * sure },
            onclick: () => this.open(place),
          });
        }),
      ),
    );
  }

  mean(said, votes, who) {
    const spread = Math.sqrt(votes.reduce((sum, vote) => sum + (vote.said - said) ** 2, 0) / votes.length);
    return element(
      "p",
      { class: "says" },
      `${who} says `,
      element("b", {}, numberText(said)),
      ` ± ${numberText(spread, 3)} between trees`,
    );
  }

  // The numbers of the trees on a line, piled up.
  strip(votes, mean) {
    const { height, room } = STRIP;
    const width = widthIn(this.panel, STRIP.width, 30);
    const numbers = votes.map(({ said }) => said);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const x = (number) => room + ((number - low) / (high - low || 1)) * (width - 2 * room);
    const pile = new Map();
    const dots = votes.map(({ said }, place) => {
      const column = Math.round(x(said) / 9);
      pile.set(column, (pile.get(column) || 0) + 1);
      const words = `tree ${place + 1} says ${numberText(said)}: show it`;
      const settings = {
        cx: column * 9,
        cy: height - 24 - 8.5 * pile.get(column),
        r: 4,
        class: "vote",
        fill: this.marks.numberColour(this.model.shareOf(said)),
        "aria-label": words,
        onclick: () => this.open(place),
      };
      return shape("circle", settings, shape("title", {}, words));
    });
    roving(dots);
    const shapes = [
      shape("line", { x1: room, x2: width - room, y1: height - 22, y2: height - 22, class: "axis" }),
      shape("line", { x1: x(mean), x2: x(mean), y1: 4, y2: height - 22, class: "cut" }),
      dots,
      shape("text", { x: room, y: height - 6, class: "tick" }, numberText(low)),
      shape(
        "text",
        { x: width - room, y: height - 6, class: "tick", "text-anchor": "end" },
        numberText(high),
      ),
    ];
    return chart(width, height, "What each tree says", shapes, "group");
  }

  // ---- the error as trees are added, on rows that they have not drawn

  curve() {
    const { forest, marks } = this;
    if (!forest.curve) return null;
    const { error, measure } = forest.curve;
    const known = error.map((value, place) => [place + 1, value]).filter(([, value]) => value !== null);
    if (!known.length) return null;
    const { height, left, right, top, bottom } = CURVE;
    const width = widthIn(this.panel, CURVE.width, 30);
    const highest = Math.max(...known.map(([, value]) => value)) || 1;
    const x = (trees) => left + ((trees - 1) / (error.length - 1 || 1)) * (width - left - right);
    const y = (value) => height - bottom - (value / highest) * (height - top - bottom);
    const text = (value) => (measure === "error" ? fineText(value) : numberText(value, 3));
    const shapes = [
      shape("line", { x1: left, x2: width - right, y1: y(0), y2: y(0), class: "axis" }),
      shape("path", {
        d: linePath(known.map(([trees, value]) => [x(trees), y(value)])),
        fill: "none",
        stroke: marks.line(0),
        "stroke-width": 2,
      }),
      ...roundNumbers(0, highest).map((value) =>
        shape("text", { x: left - 6, y: y(value) + 4, class: "tick", "text-anchor": "end" }, text(value)),
      ),
      shape("text", { x: left, y: height - 10, class: "tick" }, "1 tree"),
      shape(
        "text",
        { x: width - right, y: height - 10, class: "tick", "text-anchor": "end" },
        counted(error.length, "tree"),
      ),
    ];
    const words = `Out of bag, ${counted(error.length, "tree")} ${error.length === 1 ? "has" : "have"} a ${measure === "error" ? "share of errors" : measure} of ${text(known.at(-1)[1])}`;
    return element("section", {}, element("h2", {}, words), chart(width, height, words, shapes));
  }

  // ---- what they ask for

  importances() {
    const { forest, model, marks } = this;
    const { impurity, shuffled } = forest.importance;
    const measure = (name, { mean, spread }) => ({
      name,
      size: (place) => mean[place],
      text: (place) => spreadText({ mean: mean[place], spread: spread[place] }),
    });
    const measures = [
      measure("impurity", impurity),
      shuffled && measure("shuffled", shuffled),
      forest.moved && movementMeasure(forest.moved),
    ].filter(Boolean);
    const asked = { name: "asked first by", text: (place) => counted(forest.asked_first[place], "tree") };
    const words = [
      "Impurity: mean share in its decrease ± the spread between trees; it favours features of many values.",
      shuffled && "Shuffled: by how much a tree errs more on rows out of bag when the feature is shuffled.",
      forest.moved && movementWords(model, forest.moved, this.movers()),
    ];
    return element(
      "section",
      {},
      element("h2", {}, "What the trees ask for"),
      element("p", { class: "pale" }, words.filter(Boolean).join(" ")),
      importanceTable(model, marks, measures, [asked]),
    );
  }

  movers() {
    const { trees } = this.forest.moved;
    return trees < this.forest.total ? `the mean of the first ${counted(trees, "tree")}` : "the forest";
  }
}
