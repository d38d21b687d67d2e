// What if: a row to type in and change, what the tree says of it at once, why, and what would change its mind.

import { lightWay } from "../model/folding.js";
import { changeText, nearestChange } from "../model/nearest_change.js";
import {
  counted,
  element,
  isDate,
  isolated,
  numberText,
  percentText,
  readValue,
  replaceChildren,
  valueText,
  whole,
} from "../elements/text.js";
import { treePicture } from "../drawing/small_tree.js";
import { verdict } from "./prediction_table.js";

// As many digits as a field shows, and all of a whole number.
const roughly = (number) => (Number.isInteger(number) ? number : Number(number.toPrecision(6)));

const DEEPEST = 60; // nodes of a path that is drawn

export class WhatIf {
  constructor(panel, model, marks, state, forest) {
    Object.assign(this, { panel, model, marks, state, forest });
    this.values = model.middleRow();
    this.form = element("form", { class: "what-if", onsubmit: (event) => event.preventDefault() });
    this.answer = element("div", { class: "answer", "aria-live": "polite" });
    this.picture = element("div", { class: "lit-way", role: "group", "aria-label": "the path in the tree", tabindex: 0 });
    replaceChildren(panel, this.form, this.answer, this.picture);
    state.on(["row"], () => {
      const row = state.get("row");
      if (row) this.values = row.values.slice();
      state.values.values = null; // what was typed is gone
      this.build();
      this.render();
    });
    state.on(["exchanged", "step"], () => this.build());
    state.on(["exchanged", "step", "tab", "theme", "room"], () => this.render());
    this.build();
  }

  // Those that the tree asks for as it is shown.
  usedFeatures() {
    const used = new Set();
    const step = this.state.get("step");
    const inner = this.model.visible(step).filter((node) => !this.model.isLeaf(node, step));
    for (const split of inner.map((node) => this.model.splits[node]))
      for (const feature of split.features || [split.feature]) used.add(feature);
    if (this.model.equations)
      for (const leaf of this.model.leaves(step))
        for (const [feature] of this.model.equations.terms[leaf]) used.add(feature);
    return used;
  }

  build() {
    const used = this.usedFeatures();
    const places = this.model.features.map((_, place) => place);
    const rest = places.filter((place) => !used.has(place));
    replaceChildren(
      this.form,
      places.filter((place) => used.has(place)).map((place) => this.field(place)),
      rest.length > 0 &&
        element(
          "details",
          {},
          element("summary", {}, `${counted(rest.length, "feature")} that the tree does not ask for`),
          rest.map((place) => this.field(place)),
        ),
    );
  }

  field(place) {
    const feature = this.model.features[place];
    const label = element("span", { class: "name" }, element("bdi", {}, feature.name));
    return element(
      "label",
      { class: "field" },
      label,
      feature.categories ? this.choice(place, feature) : this.number(place, feature),
    );
  }

  choice(place, feature) {
    const value = this.values[place];
    const missing = feature.kind === "categorical" ? -1 : "";
    const options = [
      element("option", { value: missing, selected: value === null || value < 0 }, "missing"),
      ...feature.categories
        .slice(0, 2000)
        .map((name, code) => element("option", { value: code, selected: code === value }, name)),
    ];
    const select = element(
      "select",
      { onchange: () => this.change(place, select.value === "" ? null : Number(select.value)) },
      options,
    );
    return select;
  }

  number(place, feature) {
    const offset = feature.offset || 0;
    const value = this.values[place];
    const isTime = isDate(feature);
    const written = (number) => (isTime ? valueText(feature, number) : String(roughly(number + offset)));
    const warning = element("span", { class: "warning", role: "status" });
    const input = element("input", {
      type: isTime ? "text" : "number",
      step: isTime ? null : "any",
      value: value === null ? "" : written(value),
      placeholder: "missing",
    });
    const range =
      feature.low === null || feature.low === undefined
        ? null
        : element("input", {
            type: "range",
            min: feature.low,
            max: feature.high,
            step: feature.whole ? 1 : (feature.high - feature.low) / 200 || 1,
            value: value ?? feature.low,
            "aria-label": `${feature.name}, slider`,
          });
    const warn = (number) => {
      const outside =
        number !== null && feature.low !== null && (number < feature.low || number > feature.high);
      warning.textContent = Number.isNaN(number)
        ? "no date: year-month-day"
        : outside
          ? `beyond all rows: ${valueText(feature, feature.low)} to ${valueText(feature, feature.high)}`
          : "";
    };
    input.addEventListener("input", () => {
      const number = readValue(feature, input.value);
      warn(number);
      if (Number.isNaN(number)) return; // half a date
      if (range && number !== null) range.value = number;
      this.change(place, number);
    });
    range?.addEventListener("input", () => {
      input.value = written(Number(range.value));
      warn(Number(range.value));
      this.change(place, readValue(feature, input.value));
    });
    warn(value);
    return element("span", { class: "number" }, input, range, warning);
  }

  change(place, value) {
    this.values[place] = value;
    this.render();
    const way = this.model.pathOf(this.values, this.state.get("step"));
    lightWay(
      this.state,
      way.map(({ node }) => node),
      { values: this.values.slice(), why: { words: "the path of the row typed in under “What if”" } },
    );
  }

