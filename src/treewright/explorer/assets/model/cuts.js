// Cuts: all cuts of the rows of a node by one number, and what impurity each of them takes away.

const NOTHING = 1e-12; // of the impurity: what is left of sums by rounding

export const IMPURITIES = {
  entropy: (shares) => shares.reduce((sum, q) => sum - (q > 0 ? q * Math.log2(q) : 0), 0),
  Gini: (shares) => 1 - shares.reduce((sum, q) => sum + q * q, 0),
  error: (shares) => 1 - Math.max(...shares),
};

// Rows by their value, as pairs of value and target; of classes how many there are, of numbers null.
export class Cuts {
  constructor(pairs, nClasses) {
    this.sorted = pairs.toSorted((a, b) => a[0] - b[0]);
    this.nClasses = nClasses;
    this.size = this.sorted.length;
    this.mean = this.sorted.reduce((sum, [, target]) => sum + target, 0) / (this.size || 1);
    this.cuts = [];
    this.before = []; // for each cut what is on its left
    let left = this.#nothing();
    this.sorted.forEach(([value, target], place) => {
      if (place && value > this.sorted[place - 1][0]) {
        this.cuts.push(between(this.sorted[place - 1][0], value));
        this.before.push(left);
        left = structuredClone(left);
      }
      this.#add(left, target);
    });
    this.all = left;
  }

  #nothing() {
    return { rows: 0, counts: new Array(this.nClasses ?? 0).fill(0), sum: 0, squares: 0 };
  }

  // Numbers are counted from the mean of all, so that their squares cancel little.
  #add(side, target) {
    side.rows += 1;
    if (this.nClasses !== null) side.counts[target] += 1;
    else ((side.sum += target - this.mean), (side.squares += (target - this.mean) ** 2));
  }

  // What is on each side of any cut: that of the first cut between values which it does not lie below.
  sides(cut) {
    const above = this.sorted.findIndex(([value]) => value > cut);
    const rows = above < 0 ? this.size : above;
    const left = [this.#nothing(), ...this.before, this.all].find((side) => side.rows === rows);
    return [left, this.#rest(left)];
  }

  #rest(left) {
    const { rows, counts, sum, squares } = this.all;
    return {
      rows: rows - left.rows,
      counts: counts.map((count, code) => count - left.counts[code]),
      sum: sum - left.sum,
      squares: squares - left.squares,
    };
  }

  impurity({ rows, counts, sum, squares }, measure) {
    if (!rows) return 0;
    if (this.nClasses !== null) return IMPURITIES[measure](counts.map((count) => count / rows));
    return Math.max(0, squares / rows - (sum / rows) ** 2);
  }

  meanOf({ rows, sum }) {
    return this.mean + sum / rows;
  }

  #gain(left, measure) {
    const right = this.#rest(left);
    const whole = this.impurity(this.all, measure);
    const parts = left.rows * this.impurity(left, measure) + right.rows * this.impurity(right, measure);
    const gain = whole - parts / (this.size || 1);
    return gain > NOTHING * whole ? gain : 0;
  }

  gain(cut, measure) {
    return this.#gain(this.sides(cut)[0], measure);
  }

  // The gain of every cut, ascending.
  gains(measure) {
    return this.cuts.map((cut, place) => ({ cut, gain: this.#gain(this.before[place], measure) }));
  }

  // The first of the cuts of most gain.
  best(measure) {
    return this.gains(measure).reduce((best, one) => (one.gain > best.gain * (1 + NOTHING) ? one : best), {
      cut: this.cuts[0] ?? this.sorted[0]?.[0] ?? 0,
      gain: 0,
    });
  }
}

function between(low, high) {
  const middle = low / 2 + high / 2;
  return middle < high ? middle : low;
}

// So many of a list, evenly spread over all of it.
export function spreadOver(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, place) => list[Math.floor(((place + 0.5) * list.length) / most)]);
}
