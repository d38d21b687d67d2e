// The nearest change (counterfactual): the nearest row that the tree answers otherwise, fewest features first, then the
// smallest change. It repeats explain/counterfactual_search.py for one tree. A split of several features is crossed only
// by what other splits ask for: such a change may not be the nearest, and says so.

import { branchBy } from "./answer.js";
import { Measure, Region, answered, featuresOf } from "./region.js";
import { isolated, valueText } from "../elements/text.js";

const SHARE = -1;
const STAY = -2;
const ROUNDING = 1e-9; // sums of shares that differ by less may be equal
const CLEARLY = 3e-9; // and so may numbers, as a share of the largest

export function nearestChange(model, row, step) {
  return new Search(model, row, step).run();
}

class Search {
  constructor(model, row, step) {
    Object.assign(this, { model, row, step });
    const inner = model.visible(step).filter((node) => !model.isLeaf(node, step));
    this.splits = inner.flatMap((node) => [model.splits[node], ...(model.splits[node].surrogates ?? [])]);
    this.measure = new Measure(model, row, this.splits);
    this.now = model.predict(row, step, (node) => model.votes(node));
    if (model.classes) {
      this.label = model.best(this.now);
      this.others = [...model.classes.keys()].filter((code) => code !== this.label);
      this.most = this.#mostBelow();
    }
  }

  // A region is narrowed split by split, always the one that is nearest at the time (Hart, Nilsson & Raphael, 1968).
  run() {
    const queue = new Queue();
    const asked = new Set(this.splits.flatMap(featuresOf));
    const fillable = this.measure.unknown.filter((feature) => asked.has(feature));
    queue.push(this.#start(new Set(this.measure.unknown), 0));
    for (let state = queue.pop(); state; state = queue.pop()) {
      if (state.fillFrom !== undefined) {
        for (let place = state.fillFrom; place < fillable.length; place++) {
          const kept = new Set(state.region.kept);
          kept.delete(fillable[place]);
          queue.push(this.#start(kept, place + 1));
        }
      }
      state = this.#advanced(state);
      if (!state.parts.length) {
        const change = this.#isAnother(state.said) ? this.#found(state.region) : null;
        if (change) return change;
        continue;
      }
      for (const narrower of this.#narrowed(state)) if (this.#mayReach(narrower)) queue.push(narrower);
    }
    return null;
  }

  // The row at the root, with some of its unknown values kept as they are.
  #start(kept, fillFrom) {
    const said = new Array(this.model.width).fill(0);
    const region = new Region(this.measure, new Map(), [], kept);
    return { region, parts: [{ node: 0, share: 1 }], said, fillFrom };
  }

  // Move all parts of the row on for which the region leaves one way only.
  #advanced({ region, parts, said }) {
    const [waiting, undecided, sums] = [[...parts], [], [...said]];
    while (waiting.length) {
      const part = waiting.pop();
      const ways = this.model.isLeaf(part.node, this.step) ? null : this.#openWays(part.node, region);
      if (ways && ways.length > 1) undecided.push(part);
      else if (!ways) this.#say(sums, part);
      else for (const next of ways[0].to) this.#move(next, part, sums, waiting);
    }
    return { region, parts: undecided, said: sums };
  }

  #say(sums, { node, share }) {
    this.model.votes(node).forEach((value, place) => (sums[place] += share * value));
  }

