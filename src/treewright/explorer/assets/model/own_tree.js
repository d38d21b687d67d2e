// Own tree: a tree that is grown on the page, by the reader or by gain, from splits by the way that leads to each. It is described
// as the program describes trees, so that a Model of it routes, predicts and is drawn by the same rules.

import { branchBy } from "./answer.js";
import { candidates, groups, judge, tallyByCode, threshold } from "./candidates.js";
import { Tally, meanOf } from "./cuts.js";
import { Model } from "./model.js";

// The way to a child: branches one after the other.
export const wayTo = (way, branch) => (way ? `${way}.${branch}` : String(branch));

export class OwnTree {
  // Splits are a Map from ways to splits; those below nodes that are not split any more are left out.
  constructor(model, rows, splits, measure) {
    Object.assign(this, { model, splits, measure });
    this.nodes = [];
    const waiting = [{ way: "", parent: -1, rows }];
    while (waiting.length) {
      const node = waiting.pop();
      node.id = this.nodes.push(node) - 1;
      node.depth = node.parent < 0 ? 0 : this.nodes[node.parent].depth + 1;
      const split = splits.get(node.way);
      node.split = split ?? null;
      if (!split) continue;
      Object.assign(node, { judged: judge(model, node.rows, split, measure), heaviest: 0 });
      const sizes = node.judged.parts.map((part) => part.length);
      node.heaviest = sizes.indexOf(Math.max(...sizes));
      const lost = node.rows.filter((row) => branchBy(split, row.values) < 0); // they follow most of the others
      node.judged.parts.forEach((part, branch) => {
        const here = branch === node.heaviest ? [...part, ...lost] : part;
        node[branch] = { way: wayTo(node.way, branch), parent: node.id, rows: here };
      });
      for (let branch = sizes.length - 1; branch >= 0; branch--) waiting.push(node[branch]);
    }
  }

  at(way) {
    return this.nodes.find((node) => node.way === way);
  }

  // The first leaf that could be split: one whose rows differ.
  open(isOpen = () => true) {
    return this.nodes.find((node) => !node.split && !isPure(node.rows) && isOpen(node)) ?? null;
  }

  with(way, split) {
    return new OwnTree(this.model, this.nodes[0].rows, new Map([...this.splits, [way, split]]), this.measure);
  }

  // Nodes as columns, see page_data.py; an empty branch says what its parent says.
  content() {
    const { nodes, model, measure } = this;
    const nClasses = model.classes ? model.width : null;
    const mean = nClasses === null ? meanOf(nodes[0].rows.map(({ target }) => target)) : 0;
    const tallies = [];
    for (const { rows } of nodes)
      tallies.push(
        Tally.of(
          rows.map(({ target }) => target),
          nClasses,
          mean,
        ),
      );
    const told = nodes.map(({ rows, parent }, id) => (rows.length ? id : parent));
    told.forEach((other, id) => (told[id] = other === id ? id : told[other]));
    const value = told.flatMap((id) => (nClasses === null ? [tallies[id].prediction] : tallies[id].counts));
    const label = nClasses === null ? null : told.map((id) => model.best(tallies[id].counts));
    const count = nodes.map(({ rows }) => rows.length);
    const risk = tallies.map((tally, id) =>
      nClasses === null ? tally.impurity() * tally.rows : tally.rows - tally.counts[label[id]],
    );
    const leaves = nodes.filter(({ split }) => !split);
    const training = leaves.reduce((sum, { id }) => sum + risk[id], 0) / (count[0] || 1);
    return {
      tree: {
        parent: nodes.map(({ parent }) => parent),
        default_branch: nodes.map(({ heaviest }) => heaviest ?? -1),
        count,
        weight: count,
        impurity: tallies.map((tally) => tally.impurity(measure)),
        risk,
        merit: nodes.map(({ judged }) => judged?.gain ?? 0),
        value,
        label,
        equations: null,
        observed: null,
        decided: null,
      },
      splits: nodes.map(({ split }) => split),
      held: null,
      path: { leaf_from: nodes.map(() => null), alpha: [0], leaves: [leaves.length], training: [training] },
    };
  }

  // Numbers have the colours that they have in the tree of the page.
  asModel() {
    const { lowest, highest, content } = this.model;
    return Object.assign(new Model({ ...content, ...this.content(), rows: null }), { lowest, highest });
  }
}

export function isPure(rows) {
  return rows.every(({ target }) => target === rows[0].target);
}

// What the tree does with rows: the best of all splits, if any gains something.
export function bestOf(model, rows, measure, isMultiway) {
  if (isPure(rows)) return null;
  const best = candidates(model, rows, measure, isMultiway)[0];
  return best?.gain > 0 ? best : null;
}

// Grow on all leaves above a depth by the best split of each.
export function grown(tree, levels, isMultiway) {
  const { model, measure } = tree;
  const done = new Set();
  for (;;) {
    const node = tree.open(({ depth, way }) => depth < levels && !done.has(way));
    if (!node) return tree;
    const best = bestOf(model, node.rows, measure, isMultiway);
    if (best) tree = tree.with(node.way, best.split);
    else done.add(node.way);
  }
}

// ---- in an address: r stands for the root, then branches; the feature; the cut, or the categories of the first branch

export function written(splits) {
  return [...splits]
    .map(([way, split]) => {
      const first = split.codes?.filter((_, place) => split.branches[place] === 0);
      return `r${way.replaceAll(".", "")}_${split.feature}_${first ? `c${first.join(".")}` : split.threshold}`;
    })
    .join("*");
}

// What was written, on these rows; whatever makes no sense is left out.
export function readSplits(model, rows, text, levels, measure) {
  let tree = new OwnTree(model, rows, new Map(), measure);
  for (const part of text.split("*").slice(0, 2 ** levels)) {
    const [, branches, feature, codes, cut] = /^r([01]*)_(\d+)_(?:c([\d.]+)|([-\d.e+]+))$/.exec(part) ?? [];
    const node = branches !== undefined && tree.at([...branches].join("."));
    const column = model.features[Number(feature)];
    if (!node || node.split || !column || node.depth >= levels) continue;
    const split = codes
      ? column.kind === "categorical" &&
        twoGroups(model, node.rows, Number(feature), new Set(codes.split(".").map(Number)))
      : column.kind !== "categorical" &&
        Number.isFinite(Number(cut)) &&
        threshold(model, Number(feature), Number(cut));
    if (split && judge(model, node.rows, split, measure).parts.every((side) => side.length))
      tree = tree.with(node.way, split);
  }
  return tree;
}

// Some categories against the others that the rows have.
export function twoGroups(model, rows, feature, first) {
  const present = [...tallyByCode(model, rows, feature).keys()];
  return present.length ? groups(model, feature, first, present) : null;
}
