// Region: the rows that meet a condition on each of some features, and how far the nearest of them is from a given row.
// It repeats explain/region.py, operation by operation, so that the page and the library name the same change.

import { KIND } from "./answer.js";

const ROOM = 0.01; // a number may be moved beyond a cut by this much of its scale, to one that is short to write

export const featuresOf = (split) => split.features ?? [split.feature];

// The cuts that a split makes of one number, ascending; a surrogate −x ≤ t cuts just below −t.
export function featureCuts(split) {
  if (split.kind === KIND.threshold) return [split.threshold ?? Infinity];
  if (split.kind === KIND.intervals) return split.cuts;
  return runsTheOtherWay(split) ? [below(-split.threshold)] : [];
}

// What holds for the known rows that a split sends to a branch; null if it looks at several features at once.
export function answered(split, branch) {
  const [feature] = featuresOf(split);
  if (split.kind === KIND.table) {
    const codes = split.codes.filter((_, place) => split.branches[place] === branch);
    return { feature, codes: new Set(codes) };
  }
  const cuts = featureCuts(split);
  if (!cuts.length) return null;
  const ends = [-Infinity, ...cuts, Infinity];
  const place = runsTheOtherWay(split) ? cuts.length - branch : branch;
  return { feature, low: ends[place], high: ends[place + 1] };
}

function runsTheOtherWay(split) {
  return split.kind === KIND.hyperplane && split.weights.length === 1 && split.weights[0] === -1;
}

// The largest number below another.
function below(number) {
  if (number === 0) return -Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([number]).buffer);
  bits[0] += number > 0 ? -1n : 1n;
  return new Float64Array(bits.buffer)[0];
}

// What changes of a row cost: numbers by the span of the cuts that the tree makes of them, categories one each.
export class Measure {
  constructor(model, row, splits) {
    const cuts = model.features.map(() => new Set());
    for (const split of splits) {
      for (const cut of featureCuts(split)) if (Number.isFinite(cut)) cuts[featuresOf(split)[0]].add(cut);
    }
    this.features = model.features;
    this.row = row;
    const sorted = cuts.map((each) => [...each].toSorted((a, b) => a - b));
    this.scales = this.features.map((_, feature) => this.#span(feature, sorted[feature]));
    this.whole = this.features.map((_, feature) => this.#isWhole(feature, sorted[feature]));
    this.unknown = [...this.features.keys()].filter((feature) => this.isUnknown(feature));
  }

  isCategorical(feature) {
    return this.features[feature].kind === "categorical";
  }

  isUnknown(feature) {
    const value = this.row[feature];
    return value === null || (this.isCategorical(feature) && value < 0);
  }

  #span(feature, cuts) {
    const { kind, categories } = this.features[feature];
    if (kind === "ordinal") return Math.max(categories.length - 1, 1);
    if (kind === "categorical") return 1;
    const sizes = [...cuts, ...(this.isUnknown(feature) ? [] : [this.row[feature]])].map(Math.abs);
    // one cut says nothing of the spread: take the size of the numbers
    const span = cuts.length > 1 ? cuts.at(-1) - cuts[0] : sizes.length ? Math.max(...sizes) : 1;
    return span > 0 ? Math.min(span, Number.MAX_VALUE) : 1;
  }

  #isWhole(feature, cuts) {
    if (this.features[feature].kind === "ordinal") return true;
    const value = this.row[feature];
    const halves = cuts.length > 0 && cuts.every((cut) => (2 * cut) % 1 === 0);
    return halves && (value === null || Number.isInteger(value));
  }

  // The distance to where a condition holds; null if it holds already.
  price(feature, condition) {
    const x = this.row[feature];
    if (condition.codes) return condition.codes.has(x) ? null : 1;
    if (condition.low < x && x <= condition.high) return null;
    const { low, high } = this.ends(feature, condition);
    const near = x <= condition.low ? low : high;
    const scale = this.scales[feature];
    const apart = Math.abs(near - x);
    return apart < Infinity ? apart / scale : Math.abs(near / scale - x / scale);
  }

