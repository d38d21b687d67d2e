// Node card: all that is known of one node.

import { targetChart } from "../drawing/charts.js";
import { pruneByHand } from "../model/replace_tree.js";
import { constraintText, constraintsOf } from "../model/rules.js";
import { splitPicture } from "../drawing/split_picture.js";
import { counted, element, numberText, percentText, replaceChildren, whole } from "../elements/text.js";

export class Card {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    state.on(["exchanged", "node", "step", "theme", "folded"], (changed) => this.render(changed));
    this.render();
  }

  render(changed = []) {
    const { model, state } = this;
    const node = model.standing(state.get("node"), state.get("step"));
    const leaf = model.isLeaf(node, state.get("step"));
    const isSame = node === this.shown?.node && leaf === this.shown.leaf;
    if (isSame && changed.length && changed.every((name) => name === "step")) return; // pruning elsewhere
    this.shown = { node, leaf };
    const collapsed = leaf && model.below[node].length ? " (pruned here)" : "";
    replaceChildren(
      this.panel,
      element("h2", {}, leaf ? `Leaf ${node}${collapsed}` : `Node ${node}`),
      this.way(node),
      element(
        "p",
        { class: "says" },
        leaf ? "predicts " : "would predict ",
        element("b", {}, model.prediction(node)),
      ),
      this.numbers(node),
      model.classes ? this.classTable(node) : this.target(node),
      leaf ? null : this.split(node),
      this.actions(node, leaf),
    );
  }

  way(node) {
    const { model } = this;
    const words = constraintsOf(model, node).map((constraint) => constraintText(model, constraint));
    if (!words.length) return element("p", { class: "pale" }, "all rows");
    return element(
      "ul",
      { class: "way" },
      words.map((text) => element("li", {}, whole(text))),
    );
  }

  numbers(node) {
    const { model } = this;
    const lines = [
      ["rows", numberText(model.count[node])],
      Math.abs(model.weight[node] - model.count[node]) > 1e-9 * model.weight[0] && [
        "weight",
        numberText(model.weight[node]),
      ],
      ["share of rows", percentText(model.weight[node] / (model.weight[0] || 1))],
      ["impurity", numberText(model.impurity[node])],
      [model.lossName("errors"), numberText(model.risk[node])],
      model.splits[node] && ["gain of the split", numberText(model.merit[node])],
      model.held && [model.heldName, numberText(model.held.weight[node])],
    ].filter(Boolean);
    return element(
      "dl",
      { class: "numbers" },
      lines.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    );
  }

  classTable(node) {
    const { model, marks } = this;
    const training = model.shares(node);
    const held = model.held && model.held.weight[node] > 0 ? model.shares(node, model.held) : null;
    const order = training
      .map((_, code) => code)
      .toSorted((a, b) => training[b] - training[a] || a - b)
      .slice(0, 12);
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "class"),
      element("th", { scope: "col" }, "rows"),
      element("th", { scope: "col" }, "probability"),
      held && element("th", { scope: "col" }, model.heldName.replace(/^rows | rows$/, "")),
    );
    const lines = order.map((code) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, swatch(marks.fill(code)), model.classes[code]),
        element("td", {}, numberText(model.seen[node * model.width + code])),
        element("td", {}, percentText(training[code])),
        held && element("td", {}, percentText(held[code])),
      ),
    );
    const [low, high] = wilson(model.sureness(node), model.weight[node]);
    const sure = `The probability of ${model.predictionWords(node)} is between ${between([low, high])} with 95 % confidence (Wilson).`;
    const more =
      model.width > 12
        ? element("p", { class: "pale" }, `… ${counted(model.width - 12, "more class", "more classes")}`)
        : null;
    return element(
      "div",
      {},
      element("table", {}, element("thead", {}, head), element("tbody", {}, lines)),
      more,
      model.weight[node] > 0 && element("p", { class: "pale" }, sure),
    );
  }

  // Where the target of the rows lies, and how well their mean is known.
  target(node) {
    const { model, marks } = this;
    const targets = model.trainingRowsAt(node).map((row) => row.target);
    const mean = targets.reduce((sum, target) => sum + target, 0) / targets.length;
    const squares = targets.reduce((sum, target) => sum + (target - mean) ** 2, 0);
    const sd = Math.sqrt(squares / (targets.length - 1));
    const half = (1.96 * sd) / Math.sqrt(model.count[node]);
    const known = targets.length > 1 && half > 0;
    const words = [
      known &&
        `The mean is between ${numberText(mean - half)} and ${numberText(mean + half)} with 95 % confidence; rows are ${numberText(sd, 3)} from it (standard deviation).`,
      model.held &&
        model.held.weight[node] > 0 &&
        `The mean of ${model.heldName} is ${numberText(model.held.value[node])}.`,
    ].filter(Boolean);
    return element(
      "div",
      {},
      targetChart(model, marks, node),
      words.length > 0 && element("p", { class: "pale" }, words.join(" ")),
    );
  }

  split(node) {
    const { model, marks } = this;
    const split = model.splits[node];
    const branches = model.children(node).map((child, branch) => {
      const missing = [branch].includes(model.default_branch[node]) ? " or missing" : "";
      const go = element(
        "button",
        { type: "button", class: "link", onclick: () => this.state.set({ node: child }) },
        whole(`${split.answers[branch]}${missing}`),
      );
      return element(
        "li",
        {},
        go,
        element("span", { class: "pale" }, ` → ${model.predictionWords(child)}, ${model.note(child)}`),
      );
    });
    const shared = {
      [-1]: "Rows without an answer are shared over all branches.",
      [-2]: "Rows without an answer stay here.",
    }[model.default_branch[node]];
    return element(
      "section",
      {},
      element("h3", {}, split.question),
      splitPicture(model, marks, node),
      element("ul", { class: "way" }, branches),
      shared && element("p", { class: "pale" }, shared),
      this.list(
        "Surrogates",
        split.surrogates,
        "agreement",
        "stand in, in this order, where the split is unanswered",
      ),
      this.list("Competitors", split.competitors, "gain", "the best splits on other features"),
    );
  }

  list(title, splits, measure, words) {
    if (!splits || !splits.length) return null;
    const lines = splits.map((split) =>
      element(
        "tr",
        {},
        element("td", {}, split.words),
        element("td", {}, numberText(split.score)),
      ),
    );
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "split"),
      element("th", { scope: "col" }, measure),
    );
    return element(
      "details",
      { open: true },
      element("summary", {}, `${title} (${splits.length})`),
      element("p", { class: "pale" }, words),
      element("table", {}, element("thead", {}, head), element("tbody", {}, lines)),
    );
  }

  // Where no program listens, pruning by hand is a trial: the page alone knows of it.
  pruning(node, leaf) {
    const { state, model } = this;
    if (model.content.live || (leaf && !model.cut.has(node))) return null;
    const nodes = leaf ? [...model.cut].filter((other) => other !== node) : [...model.cut, node];
    return element(
      "button",
      {
        type: "button",
        title: leaf ? "take the pruning by hand back" : "see the tree without what is below this node",
        onclick: () => pruneByHand(model, state, nodes),
      },
      leaf ? "Restore" : "Prune here",
    );
  }

  actions(node, leaf) {
    const { state, model } = this;
    const light = () =>
      state.set({
        lit: new Set(model.ancestors(node)),
        why: { words: `the path to node ${node}`, rows: model.rowsAt(node).map((at) => model.rows[at]) },
      });
    const fold = () => state.get("fold")(node);
    return element(
      "p",
      { class: "buttons" },
      element("button", { type: "button", onclick: light }, "Show the path"),
      leaf
        ? null
        : element(
            "button",
            { type: "button", onclick: fold },
            state.get("folded").has(node) ? "Unfold" : "Fold",
          ),
      node
        ? element(
            "button",
            { type: "button", onclick: () => state.set({ node: model.parent[node] }) },
            "Parent",
          )
        : null,
      this.pruning(node, leaf),
      element(
        "button",
        {
          type: "button",
          title: "keep this node, and pick another to see both side by side",
          onclick: () => state.set({ pinned: node }),
        },
        "Compare",
      ),
    );
  }
}

// Two shares in words, with a decimal where they would read the same.
function between(shares) {
  const [low, high] = shares.map(percentText);
  return low === high
    ? shares.map((share) => `${(100 * share).toFixed(1)}\u00a0%`).join(" and ")
    : `${low} and ${high}`;
}

export function swatch(colour) {
  return element("span", { class: "swatch", css: { background: colour }, "aria-hidden": "true" });
}

// The score interval of a share (Wilson, 1927).
function wilson(share, size, z = 1.96) {
  if (!(size > 0)) return [0, 1];
  const middle = share + (z * z) / (2 * size);
  const half = z * Math.sqrt((share * (1 - share)) / size + (z * z) / (4 * size * size));
  const scale = 1 + (z * z) / size;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}