  // A part goes on to a node, or ends where it is.
  #move({ node, share }, part, sums, onTheWay) {
    if (node === part.node) this.#say(sums, part);
    else onTheWay.push({ node, share: part.share * share });
  }

  // Part the region by the split that matters most to the goal.
  #narrowed({ region, parts, said }) {
    const weight = ({ node, share }) => (this.most ? share * Math.max(...this.most[node]) : share);
    const chosen = parts.reduce((best, part) => (weight(part) > weight(best) ? part : best));
    const others = parts.filter((part) => part !== chosen);
    return this.#openWays(chosen.node, region).map(({ conditions, side, to }) => {
      const narrower = region.meet(conditions);
      const [sums, more] = [[...said], []];
      for (const next of to) this.#move(next, chosen, sums, more);
      return { region: side ? narrower.on(side) : narrower, parts: [...more, ...others], said: sums };
    });
  }

  #openWays(node, region) {
    return this.#ways(node, region.kept).filter(({ conditions }) => region.meet(conditions));
  }

  // The ways out of a node: what holds for the rows that take it, and where they go, in which shares.
  #ways(node, kept) {
    const { model } = this;
    const ways = [];
    let unanswered = [];
    for (const split of [model.splits[node], ...(model.splits[node].surrogates ?? [])]) {
      const unknown = featuresOf(split).filter((feature) => kept.has(feature));
      if (unknown.some((feature) => split.codes && this.row[feature] < -1)) {
        ways.push({ conditions: unanswered, to: [{ node: model.heaviest(node), share: 1 }] });
        return ways;
      }
      if (unknown.length) continue;
      for (let branch = 0; branch < split.answers.length; branch++) {
        const condition = answered(split, branch);
        const side = condition ? null : { split, branch };
        const conditions = condition ? [...unanswered, condition] : unanswered;
        ways.push({ conditions, side, to: [{ node: model.below[node][branch], share: 1 }] });
      }
      const others = unlisted(model, split);
      if (!others.size) return ways;
      unanswered = [...unanswered, { feature: split.feature, codes: others }];
    }
    return [...ways, { conditions: unanswered, to: this.#unansweredWay(node) }];
  }

  #unansweredWay(node) {
    const { model } = this;
    const branch = model.default_branch[node];
    if (branch === STAY) return [{ node, share: 1 }];
    if (branch !== SHARE) return [{ node: model.below[node][branch], share: 1 }];
    const children = model.children(node, this.step).filter((child) => model.weight[child] > 0);
    const total = children.reduce((sum, child) => sum + model.weight[child], 0);
    return children.map((child) => ({ node: child, share: model.weight[child] / total }));
  }

  // ---- goal

  // Whether an answer is another than the present one.
  #isAnother(said) {
    const { model, now } = this;
    if (model.classes) return model.best(said) !== this.label;
    const largest = Math.max(Math.abs(model.lowest), Math.abs(model.highest));
    return said[0] !== now[0] && Math.abs(said[0] - now[0]) >= CLEARLY * largest;
  }

  // By how much each other class leads the present one.
  #leads(shares) {
    const { costs } = this.model.content;
    const score = (code) =>
      costs ? -shares.reduce((sum, share, truth) => sum + share * costs[truth][code], 0) : shares[code];
    return this.others.map((code) => score(code) - score(this.label));
  }

  // The most that each of them may lead by in the ends at and below each node.
  #mostBelow() {
    const { model, step } = this;
    const most = [];
    for (const node of model.visible(step).toReversed()) {
      const ends = model.isLeaf(node, step) || model.default_branch[node] === STAY;
      most[node] = ends ? this.#leads(model.votes(node)) : this.others.map(() => -Infinity);
      for (const child of model.children(node, step))
        most[node] = most[node].map((lead, place) => Math.max(lead, most[child][place]));
    }
    return most;
  }

  // Whether the ends that a state may come to can add up to another class.
  #mayReach({ parts, said }) {
    if (!this.most) return true;
    return this.#leads(said).some((lead, place) => {
      const more = parts.reduce((sum, { node, share }) => sum + share * this.most[node][place], 0);
      return lead + more >= -ROUNDING;
    });
  }

  // The change into a region; null where it does not come to lie on the sides that the region asks for.
  #found(region) {
    const changes = region.changes();
    const row = this.row.slice();
    for (const { feature, to } of changes) row[feature] = to;
    if (!region.sides.every(({ split, branch }) => branchBy(split, row) === branch)) return null;
    const isNearest = this.splits.every((split) => answered(split, 0));
    const said = this.model.predict(row, this.step);
    const leaf = this.model.pathOf(row, this.step).at(-1).node;
    return { changes, distance: region.cost()[1], row, leaf, said, isNearest };
  }
}

function unlisted(model, split) {
  if (!split.codes) return new Set();
  const listed = new Set(split.codes);
  return new Set([...model.features[split.feature].categories.keys()].filter((code) => !listed.has(code)));
}

// States by their cost, equal ones in the order in which they came.
class Queue {
  #heap = [];
  #number = 0;

  push(state) {
    const heap = this.#heap;
    let at = heap.push({ cost: [...state.region.cost(), this.#number++], state }) - 1;
    for (let above = (at - 1) >> 1; at && comesFirst(heap[at], heap[above]); above = (at - 1) >> 1) {
      [heap[at], heap[above]] = [heap[above], heap[at]];
      at = above;
    }
  }

  pop() {
    const heap = this.#heap;
    if (!heap.length) return null;
    const [{ state }, last] = [heap[0], heap.pop()];
    if (!heap.length) return state;
    heap[0] = last;
    for (let at = 0, least = -1; ; at = least) {
      least = [2 * at + 1, 2 * at + 2].reduce(
        (best, child) => (child < heap.length && comesFirst(heap[child], heap[best]) ? child : best),
        at,
      );
      if (least === at) return state;
      [heap[at], heap[least]] = [heap[least], heap[at]];
    }
  }
}

function comesFirst({ cost: one }, { cost: other }) {
  const place = one.findIndex((number, at) => number !== other[at]);
  return place >= 0 && one[place] < other[place];
}

export function changeText(model, change) {
  return change.changes
    .map(
      ({ feature, to }) =>
        `${isolated(model.features[feature].name)} becomes ${isolated(valueText(model.features[feature], to))}`,
    )
    .join(" and ");
}
