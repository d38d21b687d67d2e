// Greedy view: the optimal tree beside the greedy one of the same depth and size, and what it saves.

import { Model } from "../model/model.js";
import { State } from "../model/state.js";
import { Outline } from "./outline.js";
import { counted, element, numberText, percentText, replaceChildren } from "../elements/text.js";

export class GreedyView {
  constructor(panel, model, content, state) {
    const { greedy } = content;
    const other = new Model({ ...content, ...greedy });
    Object.assign(this, { panel, model, greedy, other, state });
    this.figures = [figuresOf(model, greedy.alpha), figuresOf(other, greedy.alpha)];
    this.build();
    state.on(["exchanged"], () => this.build());
  }

  build() {
    const isWhole = !this.state.get("exchanged"); // an edited tree is no longer the one that was proven
    const outlines = [this.outline("optimal"), this.outline("greedy")];
    replaceChildren(this.panel, [
      element("h2", {}, isWhole ? this.saved() : "The tree was edited: figures are those it had before"),
      element("p", {}, this.proof()),
      this.table(),
      element(
        "div",
        { class: "beside" },
        outlines.map(({ name, list }) =>
          element("section", {}, element("h3", {}, name), element("div", { class: "outline" }, list)),
        ),
      ),
    ]);
    const own = new State({ node: 0, step: 0, exchanged: null });
    this.show(outlines[0].list, this.model, this.state);
    this.show(outlines[1].list, this.other, own);
  }

  outline(name) {
    const title = name === "optimal" ? "Optimal" : "Greedy";
    return { name: title, list: element("ul", { role: "tree", "aria-label": `${name} tree` }) };
  }

  // All branches are open: what differs is to be seen at once.
  show(list, model, state) {
    const outline = new Outline(list, model, state);
    outline.open = new Set(model.parent.keys());
    outline.render();
  }

  saved() {
    const [best, greedy] = this.figures;
    const { loss } = this.greedy;
    const less = greedy.risk - best.risk;
    const leaves = greedy.leaves - best.leaves;
    const words = [];
    if (less > 1e-9 * (greedy.risk || 1))
      words.push(`${numberText(less)} of the greedy tree's ${numberText(greedy.risk)} ${loss}`);
    if (leaves > 0) words.push(counted(leaves, "leaf", "leaves"));
    return words.length
      ? `The optimal tree saves ${words.join(" and ")}`
      : "The greedy tree is as good on the training rows";
  }

  proof() {
    const { optimal, objective, lower_bound: lower } = this.greedy;
    return optimal
      ? "It is proven that no tree within these limits is better on the training rows."
      : `The search was ended early: no tree is better by more than ${numberText(objective - lower)}.`;
  }

  table() {
    const { alpha, loss } = this.greedy;
    const lines = [
      [`${loss}, per training row`, ({ mean }) => this.share(mean)],
      ["leaves", ({ leaves }) => leaves],
      ["levels", ({ levels }) => levels],
    ];
    if (alpha > 0) lines.splice(1, 0, ["objective", ({ objective }) => numberText(objective)]);
    if (this.model.held) lines.splice(1, 0, [`${loss}, per validation row`, ({ held }) => this.share(held)]);
    const head = ["", "optimal", "greedy"].map((name) => element("th", { scope: "col" }, name));
    const rows = lines.map(([name, of]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        this.figures.map((figures) => element("td", {}, String(of(figures)))),
      ),
    );
    return element("table", { class: "figures" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows));
  }

  share(mean) {
    return this.greedy.loss === "errors" ? percentText(mean) : numberText(mean);
  }
}

function figuresOf(model, alpha) {
  const leaves = [...model.parent.keys()].filter((node) => !model.children(node).length);
  const sum = (numbers) => leaves.reduce((total, node) => total + numbers[node], 0);
  const risk = sum(model.risk);
  const mean = risk / model.weight[0];
  return {
    risk,
    mean,
    leaves: leaves.length,
    levels: Math.max(...model.depth),
    objective: mean + alpha * leaves.length,
    held: model.held && sum(model.held.risk) / model.held.weight[0],
  };
}
