// Model: the tree that the page was given, how it routes rows, and what is left of it at a step of pruning.

import { KIND, UNSEEN, branchBy } from "./answer.js";
import { shortNumber } from "./region.js";
import { compactText, counted, fineText, isolated, numberText, percentText } from "../elements/text.js";

// Weights of classes, and costs, that differ by less, as a share of them, are equal; see tree/decision.py.
const SAME_WEIGHT = 1e-11;

export class Model {
  #visible = new Map();
  #rowsAt = null;

  constructor(content) {
    this.classes = content.classes;
    this.features = content.features;
    this.width = this.classes ? this.classes.length : 1;
    this.rows = content.rows ? makeRows(content) : [];
    this.take(content);
  }

  // Take a tree of these features for these rows: at first, once it was edited, or another of a forest.
  take(content) {
    this.content = { ...this.content, ...content };
    Object.assign(this, content.tree);
    this.bySmoothing = new Set(this.overruled); // nodes whose rows alone lead to another class
    this.byHand = new Set(this.decided); // leaves whose prediction was decided by hand
    this.seen = this.observed ?? this.value; // class weights, or means, of training rows
    this.splits = content.splits.map((split) => split && worded(split, this.features));
    this.path = content.path;
    this.held = content.held;
    this.heldName = this.content.held_name ?? "validation rows";
    this.size = this.parent.length;
    this.lastStep = this.path.leaves.length - 1;
    this.depth = new Int32Array(this.size);
    // The children of each node, and which branch of its parent it is: nodes are numbered in preorder.
    this.below = this.parent.map(() => []);
    this.branchOf = new Int32Array(this.size).fill(-1);
    for (let node = 1; node < this.size; node++) {
      const above = this.parent[node];
      this.depth[node] = this.depth[above] + 1;
      this.branchOf[node] = this.below[above].push(node) - 1;
    }
    this.lowest = this.value.reduce((a, b) => Math.min(a, b), Infinity);
    this.highest = this.value.reduce((a, b) => Math.max(a, b), -Infinity);
    this.prune([]);
  }

  // ---- shape

  isLeaf(node, step = 0) {
    return (
      !this.below[node].length ||
      (this.path.leaf_from[node] !== null && this.path.leaf_from[node] <= step) ||
      this.cut.has(node)
    );
  }

  // Make nodes leaves by hand, whatever the step.
  prune(nodes) {
    this.cut = new Set(nodes);
    this.#visible.clear();
    this.#rowsAt = null;
  }

  children(node, step = 0) {
    return this.isLeaf(node, step) ? [] : this.below[node];
  }

