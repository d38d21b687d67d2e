// Distant tree: a tree from so far away that branches are lines and nodes are dots, a colour at a time.

import { CARD } from "../model/layout.js";

export function drawAfar(view, { layout, nodes, scales }) {
  const { context, marks, model, state } = view;
  const lit = state.get("lit");
  const [across, down] = scales;
  const [width, height] = [Math.max(2.4, CARD.width * across * 0.6) / across, 5 / down];
  for (const [colour, group] of byColour(nodes, layout, scales, marks, lit)) {
    context.strokeStyle = context.fillStyle = colour;
    context.globalAlpha = lit ? 0.2 : 0.55;
    for (const wide of [false, true]) {
      context.beginPath();
      for (const node of group) {
        if (!node || marks.flow(node) > 6 !== wide) continue;
        context.moveTo(layout.x[model.parent[node]], layout.y[model.parent[node]]);
        context.lineTo(layout.x[node], layout.y[node]);
      }
      context.lineWidth = (wide ? 3 : 0.8) / Math.max(across, down);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.beginPath();
    for (const node of group) {
      if (!lit || lit.has(node))
        context.rect(layout.x[node] - width / 2, layout.y[node] - height / 2, width, height);
    }
    context.fill();
  }
  const picked = model.standing(state.get("node"), state.get("step"));
  context.strokeStyle = marks.theme.focus;
  context.lineWidth = 3 / Math.max(across, down);
  context.strokeRect(layout.x[picked] - width, layout.y[picked] - height, 2 * width, 2 * height);
}

// Of nodes of one colour on the same spot of the page only the first is drawn, but all that are lit.
function byColour(nodes, layout, [across, down], marks, lit) {
  const groups = new Map();
  const taken = new Set();
  for (const node of nodes) {
    const colour = marks.colour(node);
    if (!groups.has(colour)) groups.set(colour, { group: [], number: groups.size });
    const { group, number } = groups.get(colour);
    const spot =
      number + 64 * (Math.round(layout.x[node] * across) + 65536 * Math.round(layout.y[node] * down));
    if (taken.has(spot) && !lit?.has(node)) continue;
    taken.add(spot);
    group.push(node);
  }
  return [...groups].map(([colour, { group }]) => [colour, group]);
}
