// Sunburst: rings of branches, as wide as their rows, as strong as they are sure.

import { chart } from "./curves.js";
import { element, replaceChildren, shape } from "./text.js";

const RADIUS = 300;
const NARROWEST = 0.004;

export class Sunburst {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    state.on(["exchanged", "step", "node", "tab", "theme", "lit"], () => this.render());
  }

  render() {
    if (this.state.get("tab") !== "sunburst") return;
    const { model, state } = this;
    const step = state.get("step");
    const nodes = model.visible(step);
    const begin = new Float64Array(model.size);
    const extent = new Float64Array(model.size);
    extent[0] = 2 * Math.PI;
    for (const node of nodes) {
      let at = begin[node];
      const children = model.children(node, step);
      const total = children.reduce((sum, child) => sum + model.weight[child], 0) || 1;
      for (const child of children) {
        begin[child] = at;
        extent[child] = (extent[node] * model.weight[child]) / total;
        at += extent[child];
      }
    }
    const drawn = nodes.filter((node) => extent[node] > NARROWEST);
    const depth = Math.max(...drawn.map((node) => model.depth[node])) + 1;
    const arcs = drawn.map((node) => this.arc(node, begin[node], extent[node], RADIUS / depth));
    const hidden = nodes.length - drawn.length;
    const words = `Every ring is a level of the tree, every arc a node as wide as its rows${hidden ? `; ${hidden} nodes are too narrow to draw` : ""}.`;
    const picture = chart(
      2 * RADIUS + 20,
      2 * RADIUS + 20,
      words,
      shape("g", { transform: `translate(${RADIUS + 10} ${RADIUS + 10})` }, arcs),
    );
    replaceChildren(this.panel, element("p", { class: "pale" }, words), picture);
  }

  arc(node, begin, extent, ring) {
    const { model, marks, state } = this;
    const lit = state.get("lit");
    const inner = model.depth[node] * ring;
    const strength = model.classes ? 0.25 + 0.75 * model.sureness(node) : 1;
    const outline = node ? { d: ringPart(begin, extent, inner, inner + ring - 1) } : { r: ring - 1 };
    const settings = {
      ...outline,
      fill: marks.colour(node),
      opacity: lit && !lit.has(node) ? 0.12 : strength,
      class: node === state.get("node") ? "arc picked" : "arc",
      "data-node": node,
      onclick: () => state.set({ node }),
    };
    return shape(
      node ? "path" : "circle",
      settings,
      shape("title", {}, `${model.condition(node)} → ${model.prediction(node)}, ${model.note(node)}`),
    );
  }
}

function ringPart(begin, extent, inner, outer) {
  const whole = Math.min(extent, 2 * Math.PI - 1e-4);
  const point = (angle, radius) =>
    `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  const large = whole > Math.PI ? 1 : 0;
  const end = begin + whole;
  return `M${point(begin, outer)}A${outer} ${outer} 0 ${large} 1 ${point(end, outer)}L${point(end, inner)}A${inner} ${inner} 0 ${large} 0 ${point(begin, inner)}z`;
}