  render() {
    if (this.state.get("tab") !== "what-if") return;
    const step = this.state.get("step");
    const said = this.model.predict(this.values, step);
    const way = this.model.pathOf(this.values, step);
    replaceChildren(
      this.answer,
      this.verdict(said, step),
      this.nearest(step),
      this.story(way),
      this.contributions(way),
      this.go(way),
    );
    this.draw(way, step);
  }

  // The way of the row, lit, beside what the tree says.
  draw(way, step) {
    const nodes = way.map(({ node }) => node);
    if (nodes.length > DEEPEST) return replaceChildren(this.picture); // it could not be read
    const title = `The path of the row, to leaf ${nodes.at(-1)}`;
    const place = this.picture.clientWidth || 320;
    const tall = Math.max(340, 0.92 * window.innerHeight - 300);
    const { picture } = treePicture(this.model, this.marks, title, { step, place, tall, way: nodes });
    replaceChildren(this.picture, element("h2", {}, "The path in the tree"), picture);
  }

  // Of a forest one tree is asked: all of them vote under its own tab.
  who() {
    return this.forest ? `tree ${this.state.get("member") + 1} of ${this.forest.total} predicts` : "predicted";
  }

  verdict(said, step) {
    const { model, marks } = this;
    if (!model.classes)
      return element("p", { class: "says" }, `${this.who()} `, element("b", {}, numberText(said[0])));
    const bar = (code) =>
      element("span", { css: { width: `${100 * said[code]}%`, background: marks.fill(code) } });
    return verdict(model, marks, said, {
      words: this.who(),
      best: model.classOf(this.values, step),
      beside: (code) => element("td", { class: "bar" }, bar(code)),
    });
  }

  // The way of the row in sentences, with what its gaps did.
  story(way) {
    const { model } = this;
    const lines = way
      .filter(({ branch }) => branch !== null)
      .map(({ node, branch, by, surrogate }) => {
        const split = model.splits[node];
        if (branch === -2) return `${split.question} is missing: the row stays at node ${node}`;
        if (branch === -1) return `${split.question} is missing: the row is shared over all branches`;
        const words = model.condition(model.below[node][branch]);
        if (by === "surrogate") return `${words}, as ${surrogate.words} stands in`;
        return by === "default" ? `${split.question} is missing: it goes where ${words}` : words;
      });
    if (model.equations) lines.push(`${model.equations.words[way.at(-1).node]}`);
    return element(
      "section",
      {},
      element("h2", {}, "Why"),
      lines.length
        ? element(
            "ol",
            {},
            lines.map((line) => element("li", {}, whole(line))),
          )
        : element("p", {}, "The tree is one leaf: it says the same of all rows."),
    );
  }

  // How much each question moved the prediction (Saabas, 2014): the sum leads from the root's value to the answer.
  contributions(way) {
    const { model, marks } = this;
    const code = model.classes ? model.label[way.at(-1).node] : 0;
    const value = (node) =>
      model.equations ? model.equations.start[node] : model.classes ? model.shares(node)[code] : model.value[node];
    const moved = new Map();
    way.slice(1).forEach(({ node }, place) => {
      const name = model.splits[way[place].node].question;
      moved.set(name, (moved.get(name) || 0) + value(node) - value(way[place].node));
    });
    if (model.equations)
      for (const [feature, amount] of model.termsOf(way.at(-1).node, this.values)) {
        const { name } = model.features[feature];
        if (amount) moved.set(name, (moved.get(name) || 0) + amount);
      }
    if (!moved.size) return null;
    const largest = Math.max(...[...moved.values()].map(Math.abs)) || 1;
    const text = (number) =>
      `${number >= 0 ? "+" : "−"}${model.classes ? percentText(Math.abs(number)) : numberText(Math.abs(number))}`;
    const lines = [...moved]
      .toSorted((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
      .map(([name, number]) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, name),
          element("td", {}, text(number)),
          element(
            "td",
            { class: "bar" },
            element("span", {
              css: {
                width: `${(100 * Math.abs(number)) / largest}%`,
                background: marks.line(number >= 0 ? 2 : 1),
              },
            }),
          ),
        ),
      );
    const whose = model.equations ? "a row without values" : "all rows";
    const from = model.classes ? percentText(value(0)) : numberText(value(0));
    return element(
      "section",
      {},
      element("h2", {}, "What moved it"),
      element(
        "p",
        { class: "pale" },
        `from ${from} for ${whose}${model.classes ? ` (${isolated(model.classes[code])})` : ""}`,
      ),
      element("table", {}, element("tbody", {}, lines)),
    );
  }

  nearest(step) {
    const { model } = this;
    if (model.equations) return null; // the search is for constant leaves
    const change = nearestChange(model, this.values, step);
    if (!change) return null;
    const take = () => {
      this.values = change.row.slice();
      this.build();
      this.render();
      lightWay(this.state, model.ancestors(change.leaf), { values: this.values.slice() });
    };
    return element(
      "section",
      {},
      element("h2", {}, `${change.isNearest ? "The nearest" : "A"} change that gives another answer`),
      element(
        "p",
        {},
        `If ${changeText(model, change)}, the tree says ${isolated(model.predictionText(change.row, step))}.`,
      ),
      element("p", {}, element("button", { type: "button", onclick: take }, "Try it")),
    );
  }

  go(way) {
    const show = () =>
      lightWay(
        this.state,
        way.map(({ node }) => node),
        { node: way.at(-1).node, tab: "tree", why: { words: "the path of the row of “What if”" } },
      );
    return element("p", {}, element("button", { type: "button", onclick: show }, "Show the path in the tree"));
  }
}
