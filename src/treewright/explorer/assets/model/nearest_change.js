// Change: the nearest row that the tree answers otherwise: fewest features changed, then least far.

import { branchBy } from "./answer.js";
import { constraintsOf } from "./rules.js";
import { valueText } from "../elements/text.js";

// Among all leaves of another answer, the one that is reached by the smallest change.
export function nearestChange(model, row, step) {
  const said = model.pathOf(row, step).at(-1).node;
  const differs = model.classes
    ? (leaf) => model.label[leaf] !== model.label[said]
    : (leaf) => model.value[leaf] !== model.value[said];
  let best = null;
  for (const leaf of model.leaves(step)) {
    if (!differs(leaf)) continue;
    const change = changeTo(model, row, leaf);
    if (change && (!best || closer(change, best))) best = { ...change, leaf };
  }
  return best;
}

function closer(one, other) {
  if (one.changes.length !== other.changes.length) return one.changes.length < other.changes.length;
  return one.distance < other.distance;
}

function changeTo(model, row, leaf) {
  const changes = [];
  let distance = 0;
  for (const constraint of constraintsOf(model, leaf)) {
    if (constraint.kind === "oblique") {
      if (branchBy(constraint.split, row) !== constraint.branch) return null; // only straight changes are proposed
      continue;
    }
    const { feature } = constraint;
    const value = row[feature];
    const wanted = constraint.codes
      ? nearestCode(constraint, value)
      : nearestNumber(model, constraint, value);
    if (wanted === undefined) return null;
    if (wanted === value) continue;
    changes.push({ feature, from: value, to: wanted });
    distance +=
      constraint.codes || value === null ? 1 : Math.abs(wanted - value) / rangeOf(model.features[feature]);
  }
  const changed = row.slice();
  for (const { feature, to } of changes) changed[feature] = to;
  const reached = model.pathOf(changed).some(({ node }) => node === leaf);
  return changes.length && reached ? { changes, distance, row: changed } : null;
}

function nearestCode(constraint, code) {
  if (constraint.codes.includes(code) || (code < 0 && constraint.missing)) return code;
  return constraint.codes[0];
}

function nearestNumber(model, constraint, value) {
  const feature = model.features[constraint.feature];
  if (value === null) {
    if (constraint.missing || constraint.known === false) return null;
    return inside(constraint, feature, feature.middle ?? 0);
  }
  return constraint.known === false ? null : inside(constraint, feature, value);
}

// The nearest number of a range, just beyond its open end, whole where the feature is.
function inside({ low = -Infinity, high = Infinity }, feature, value) {
  if (value > low && value <= high) return value;
  if (value > high) return feature.whole || feature.categories ? Math.floor(high) : high;
  if (feature.whole || feature.categories) return Math.floor(low) + 1;
  const farthest = low + Math.min(rangeOf(feature) / 50, high - low);
  for (let power = 1e-3; power < 1e12; power *= 10) {
    // the roundest number near enough
    const beyond = (Math.floor(low * power) + 1) / power;
    if (beyond > low && beyond <= farthest) return beyond;
  }
  return (low + farthest) / 2;
}

function rangeOf(feature) {
  return feature.high > feature.low ? feature.high - feature.low : 1;
}

export function changeText(model, change) {
  return change.changes
    .map(
      ({ feature, to }) =>
        `${model.features[feature].name} becomes ${valueText(model.features[feature], to)}`,
    )
    .join(" and ");
}
