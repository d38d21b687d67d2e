// Rules: the conditions on the way to a node, those on one feature drawn together, in words.

import { KIND, cutsOf } from "./answer.js";
import { isolated, valueText } from "../elements/text.js";

// What must hold on the way to a node: ranges (low < x ≤ high), sets of categories, and oblique conditions.
export function constraintsOf(model, node) {
  const single = new Map();
  const others = [];
  for (const child of model.ancestors(node).slice(1)) {
    const above = model.parent[child];
    const split = model.splits[above];
    const branch = model.branchOf[child];
    const takesMissing = [branch, -1].includes(model.default_branch[above]);
    if (split.features) {
      others.push({ kind: "oblique", split, branch, words: `${split.question} ${split.answers[branch]}` });
      continue;
    }
    const known = single.get(split.feature) || { feature: split.feature, missing: true };
    known.missing &&= takesMissing;
    const cuts = split.kind === KIND.table ? [] : cutsOf(split);
    if (split.kind === KIND.table) narrowSet(known, split, branch);
    else if (!cuts.length) known.known = branch === 0;
    if (cuts.length) known.below = split.answers[0].startsWith("<");
    if (branch < cuts.length) known.high = Math.min(known.high ?? Infinity, cuts[branch]);
    if (branch > 0 && cuts.length) known.low = Math.max(known.low ?? -Infinity, cuts[branch - 1]);
    single.set(split.feature, known);
  }
  return [...single.values(), ...others];
}

function narrowSet(known, split, branch) {
  known.kind = "set";
  const codes = split.codes.filter((_, place) => split.branches[place] === branch);
  known.codes = known.codes ? known.codes.filter((code) => codes.includes(code)) : codes;
}

export function constraintText(model, constraint) {
  if (constraint.kind === "oblique") return constraint.words;
  const feature = model.features[constraint.feature];
  const name = isolated(feature.name);
  if (constraint.codes) {
    const words = constraint.codes.slice(0, 8).map((code) => isolated(valueText(feature, code)));
    if (constraint.codes.length > 8) words.push(`… ${constraint.codes.length - 8} more`);
    if (!words.length) return `${name} is missing`;
    return words.length === 1 ? `${name} = ${words[0]}` : `${name} in {${words.join(", ")}}`;
  }
  if (constraint.known !== undefined) return `${name} is ${constraint.known ? "known" : "missing"}`;
  const [low, high] = [constraint.low, constraint.high].map(
    (bound) => bound !== undefined && valueText(feature, bound),
  );
  const under = constraint.below ? "<" : "≤";
  if (low && high) return `${low} ${constraint.below ? "≤" : "<"} ${name} ${under} ${high}`;
  return high ? `${name} ${under} ${high}` : `${name} ${constraint.below ? "≥" : ">"} ${low}`;
}

// Long lists of rules are sorted before they are read: what a rule says is worked out when it is asked for.
export function ruleOf(model, node) {
  return {
    node,
    get constraints() {
      return (this.found ??= constraintsOf(model, node));
    },
    cover: model.weight[node] / (model.weight[0] || 1),
    get confidence() {
      return model.classes ? model.sureness(node) : null;
    },
    get lift() {
      const base = model.classes ? model.shares(0)[model.label[node]] : null;
      return base ? model.sureness(node) / base : null;
    },
    value: model.value[node * model.width],
    off: model.weight[node] > 0 ? Math.sqrt(model.risk[node] / model.weight[node]) : 0,
  };
}

export function ruleText(model, rule) {
  const words = rule.constraints.map((constraint) => constraintText(model, constraint)).join(" AND ");
  return `IF ${words || "true"} THEN ${model.predictionWords(rule.node)}  (${model.note(rule.node)})`;
}

// The tree that is shown as a program: the exporter's own, or the lines of Python that have it written.
export function programOf(model, target, step) {
  const alpha = model.alphaAt(step);
  const isWhole = model.path.leaves[step] === model.path.leaves[0];
  if (isWhole && model.content.programs?.[target]) return model.content.programs[target];
  const pruned = `model = tw.prune(model, tw.pruning.CostComplexity(alpha=${alpha}))\n`;
  return `import treewright as tw\n\n${isWhole ? "" : pruned}print(model.export("${target}"))\n`;
}
