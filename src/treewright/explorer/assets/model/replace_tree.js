// Replace tree: another tree in the place of the one that is shown; what the reader has chosen stays where it can.

// An edited tree keeps what it has in common with the one before, by the branches that lead there.
export function replaceTree(model, state, content) {
  const { node, step } = state.values;
  const { below } = model;
  const way = model.ancestors(model.standing(node, step));
  const open = model.visible(step).filter((above) => !model.isLeaf(above, step));
  model.take(content);
  const origin = origins(below, model);
  const moved = new Map();
  origin.forEach((old, now) => old >= 0 && moved.set(old, now));
  const stays = moved.get(way.findLast((above) => moved.has(above)));
  const folded = new Set([...state.get("folded")].map((old) => moved.get(old)).filter((now) => now > 0));
  const stayOpen = [...model.ancestors(stays), ...open.map((old) => moved.get(old) ?? 0)];
  const next = stepFor(model, stayOpen, state.get("alpha"));
  state.set({
    exchanged: { origin, moved },
    node: stays,
    step: next,
    folded,
    lit: wayOf(model, state, next),
  });
}

// Another tree altogether has nothing in common with the one before but features and rows.
export function replace(model, state, content) {
  model.take(content);
  const nothing = { origin: new Int32Array(model.size).fill(-1), moved: new Map([[0, 0]]) };
  const lit = wayOf(model, state, 0);
  state.set({ exchanged: nothing, node: 0, step: 0, folded: new Set(), foldsItself: true, lit });
  state.values.alpha = null;
}

// The same tree with some nodes made leaves by hand.
export function pruneByHand(model, state, nodes) {
  model.prune(nodes);
  const same = { origin: Int32Array.from(model.parent, (_, node) => node), moved: new Map() };
  same.origin.forEach((node) => same.moved.set(node, node));
  state.set({ exchanged: same, lit: wayOf(model, state, state.get("step")) });
}

// The node of the old tree that each node of the new one was; −1 for those that are new.
function origins(below, model) {
  const origin = new Int32Array(model.size).fill(-1);
  origin[0] = 0;
  for (let node = 1; node < model.size; node++) {
    const above = origin[model.parent[node]];
    if (above >= 0) origin[node] = below[above][model.branchOf[node]] ?? -1;
  }
  return origin;
}

// A step that the reader takes is a price of leaves, which stands whatever tree comes; the whole tree has none.
export function keepPrice(model, state) {
  state.on(["step"], (changed) => {
    const step = state.get("step");
    if (!changed.includes("exchanged")) state.values.alpha = step ? model.path.alpha[step] : null;
  });
}

// The step that prunes as much as before, but nothing that was open, nor the way to the picked node.
function stepFor(model, nodes, alpha) {
  if (alpha === null) return 0;
  const { alpha: alphas, leaf_from: leafFrom } = model.path;
  const step = Math.max(
    0,
    alphas.findLastIndex((other) => other <= alpha * (1 + 1e-9)),
  );
  return nodes
    .filter((above) => model.below[above].length && leafFrom[above] !== null)
    .reduce((least, above) => Math.max(0, Math.min(least, leafFrom[above] - 1)), step);
}

function wayOf(model, state, step) {
  const values = state.get("values") ?? state.get("row")?.values;
  return values ? new Set(model.pathOf(values, step).map(({ node }) => node)) : null;
}
