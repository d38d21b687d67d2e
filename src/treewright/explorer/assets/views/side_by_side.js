// Side by side: trees of the same table, as far as they were computed: greedy, pruned, guided by a forest, optimal.

import { Model } from "../model/model.js";
import { placesFor, treePicture, widthOf } from "../drawing/small_tree.js";
import { counted, element, numberText, percentText, replaceChildren } from "../elements/text.js";

const MOST_LEAVES = 40; // larger trees are told by their figures
const GAP = 14; // between them, as in the style sheet

// The step of pruning that other rows favour, if it is not the whole tree.
function favoured(path) {
  const judged = path.validation ?? path.cross_validation;
  if (!judged) return 0;
  const least = Math.min(...judged.mean);
  return judged.mean.lastIndexOf(least);
}

export function hasOthers({ beside, path }) {
  return Boolean(beside?.length || (beside && favoured(path) > 0));
}

export class SideBySide {
  constructor(panel, model, content, marks, state) {
    Object.assign(this, { panel, marks, state, loss: content.loss, proof: content.proof });
    const own = new Model({ ...content, rows: null }); // as it was when the page was made
    const step = favoured(content.path);
    const judge = content.path.validation ? "validation rows" : "cross-validation";
    const alpha = this.proof?.alpha ?? 0;
    const entry = (name, tree, at = 0) => ({ name, tree, step: at, ...figuresOf(tree, at, alpha) });
    this.entries = [entry(content.grown.name, own)];
    if (step > 0) this.entries.push(entry(`pruned, by ${judge}`, own, step));
    for (const { name, ...other } of content.beside)
      this.entries.push(entry(name, new Model({ ...content, ...other, rows: null })));
    this.model = model;
    state.on(["exchanged", "tab", "theme", "room"], () => state.get("tab") === "beside" && this.render());
  }

  render() {
    const drawn = this.entries.filter(({ leaves }) => leaves <= MOST_LEAVES);
    const places = placesFor(
      drawn.map(({ tree, step }) => widthOf(tree, step)),
      this.panel.clientWidth - 30 - GAP * drawn.length,
    );
    const isWhole = !this.state.get("exchanged"); // an edited tree is no longer the one that was proven
    replaceChildren(
      this.panel,
      element(
        "h2",
        {},
        isWhole ? this.heading() : "The tree was edited: trees and figures are those of before",
      ),
      this.proof && element("p", {}, this.proven()),
      this.table(),
      element(
        "div",
        { class: "beside" },
        this.entries.map((entry) => this.picture(entry, places[drawn.indexOf(entry)])),
      ),
    );
  }

  picture({ name, tree, step, leaves }, place) {
    const title = element("h3", {}, `${name}: ${counted(leaves, "leaf", "leaves")}`);
    if (leaves > MOST_LEAVES)
      return element("section", {}, title, element("p", { class: "pale" }, "Too large to be drawn here."));
    const { picture } = treePicture(tree, this.marks, `${name} tree`, { step, place });
    return element("section", { css: { flex: `0 1 ${place}px` } }, title, picture);
  }

  heading() {
    const [own] = this.entries;
    const greedy = this.entries.find(({ name }) => name === "greedy");
    if (!this.proof || !greedy) return `${counted(this.entries.length, "tree")} of the same table`;
    const words = [];
    const less = greedy.risk - own.risk;
    const leaves = greedy.leaves - own.leaves;
    if (less > 1e-9 * (greedy.risk || 1))
      words.push(`${numberText(less)} of the greedy tree's ${numberText(greedy.risk)} ${this.loss}`);
    if (leaves > 0) words.push(counted(leaves, "leaf", "leaves"));
    return words.length
      ? `The optimal tree saves ${words.join(" and ")}`
      : "The greedy tree is as good on the training rows";
  }

  proven() {
    const { optimal, objective, lower_bound: lower } = this.proof;
    return optimal
      ? "It is proven that no tree within these limits is better on the training rows."
      : `The search was ended early: no tree is better by more than ${numberText(objective - lower)}.`;
  }

  table() {
    const head = ["tree", this.on("training")];
    const cells = [({ mean }) => this.share(mean)];
    if (this.entries[0].held !== null) {
      head.push(this.on("validation"));
      cells.push(({ held }) => this.share(held));
    }
    if (this.proof?.alpha > 0) (head.push("objective"), cells.push(({ objective }) => numberText(objective)));
    head.push("leaves", "depth");
    cells.push(
      ({ leaves }) => leaves,
      ({ levels }) => levels,
    );
    const rows = this.entries.map((entry) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, entry.name),
        cells.map((of) => element("td", {}, String(of(entry)))),
      ),
    );
    return element(
      "div",
      { class: "wide", role: "region", "aria-label": "figures of the trees", tabindex: 0 }, // it scrolls where it is narrow
      element(
        "table",
        { class: "figures" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            head.map((name) => element("th", { scope: "col" }, name)),
          ),
        ),
        element("tbody", {}, rows),
      ),
    );
  }

  on(which) {
    return this.loss === "errors" ? `error on ${which} rows` : `${this.loss} per ${which} row`;
  }

  share(mean) {
    return this.loss === "errors" ? percentText(mean) : numberText(mean);
  }
}

function figuresOf(model, step, alpha) {
  const leaves = model.leaves(step);
  const sum = (numbers) => leaves.reduce((total, node) => total + numbers[node], 0);
  const risk = sum(model.risk);
  const mean = risk / model.weight[0];
  return {
    risk,
    mean,
    leaves: leaves.length,
    levels: Math.max(...leaves.map((node) => model.depth[node])),
    objective: mean + alpha * leaves.length,
    held: model.held ? sum(model.held.risk) / model.held.weight[0] : null,
  };
}
