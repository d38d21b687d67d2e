// Cuts: all cuts of the rows of a node by one number, and what impurity each of them takes away.

const NOTHING = 1e-12; // of the impurity: what is left of sums by rounding

export const IMPURITIES = {
  entropy: (shares) => shares.reduce((sum, q) => sum - (q > 0 ? q * Math.log2(q) : 0), 0),
  Gini: (shares) => 1 - shares.reduce((sum, q) => sum + q * q, 0),
  error: (shares) => 1 - Math.max(...shares),
};

// What rows come to: how many, of which classes, or the sum and the squares of their numbers. These are counted from a
// mean of many rows, so that squares cancel little.
export class Tally {
  constructor(nClasses, mean = 0) {
    Object.assign(this, { nClasses, mean, rows: 0, sum: 0, squares: 0 });
    this.counts = new Array(nClasses ?? 0).fill(0);
  }

  static of(targets, nClasses, mean = 0) {
    const tally = new Tally(nClasses, mean);
    for (const target of targets) tally.add(target);
    return tally;
  }

  add(target) {
    this.rows += 1;
    if (this.nClasses !== null) this.counts[target] += 1;
    else ((this.sum += target - this.mean), (this.squares += (target - this.mean) ** 2));
  }

  // With those of another, or without them.
  with(other, times = 1) {
    const both = new Tally(this.nClasses, this.mean);
    both.rows = this.rows + times * other.rows;
    both.sum = this.sum + times * other.sum;
    both.squares = this.squares + times * other.squares;
    both.counts = this.counts.map((count, code) => count + times * other.counts[code]);
    return both;
  }

  without(other) {
    return this.with(other, -1);
  }

  impurity(measure) {
    const { rows, counts, sum, squares } = this;
    if (!rows) return 0;
    if (this.nClasses !== null) return IMPURITIES[measure](counts.map((count) => count / rows));
    return Math.max(0, squares / rows - (sum / rows) ** 2);
  }

  get prediction() {
    return this.mean + this.sum / this.rows;
  }
}

// What impurity parts of rows take away; nothing where it is less than rounding leaves of sums.
export function gainOf(whole, parts, measure) {
  const before = whole.impurity(measure);
  const after = parts.reduce((sum, part) => sum + part.rows * part.impurity(measure), 0) / (whole.rows || 1);
  const gain = before - after;
  return gain > NOTHING * before ? gain : 0;
}

export const meanOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / (numbers.length || 1);

// Whether a gain is larger than another by more than rounding.
export const isMore = (gain, other) => gain > other * (1 + NOTHING);

// Rows by their value, as pairs of value and target; of classes how many there are, of numbers null.
export class Cuts {
  constructor(pairs, nClasses) {
    this.sorted = pairs.toSorted((a, b) => a[0] - b[0]);
    this.size = this.sorted.length;
    this.cuts = [];
    this.before = []; // for each cut what is on its left
    const mean = nClasses === null ? meanOf(this.sorted.map(([, target]) => target)) : 0;
    this.nothing = new Tally(nClasses, mean);
    let left = this.nothing.with(this.nothing);
    this.sorted.forEach(([value, target], place) => {
      if (place && value > this.sorted[place - 1][0]) {
        this.cuts.push(between(this.sorted[place - 1][0], value));
        this.before.push(left);
        left = left.with(this.nothing);
      }
      left.add(target);
    });
    this.all = left;
  }

  // What is on each side of any cut: that of the first cut between values which it does not lie below.
  sides(cut) {
    const above = this.sorted.findIndex(([value]) => value > cut);
    const rows = above < 0 ? this.size : above;
    const left = [this.nothing, ...this.before, this.all].find((side) => side.rows === rows);
    return [left, this.all.without(left)];
  }

  #gain(left, measure) {
    return gainOf(this.all, [left, this.all.without(left)], measure);
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
    return this.gains(measure).reduce((best, one) => (isMore(one.gain, best.gain) ? one : best), {
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