  isEmpty(feature, condition) {
    if (condition.codes) return !condition.codes.size;
    if (condition.low >= condition.high) return true;
    const { low, high } = this.ends(feature, condition);
    return this.whole[feature] && low > high;
  }

  // The least and the largest value, or the bound where there is no least.
  ends(feature, { low, high }) {
    return this.whole[feature] ? { low: Math.floor(low) + 1, high: Math.floor(high) } : { low, high };
  }

  // A value that meets a condition, near the row's own and short to write.
  value(feature, condition) {
    const x = this.row[feature];
    if (condition.codes) return condition.codes.has(x) ? x : Math.min(...condition.codes);
    if (x !== null && condition.low < x && x <= condition.high) return x;
    const { low, high } = this.ends(feature, condition);
    const upwards = x === null ? Number.isFinite(low) : x <= condition.low;
    if (!Number.isFinite(low) && !Number.isFinite(high)) return 0;
    if (this.whole[feature]) return upwards ? low : high;
    const room = ROOM * this.scales[feature];
    return upwards
      ? shortNumber(condition.low, Math.min(condition.high, condition.low + room), true)
      : shortNumber(Math.max(condition.low, condition.high - room), condition.high, false);
  }
}

export class Region {
  // `conditions` by feature, `sides` of splits that look at several features, and the unknown values that stay so.
  constructor(measure, conditions, sides, kept) {
    Object.assign(this, { measure, conditions, sides, kept });
  }

  // The part in which further conditions hold; null if they hold nowhere.
  meet(conditions) {
    const found = new Map(this.conditions);
    for (const condition of conditions) {
      const { feature } = condition;
      const before = found.get(feature);
      const joint = before ? join(before, condition) : condition;
      if (this.measure.isEmpty(feature, joint)) return null;
      found.set(feature, joint);
    }
    return new Region(this.measure, found, this.sides, this.kept);
  }

  on(side) {
    return new Region(this.measure, this.conditions, [...this.sides, side], this.kept);
  }

  // How many features change, and by how much in all.
  cost() {
    let [count, distance] = [0, 0];
    for (const [feature, condition] of this.conditions) {
      if (this.measure.isUnknown(feature)) continue;
      const price = this.measure.price(feature, condition);
      if (price === null) continue;
      count += 1;
      distance += price;
    }
    const filled = this.measure.unknown.length - this.kept.size;
    return [count + filled, distance + filled];
  }

  // The values that bring the row into the region at its cost, by feature.
  changes() {
    const { measure, kept } = this;
    const filled = measure.unknown.filter((feature) => !kept.has(feature));
    return [...new Set([...this.conditions.keys(), ...filled])]
      .toSorted((a, b) => a - b)
      .map((feature) => {
        const to = measure.value(feature, this.conditions.get(feature) ?? anything(measure, feature));
        return { feature, from: measure.row[feature], to };
      })
      .filter(({ from, to }) => from !== to);
  }
}

function join(one, other) {
  const { feature } = one;
  if (one.codes) return { feature, codes: new Set([...one.codes].filter((code) => other.codes.has(code))) };
  return { feature, low: Math.max(one.low, other.low), high: Math.min(one.high, other.high) };
}

function anything(measure, feature) {
  if (!measure.isCategorical(feature)) return { feature, low: -Infinity, high: Infinity };
  return { feature, codes: new Set(measure.features[feature].categories.keys()) };
}

// A number above `low` and at most `high` in few digits, near `low` or near `high`.
export function shortNumber(low, high, upwards) {
  const near = upwards ? low : high;
  const size = Math.min(Math.max(Math.abs(low), Math.abs(high)), Number.MAX_VALUE);
  const largest = size ? Number(size.toExponential().split("e")[1]) + 1 : 0;
  for (let decimals = -largest; decimals < 17 - largest; decimals++) {
    const steps = Math.floor(near / Number(`1e${-decimals}`)) + (upwards ? 1 : 0);
    const number = Number(`${steps}e${-decimals}`);
    if (low < number && number <= high && number < Infinity) return number;
  }
  return upwards ? Math.min(-below(-low), high) : high;
}
