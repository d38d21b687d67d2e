// Layout: the tidy drawing of Reingold and Tilford (1981), as plot_tree has it; nothing is recursive.

export const CARD = { width: 168, height: 108 };
const ROOM = { topDown: { across: 18, along: 46 }, leftRight: { across: 26, along: 96 } };

// Where the middle of each shown node stands; shown lists parents before children.
export function layoutOf(model, shown, childrenOf, topDown) {
  const breadth = topDown ? CARD.width : CARD.height;
  const gap = ROOM[topDown ? "topDown" : "leftRight"].across;
  const beside = new Float64Array(model.size);
  const outlines = new Array(model.size);
  for (let place = shown.length - 1; place >= 0; place--) {
    const node = shown[place];
    const outline = { left: [], right: [], leftShift: 0, rightShift: 0 };
    const children = childrenOf(node);
    const places = children.map((child) => {
      const push = join(outline, outlines[child], gap);
      outlines[child] = undefined;
      return push;
    });
    if (places.length) {
      const middle = (places[0] + places.at(-1)) / 2;
      children.forEach((child, index) => (beside[child] = places[index] - middle));
      outline.leftShift -= middle;
      outline.rightShift -= middle;
    }
    outline.left.push(-breadth / 2 - outline.leftShift);
    outline.right.push(breadth / 2 - outline.rightShift);
    outlines[node] = outline;
  }
  return placed(model, shown, beside, topDown);
}

function placed(model, shown, beside, topDown) {
  const x = new Float64Array(model.size);
  const y = new Float64Array(model.size);
  const level = topDown
    ? CARD.height + ROOM.topDown.along * looseness(model, shown)
    : CARD.width + ROOM.leftRight.along;
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const node of shown) {
    const across = node ? beside[node] + (topDown ? x : y)[model.parent[node]] : 0;
    const along = model.depth[node] * level;
    [x[node], y[node]] = topDown ? [across, along] : [along, across];
    bounds.left = Math.min(bounds.left, x[node] - CARD.width / 2);
    bounds.right = Math.max(bounds.right, x[node] + CARD.width / 2);
    bounds.top = Math.min(bounds.top, y[node] - CARD.height / 2 - 18);
    bounds.bottom = Math.max(bounds.bottom, y[node] + CARD.height / 2);
  }
  return { x, y, bounds, topDown };
}

// A path one node below the other, and beside each where else a row could have gone.
export function pathLayout(model, way, childrenOf) {
  const { across, along } = ROOM.topDown;
  const passed = new Set(way);
  const [x, y] = [new Float64Array(model.size), new Float64Array(model.size)];
  let most = 0;
  way.forEach((node, level) => {
    const others = childrenOf(node).filter((child) => !passed.has(child));
    others.forEach((child, place) => (x[child] = (place + 1) * (CARD.width + across)));
    most = Math.max(most, others.length);
    for (const child of childrenOf(node)) y[child] = (level + 1) * (CARD.height + along);
  });
  const bounds = {
    left: -CARD.width / 2,
    right: CARD.width / 2 + most * (CARD.width + across),
    top: -CARD.height / 2 - 18,
    bottom: (way.length - 1) * (CARD.height + along) + CARD.height / 2,
  };
  return { x, y, bounds, topDown: true };
}

// The levels of a wide tree stand farther apart.
function looseness(model, shown) {
  const deepest = shown.reduce((depth, node) => Math.max(depth, model.depth[node]), 1);
  return Math.min(Math.max((0.5 * shown.length) / deepest, 1), 2.2);
}

// Push a subtree against the right edge of those before it, and say by how far it was moved.
function join(outline, other, gap) {
  const shared = Math.min(outline.right.length, other.left.length);
  let push = shared ? -Infinity : 0;
  for (let level = 1; level <= shared; level++)
    push = Math.max(push, outline.right.at(-level) - other.left.at(-level));
  if (shared) push += outline.rightShift - other.leftShift + gap;
  other.leftShift += push;
  other.rightShift += push;
  [outline.left, outline.leftShift] = over(outline.left, outline.leftShift, other.left, other.leftShift);
  [outline.right, outline.rightShift] = over(
    other.right,
    other.rightShift,
    outline.right,
    outline.rightShift,
  );
  return push;
}

// Lay one edge over another at the cost of the shorter: the longer list is kept and written to.
function over(near, nearShift, far, farShift) {
  if (near.length >= far.length) return [near, nearShift];
  for (let level = 1; level <= near.length; level++)
    far[far.length - level] = near.at(-level) + nearShift - farShift;
  return [far, farShift];
}