  // The nodes that are left at a step, parents before children.
  visible(step) {
    if (!this.#visible.has(step)) {
      const there = new Uint8Array(this.size);
      there[0] = 1;
      const nodes = [0];
      for (let node = 1; node < this.size; node++) {
        const above = this.parent[node];
        if (there[above] && !this.isLeaf(above, step)) (nodes.push(node), (there[node] = 1));
      }
      if (this.#visible.size > 40) this.#visible.clear();
      this.#visible.set(step, nodes);
    }
    return this.#visible.get(step);
  }

  leaves(step) {
    return this.visible(step).filter((node) => this.isLeaf(node, step));
  }

  // How many leaves a node has below it.
  leavesBelow(node, step = 0) {
    let leaves = 0;
    const waiting = [node];
    while (waiting.length) {
      const children = this.children(waiting.pop(), step);
      if (children.length) waiting.push(...children);
      else leaves += 1;
    }
    return leaves;
  }

  // The nodes from the root to a node.
  ancestors(node) {
    const nodes = [];
    for (let at = node; at >= 0; at = this.parent[at]) nodes.push(at);
    return nodes.reverse();
  }

  // The branches that lead to a node, and back: the node that they lead to, as far as there are such.
  branchesTo(node) {
    return this.ancestors(node)
      .slice(1)
      .map((child) => this.branchOf[child]);
  }

  nodeBy(branches) {
    let node = 0;
    for (const branch of branches) {
      if (branch >= this.below[node].length) break;
      node = this.below[node][branch];
    }
    return node;
  }

  // A short price of a leaf at which cost-complexity pruning gives the tree of a step; null: it is not pruned.
  alphaAt(step) {
    const { alpha } = this.path;
    if (step === 0 && alpha[1] === 0) return null;
    if (alpha[step] === 0) return 0;
    const next = alpha[step + 1] ?? 2 * alpha[step];
    return shortNumber(alpha[step], alpha[step] + 0.9 * (next - alpha[step]), true);
  }

  // The node that stands for a node at a step: itself, or the leaf above that has swallowed it.
  standing(node, step) {
    return this.ancestors(node).find((above) => this.isLeaf(above, step)) ?? node;
  }

  // ---- words

  answer(node) {
    return node === 0
      ? "all rows"
      : this.splits[this.parent[node]].answers[this.branchOf[node]];
  }

  condition(node) {
    if (node === 0) return "all rows";
    const split = this.splits[this.parent[node]];
    const words = this.answer(node);
    const question = isolated(split.question);
    if (split.kind === KIND.table) return `${question} = ${isolated(words)}`;
    return /^[≤>≥<]|^(known|missing)$/.test(words) ? `${question} ${words}` : words; // between two cuts
  }

  prediction(node) {
    if (this.equations) return this.equations.words[node];
    return this.classes ? this.classes[this.label[node]] : numberText(this.value[node]);
  }

  // A prediction among other words: one that runs from right to left does not turn what stands beside it.
  predictionWords(node) {
    return isolated(this.prediction(node));
  }

  // The mean of a node's rows, where that is not all that it predicts.
  meanWords(node, digits = 4) {
    return `${this.equations ? "mean " : ""}${numberText(this.value[node], digits)}`;
  }

  // What is predicted for a row, in words.
  predictionText(values, step = 0) {
    return this.classes ? this.classes[this.classOf(values, step)] : numberText(this.predict(values, step)[0]);
  }

  rowsText(node) {
    return counted(this.count[node], "row");
  }

  note(node) {
    const rows = this.rowsText(node);
    const sure = this.classes && this.weight[node] > 0 ? ` · ${percentText(this.sureness(node))}` : "";
    const by = this.byHand.has(node) ? "hand" : this.bySmoothing.has(node) ? "smoothing" : "";
    return `${rows}${sure}${by && ` · decided by ${by}`}`;
  }

  // What is lost on rows: errors, or what they cost, or the loss of a regression.
  lossName(errors = "error") {
    return !this.classes ? "loss" : this.content.costs ? "cost" : errors;
  }

  // A loss per row: a share of errors, or what they cost.
  riskText(risk) {
    return this.classes && !this.content.costs ? fineText(risk) : numberText(Number(risk.toPrecision(4)));
  }

  // The same on an axis.
  riskTick(risk) {
    return this.classes && !this.content.costs ? fineText(risk) : compactText(risk);
  }

  // ---- what nodes say

  shares(node, source = this) {
    const begin = node * this.width;
    const value = source.value.slice(begin, begin + this.width);
    if (!this.classes) return value;
    const total = value.reduce((sum, weight) => sum + weight, 0);
    return value.map((weight) => (total > 0 ? weight / total : 0));
  }

  // What a node gives a row: its shares, its number, or what its equation comes to. Terms are added up in their order, as
  // core/predict/equations.hpp does; what is missing, or never seen, counts as the feature's fill.
  output(node, row) {
    if (!this.equations) return this.shares(node);
    const { constant, terms, range } = this.equations;
    let sum = constant[node];
    for (const [feature, code, coefficient] of terms[node]) {
      const value = this.filled(feature, row);
      if (code < 0) sum += coefficient * value;
      else if (value === code) sum += coefficient;
    }
    return [sum < range[0] ? range[0] : sum > range[1] ? range[1] : sum];
  }

  // The value of a row in an equation.
  filled(feature, row) {
    const value = row[feature];
    const known = value !== null && !(this.features[feature].categories && value < 0);
    return known ? value : this.equations.fill[feature];
  }

  // What a node says of a row without any value, and what each feature of a row adds to it; see explain/path.py.
  termsOf(node, row) {
    const added = new Map();
    for (const [feature, code, coefficient] of this.equations.terms[node]) {
      const [value, usual] = [this.filled(feature, row), this.equations.fill[feature]];
      const amount = code < 0 ? coefficient * (value - usual) : coefficient * ((value === code) - (usual === code));
      added.set(feature, (added.get(feature) || 0) + amount);
    }
    return added;
  }

  // What a node decides by: its shares, or all for the class that was decided by hand.
  votes(node) {
    if (!this.classes || !this.byHand.has(node)) return this.shares(node);
    return this.classes.map((_, code) => Number(code === this.label[node]));
  }

  // The share of the predicted class; for numbers how far up between lowest and highest.
  sureness(node) {
    if (this.classes) return this.shares(node)[this.label[node]];
    return this.shareOf(this.value[node]);
  }

  shareOf(number) {
    return this.highest > this.lowest ? (number - this.lowest) / (this.highest - this.lowest) : 0.5;
  }

  // Where a target stands between the smallest and the largest of all rows and leaves.
  heightOf(number) {
    if (!this.reach || this.reach.rows !== this.rows) {
      let [low, high] = [this.lowest, this.highest];
      for (const { target } of this.rows) [low, high] = [Math.min(low, target), Math.max(high, target)];
      this.reach = { low, high, rows: this.rows };
    }
    const { low, high } = this.reach;
    return high > low ? Math.min(Math.max((number - low) / (high - low), 0), 1) : 0.5;
  }

  // The class that shares lead to; what differs by rounding only is equal, and the first of equals wins.
  best(shares) {
    const { costs } = this.content;
    const heaviest = Math.max(...shares);
    if (!costs) return shares.findIndex((share) => share >= heaviest * (1 - SAME_WEIGHT));
    const price = shares.map((_, said) =>
      shares.reduce((sum, share, code) => sum + share * costs[code][said], 0),
    );
    const cheapest = Math.min(...price);
    return price.findIndex((cost) => cost <= cheapest * (1 + SAME_WEIGHT));
  }

  // The mean loss of the tree as it stands, on training rows and on those held.
  risks(step) {
    const leaves = this.leaves(step);
    const mean = ({ risk, weight }) => leaves.reduce((sum, leaf) => sum + risk[leaf], 0) / (weight[0] || 1);
    return { "training rows": mean(this), ...(this.held && { [this.heldName]: mean(this.held) }) };
  }

  // ---- routing

  // The branch of a row at a node and how it was found: by the split, by a surrogate, by default; a category never seen
  // takes the heaviest.
  branch(node, row) {
    const split = this.splits[node];
    let branch = branchBy(split, row);
    if (branch >= 0) return { branch, by: "split" };
    for (const surrogate of split.surrogates || []) {
      if (branch === UNSEEN) break;
      branch = branchBy(surrogate, row);
      if (branch >= 0) return { branch, by: "surrogate", surrogate };
    }
    if (branch === UNSEEN) return { branch: this.branchOf[this.heaviest(node)], by: "unseen" };
    return { branch: this.default_branch[node], by: "default" };
  }

  // The nodes that a row passes, the heaviest branch where it is shared over all.
  pathOf(row, step = 0) {
    const steps = [];
    let node = 0;
    while (!this.isLeaf(node, step)) {
      const found = this.branch(node, row);
      steps.push({ node, ...found });
      if (found.branch === -2) break;
      node = found.branch >= 0 ? this.below[node][found.branch] : this.heaviest(node);
    }
    if (!steps.length || steps.at(-1).node !== node) steps.push({ node, branch: null, by: "end" });
    return steps;
  }

  // The node that a row ends in; -1 if it is shared over several.
  endOf(row, step = 0) {
    let node = 0;
    while (!this.isLeaf(node, step)) {
      const { branch } = this.branch(node, row);
      if (branch < 0) return branch === -2 ? node : -1;
      node = this.below[node][branch];
    }
    return node;
  }

  heaviest(node) {
    return this.children(node).reduce((best, child) =>
      this.weight[child] > this.weight[best] ? child : best,
    );
  }

  // What the tree says of a row: class probabilities, or a number; shared rows count in every leaf they reach.
  predict(row, step = 0, says = (node) => this.output(node, row)) {
    const said = new Array(this.width).fill(0);
    const parts = [[0, 1]];
    while (parts.length) {
      const [node, weight] = parts.pop();
      const branch = this.isLeaf(node, step) ? -2 : this.branch(node, row).branch;
      if (branch === -2) says(node).forEach((share, place) => (said[place] += weight * share));
      else if (branch >= 0) parts.push([this.below[node][branch], weight]);
      else {
        const below = this.children(node);
        const total = below.reduce((sum, child) => sum + this.weight[child], 0) || 1;
        for (const child of below)
          if (this.weight[child]) parts.push([child, (weight * this.weight[child]) / total]);
      }
    }
    return said;
  }

  // The class that is predicted for a row.
  classOf(row, step = 0) {
    return this.best(this.predict(row, step, (node) => this.votes(node)));
  }

  // The rows of the page that pass a node.
  rowsAt(node) {
    if (!this.#rowsAt) {
      this.#rowsAt = new Map();
      this.rows.forEach((row, index) => {
        for (const { node: passed } of this.pathOf(row.values)) {
          if (!this.#rowsAt.has(passed)) this.#rowsAt.set(passed, []);
          this.#rowsAt.get(passed).push(index);
        }
      });
    }
    return this.#rowsAt.get(node) || [];
  }

  // Of these the rows that the tree was grown on, if the page has such.
  trainingRowsAt(node) {
    const rows = this.rowsAt(node).map((index) => this.rows[index]);
    return this.content.rows && this.content.rows.validation.includes(0)
      ? rows.filter((row) => !row.validation)
      : rows;
  }

  middleRow() {
    return this.features.map((feature) => feature.middle ?? (feature.kind === "categorical" ? -1 : null));
  }
}

// What follows from the name of the feature is not in the content a second time.
function worded(split, features) {
  return { ...split, question: split.question ?? features[split.feature].name };
}

function makeRows(content) {
  const { rows, features } = content;
  return rows.target.map((target, index) => ({
    place: index,
    id: rows.id[index],
    validation: Boolean(rows.validation[index]),
    target,
    values: features.map((_, feature) => rows.features[feature][index]),
  }));
}
