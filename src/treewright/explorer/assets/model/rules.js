// Rules: the conditions on the way to a node, those on one feature drawn together, in words and as code.

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
  if (low && high) return `${low} < ${name} ≤ ${high}`;
  return high ? `${name} ≤ ${high}` : `${name} > ${low}`;
}

export function ruleOf(model, node) {
  const total = model.weight[0] || 1;
  const base = model.classes ? model.shares(0)[model.label[node]] : null;
  return {
    node,
    constraints: constraintsOf(model, node),
    cover: model.weight[node] / total,
    confidence: model.classes ? model.sureness(node) : null,
    lift: model.classes && base ? model.sureness(node) / base : null,
    value: model.value[node * model.width],
    off: model.weight[node] > 0 ? Math.sqrt(model.risk[node] / model.weight[node]) : 0,
  };
}

export function ruleText(model, rule) {
  const words = rule.constraints.map((constraint) => constraintText(model, constraint)).join(" AND ");
  return `IF ${words || "true"} THEN ${model.prediction(rule.node)}  (${model.note(rule.node)})`;
}

// ---- code

const SQL = {
  name: (name) => `"${name.replaceAll('"', '""')}"`,
  text: (text) => `'${text.replaceAll("'", "''")}'`,
  and: " AND ",
  or: " OR ",
  absent: (name) => `${name} IS NULL`,
  present: (name) => `${name} IS NOT NULL`,
  among: (name, list) => `${name} IN (${list})`,
  never: "FALSE",
  always: "TRUE",
  truth: { true: "TRUE", false: "FALSE" },
};
const PYTHON = {
  name: (name) => `row[${JSON.stringify(name)}]`,
  text: (text) => JSON.stringify(text),
  and: " and ",
  or: " or ",
  absent: (name) => `${name} is None`,
  present: (name) => `${name} is not None`,
  among: (name, list) => `${name} in (${list},)`,
  never: "False",
  always: "True",
  truth: { true: "True", false: "False" },
};

function constraintCode(model, constraint, language) {
  if (constraint.kind === "oblique") return obliqueCode(model, constraint, language);
  const feature = model.features[constraint.feature];
  const name = nameIn(language, feature);
  const codes = constraint.codes ?? orderedCodes(feature, constraint);
  if (constraint.known !== undefined && !codes)
    return constraint.known ? language.present(name) : language.absent(name);
  const parts = [];
  if (codes) {
    const list = codes.map((code) => literal(language, feature.values?.[code] ?? feature.categories[code]));
    parts.push(list.length ? language.among(name, list.join(", ")) : language.never);
  }
  const bound = (number) =>
    feature.unit ? language.text(valueText(feature, number)) : String(number + (feature.offset || 0));
  if (!codes && constraint.low !== undefined) parts.push(`${name} > ${bound(constraint.low)}`);
  if (!codes && constraint.high !== undefined) parts.push(`${name} <= ${bound(constraint.high)}`);
  const holds = [language.present(name), ...parts].join(language.and);
  return constraint.missing
    ? `(${language.absent(name)}${language.or}${parts.join(language.and)})`
    : `(${holds})`;
}

// Categories that have an order are listed: their texts have another.
function orderedCodes({ categories }, { low = -Infinity, high = Infinity, known }) {
  if (!categories || known !== undefined) return null;
  return [...categories.keys()].filter((code) => code > low && code <= high);
}

// A column by the name that its table gives it, and a value as its table has it.
function nameIn(language, { name, column = name }) {
  return language.name(column);
}

function literal(language, value) {
  if (typeof value === "string") return language.text(value);
  return typeof value === "boolean" ? language.truth[value] : String(value);
}

function saidBy(model, node, language) {
  if (!model.classes) return String(model.value[node]);
  return literal(language, model.content.class_values?.[model.label[node]] ?? model.prediction(node));
}

function obliqueCode(model, { split, branch }, language) {
  const terms = split.features.map((feature, place) => {
    const name = nameIn(language, model.features[feature]);
    if (split.kind === KIND.hyperplane) return `${split.weights[place]} * ${name}`;
    const away = `(${name} - ${split.centres[place]})`;
    return `${split.scales[place]} * ${away} * ${away}`;
  });
  return `(${terms.join(" + ")} ${branch ? ">" : "<="} ${split.threshold})`;
}

export function rulesAsSql(model, rules) {
  const lines = rules.map((rule) => {
    const code = rule.constraints.map((constraint) => constraintCode(model, constraint, SQL)).join(SQL.and);
    return `  WHEN ${code || SQL.always} THEN ${saidBy(model, rule.node, SQL)}`;
  });
  return `CASE\n${lines.join("\n")}\nEND`;
}

export function rulesAsPython(model, rules) {
  const lines = rules.map((rule) => {
    const code = rule.constraints
      .map((constraint) => constraintCode(model, constraint, PYTHON))
      .join(PYTHON.and);
    return `    if ${code || PYTHON.always}:\n        return ${saidBy(model, rule.node, PYTHON)}`;
  });
  return `def predict(row):\n${lines.join("\n")}\n`;
}
