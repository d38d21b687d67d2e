// Candidates: the best split of rows on each feature by what it gains, as the trace lists them.

import { KIND, branchBy } from "./answer.js";
import { Cuts, Tally, gainOf, isMore, meanOf } from "./cuts.js";
import { valueText } from "../elements/text.js";

const MOST_ENUMERATED = 12; // categories whose groups are all tried, with three and more classes
const MOST_EMPTY = 12; // features of no more categories have a branch for each, empty ones too

// What a split makes of rows: those of each branch, and the gain. Rows without the value take no part, and the gain counts
// for the share of the others.
export function judge(model, rows, split, measure) {
  const nClasses = model.classes ? model.width : null;
  const parts = split.answers.map(() => []);
  const known = [];
  for (const row of rows) {
    const branch = branchBy(split, row.values);
    if (branch >= 0) (parts[branch].push(row), known.push(row));
  }
  const mean = nClasses === null ? meanOf(known.map(({ target }) => target)) : 0;
  const tallyOf = (some) =>
    Tally.of(
      some.map(({ target }) => target),
      nClasses,
      mean,
    );
  const whole = tallyOf(known);
  const tallies = parts.map(tallyOf);
  const share = known.length / (rows.length || 1);
  const gain = share * gainOf(whole, tallies, measure);
  return { split, parts, whole, tallies, share, missing: rows.length - known.length, gain };
}

// The best split on each feature that has one, the largest gain first, of equal ones the first feature.
export function candidates(model, rows, measure, isMultiway) {
  const found = model.features
    .map((_, feature) => bestSplit(model, rows, feature, measure, isMultiway))
    .filter((split) => split !== null)
    .map((split) => judge(model, rows, split, measure));
  return found.reduce((ranked, one) => {
    const place = ranked.findIndex(({ gain }) => isMore(one.gain, gain));
    ranked.splice(place < 0 ? ranked.length : place, 0, one);
    return ranked;
  }, []);
}

// The best split of rows on a feature; null if it has one value only.
export function bestSplit(model, rows, feature, measure, isMultiway) {
  if (model.features[feature].kind !== "categorical") {
    const pairs = rows
      .map(({ values, target }) => [values[feature], target])
      .filter(([value]) => value !== null);
    const all = new Cuts(pairs, model.classes ? model.width : null);
    return all.cuts.length ? threshold(model, feature, all.best(measure).cut) : null;
  }
  const tallies = tallyByCode(model, rows, feature);
  if (tallies.size < 2) return null;
  if (!isMultiway) return groups(model, feature, bestGroup(tallies, measure), [...tallies.keys()]);
  return multiway(model, feature, [...tallies.keys()]);
}

// ---- splits, as a page describes them

export function threshold(model, feature, cut) {
  const words = valueText(model.features[feature], cut);
  return { kind: KIND.threshold, feature, threshold: cut, answers: [`≤ ${words}`, `> ${words}`] };
}

// A branch for each category.
export function multiway(model, feature, present) {
  const { categories } = model.features[feature];
  const codes = categories.length <= MOST_EMPTY ? [...categories.keys()] : present.toSorted((a, b) => a - b);
  const answers = codes.map((code) => categories[code]);
  return { kind: KIND.table, feature, codes, branches: codes.map((_, branch) => branch), answers };
}

// Some categories against the others that are there.
export function groups(model, feature, first, present) {
  const { categories } = model.features[feature];
  const codes = present.toSorted((a, b) => a - b);
  const branches = codes.map((code) => (first.has(code) ? 0 : 1));
  const named = (branch) =>
    codes.filter((_, place) => branches[place] === branch).map((code) => categories[code]);
  return { kind: KIND.table, feature, codes, branches, answers: [inWords(named(0)), inWords(named(1))] };
}

const inWords = (names) =>
  names.length > 4 ? `${names.slice(0, 3).join(", ")} … ${names.length - 3} more` : names.join(", ");

// Whether two splits send every row the same way.
export function isSame(one, other) {
  if (!one || !other || one.kind !== other.kind || one.feature !== other.feature) return false;
  if (one === other) return true;
  if (!one.codes) return one.threshold === other.threshold && one.feature !== undefined;
  const branches = new Map(other.codes.map((code, place) => [code, other.branches[place]]));
  return (
    one.codes.length === other.codes.length &&
    one.codes.every((code, place) => branches.get(code) === one.branches[place])
  );
}

// ---- groups of categories

export function tallyByCode(model, rows, feature) {
  const nClasses = model.classes ? model.width : null;
  const known = rows.filter(({ values }) => values[feature] >= 0);
  const mean = nClasses === null ? meanOf(known.map(({ target }) => target)) : 0;
  const tallies = new Map();
  for (const { values, target } of known) {
    const code = values[feature];
    if (!tallies.has(code)) tallies.set(code, new Tally(nClasses, mean));
    tallies.get(code).add(target);
  }
  return tallies;
}

// The group of categories that gains most against the others. For two classes and for numbers it is the best cut of the
// categories in their order (Breiman et al., 1984); of few categories all groups are tried, of many the orders by each class.
function bestGroup(tallies, measure) {
  const codes = [...tallies.keys()].toSorted((a, b) => a - b);
  const whole = [...tallies.values()].reduce((sum, tally) => sum.with(tally));
  const { nClasses } = whole;
  const best = { gain: -1, group: null };
  const consider = (group, left) => {
    const gain = gainOf(whole, [left, whole.without(left)], measure);
    if (best.group === null || isMore(gain, best.gain)) Object.assign(best, { gain, group: new Set(group) });
  };
  if (nClasses !== null && nClasses > 2 && codes.length <= MOST_ENUMERATED) {
    for (let mask = 1; mask < 2 ** (codes.length - 1); mask++) {
      const group = codes.filter((_, place) => (mask >> place) & 1);
      consider(
        group,
        group.map((code) => tallies.get(code)).reduce((sum, tally) => sum.with(tally)),
      );
    }
    return best.group;
  }
  const heights =
    nClasses === null
      ? [(tally) => tally.prediction]
      : whole.counts.map((_, of) => (tally) => tally.counts[of] / tally.rows);
  for (const height of heights.slice(nClasses === 2 ? 1 : 0)) {
    const ordered = codes.toSorted((a, b) => height(tallies.get(a)) - height(tallies.get(b)));
    let left = whole.without(whole);
    ordered.slice(0, -1).forEach((code, place) => {
      left = left.with(tallies.get(code));
      consider(ordered.slice(0, place + 1), left);
    });
  }
  return best.group;
}
