// Folding: which nodes of a large tree are closed until the reader opens them, or a row's way leads through them.

// Show the path of a row: what is folded on it is opened, and another change goes along.
export function lightWay(state, nodes, more = {}) {
  const opened = new Set(nodes);
  const folded = new Set([...state.get("folded")].filter((node) => !opened.has(node)));
  const isShut = folded.size < state.get("folded").size;
  state.set({ lit: opened, why: null, ...(isShut && { folded, foldsItself: false }), ...more });
}

// As plot_tree has it, the tree is opened where most is at stake, as long as it has so many leaves at most.
export function foldedAtFirst(model, step, most) {
  const folded = new Set();
  if (model.path.leaves[step] <= most) return folded;
  const frontier = [0];
  let leaves = 1;
  while (frontier.length) {
    const place = frontier.reduce(
      (best, node, index) => (model.risk[node] > model.risk[frontier[best]] ? index : best),
      0,
    );
    const [node] = frontier.splice(place, 1);
    const children = model.children(node, step);
    if (leaves + children.length - 1 > most) folded.add(node);
    else if (children.length) {
      leaves += children.length - 1;
      frontier.push(...children);
    }
  }
  return folded;
}
