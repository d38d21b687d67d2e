// Shapley values: how far each feature moves what the tree, as it is pruned now, says of rows; exactly, by the
// integral over the chance that a feature is known (see treewright/explain/shapley.py, which does the same).

const WORK = 1e7; // so many numbers are worked out while a reader waits

// The mean movement by each feature over rows, all of them or as many as there is time for.
export function meanMovement(model, step, rows) {
  return finished(movement(model, step, rows));
}

// What work in parts comes to.
export function finished(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

// The same in parts, row by row.
export function* movement(model, step, rows) {
  const steps = stepsOf(model, step);
  const points = gaussLegendre(Math.max(1, Math.ceil(steps.most / 2)));
  const each = steps.parent.length * points.length * model.width;
  const chosen = spread(rows, Math.max(1, Math.floor(WORK / each)));
  const sum = new Float64Array(model.features.length);
  for (const { values } of chosen) {
    const shared = sharesOf(model, steps, points, values);
    const moved = Array.from(sum, () => new Float64Array(model.width));
    for (const [player, features] of steps.players.entries())
      for (const feature of features)
        shared[player].forEach((part, code) => (moved[feature][code] += part / features.length));
    moved.forEach((parts, feature) => (sum[feature] += parts.reduce((all, part) => all + Math.abs(part), 0)));
    yield;
  }
  const both = model.classes ? 2 : 1; // what one class gains another loses
  return { mean: sum.map((total) => total / (both * chosen.length || 1)), rows: chosen.length };
}

// Some of the rows, evenly from first to last.
function spread(rows, most) {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, place) => rows[Math.floor((place * rows.length) / most)]);
}

// A step into every node but the root, and one for rows that stay at a node; who decides it, the step above by the
// same player (0 if there is none), and the share of the training rows that take both.
function stepsOf(model, step) {
  const node = model.visible(step).slice();
  const place = new Map(node.map((one, at) => [one, at]));
  const parent = node.map((one) => (one ? place.get(model.parent[one]) : -1));
  const branch = node.map((one) => (one ? model.branchOf[one] : 0));
  const ends = node.map((one) => model.isLeaf(one, step));
  const weight = node.map((one) => model.weight[one]);
  node.slice().forEach((one, at) => {
    if (ends[at] || model.default_branch[one] !== -2) return;
    const below = model.children(one, step).reduce((sum, child) => sum + model.weight[child], 0);
    (node.push(one), parent.push(at), branch.push(-2), ends.push(true));
    weight.push(Math.max(model.weight[one] - below, 0));
  });
  const said = node.map((one, at) => (ends[at] ? model.shares(one) : null));
  const steps = { node, parent, branch, said, own: ownShares(parent, weight), players: [] };
  return Object.assign(steps, decided(model, steps));
}

function ownShares(parent, weight) {
  const [total, ways] = [new Float64Array(parent.length), new Int32Array(parent.length)];
  parent.forEach((above, at) => above >= 0 && ((total[above] += weight[at]), (ways[above] += 1)));
  return parent.map((above, at) =>
    above < 0 ? 1 : total[above] > 0 ? weight[at] / total[above] : 1 / ways[above],
  );
}

function decided(model, { node, parent, own, players }) {
  const numbers = new Map();
  const [player, before, share, met] = [[-1], [0], [1], [0]];
  let most = 0;
  for (let at = 1; at < node.length; at++) {
    const split = model.splits[node[parent[at]]];
    const features = split.features ?? [split.feature];
    const key = features.join();
    if (!numbers.has(key)) (numbers.set(key, players.length), players.push(features));
    player[at] = numbers.get(key);
    let above = parent[at];
    while (above > 0 && player[above] !== player[at]) above = parent[above];
    before[at] = above;
    share[at] = own[at] * share[above];
    met[at] = met[parent[at]] + (above === 0);
    most = Math.max(most, met[at]);
  }
  return { player, before, share, most };
}

// What each player adds to what is said of a row: for each class, or of the number.
function sharesOf(model, steps, points, row) {
  const { node, parent, branch, said, own, player, before, share } = steps;
  const size = node.length;
  const { width } = model;
  const asked = node.map((one, at) => (said[at] ? null : model.branch(one, row).branch));
  const known = new Float64Array(size).fill(1);
  for (let at = 1; at < size; at++) {
    const taken = asked[parent[at]];
    known[at] = (taken === -1 ? own[at] : Number(taken === branch[at])) * known[before[at]];
  }
  const found = steps.players.map(() => new Float64Array(width));
  const [factor, reached, rate] = [1, 1, 0].map((start) => new Float64Array(size).fill(start));
  for (const { at: point, weight } of points) {
    for (let at = 1; at < size; at++) {
      factor[at] = share[at] + point * (known[at] - share[at]);
      reached[at] = (reached[parent[at]] * factor[at]) / (factor[before[at]] || 1);
      rate[at] = factor[at] > 0 ? (known[at] - share[at]) / factor[at] : 0; // nobody takes such a step
    }
    const below = new Float64Array(size * width);
    for (let at = size - 1; at > 0; at--) {
      const change = weight * (rate[at] - rate[before[at]]);
      for (let code = 0; code < width; code++) {
        if (said[at]) below[at * width + code] += reached[at] * said[at][code];
        const here = below[at * width + code];
        below[parent[at] * width + code] += here;
        found[player[at]][code] += change * here;
      }
    }
  }
  return found;
}

// Points and weights between 0 and 1 that integrate polynomials of degree 2n − 1 exactly, by Newton's method.
export function gaussLegendre(n) {
  return Array.from({ length: n }, (_, place) => {
    let x = Math.cos((Math.PI * (place + 0.75)) / (n + 0.5));
    let slope = 1;
    for (let turn = 0; turn < 100; turn++) {
      let [last, now] = [1, x];
      for (let degree = 2; degree <= n; degree++)
        [last, now] = [now, ((2 * degree - 1) * x * now - (degree - 1) * last) / degree];
      slope = (n * (x * now - last)) / (x * x - 1);
      const change = now / slope;
      x -= change;
      if (Math.abs(change) < 1e-15) break;
    }
    return { at: (1 + x) / 2, weight: 1 / ((1 - x * x) * slope * slope) };
  });
}
