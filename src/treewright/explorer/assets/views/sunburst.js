// Sunburst: rings of branches, as wide as their rows, as strong as they are sure.

import { chart, widthIn } from "../drawing/charts.js";
import { element, replaceChildren, shape, shortened } from "../elements/text.js";

const RADIUS = 300;
const READABLE = 12; // points: smaller words are left out
const MOST = 700; // arcs, the widest
const NARROWEST = 0.004;

export class Sunburst {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    state.on(["exchanged", "step", "node", "tab", "theme", "lit", "room"], () => this.render());
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
    const narrowest = Math.max(NARROWEST, Float64Array.from(nodes, (node) => extent[node]).sort().at(-MOST) ?? 0);
    const drawn = nodes.filter((node) => extent[node] > narrowest || node === 0);
    const depth = Math.max(...drawn.map((node) => model.depth[node])) + 1;
    const radius = Math.min(widthIn(this.panel, 2 * RADIUS + 20, 30), Math.max(this.panel.clientHeight - 80, 320)) / 2 - 10;
    const ring = radius / depth;
    const arcs = drawn.map((node) => this.arc(node, begin[node], extent[node], ring));
    const labels = drawn.map((node) => this.label(node, begin[node], extent[node], ring)).filter(Boolean);
    const hidden = nodes.length - drawn.length;
    const words = `Every ring is a level of the tree, every arc a node as wide as its rows${hidden ? `; ${hidden} nodes are too narrow to draw` : ""}.`;
    const middle = `translate(${radius + 10} ${radius + 10})`;
    const size = 2 * radius + 20;
    const picture = chart(size, size, words, shape("g", { transform: middle }, arcs, labels), "group");
    picture.style.maxWidth = `${size}px`;
    const isWalked = this.panel.contains(document.activeElement) && document.activeElement !== this.panel;
    replaceChildren(this.panel, element("p", { class: "pale" }, words), picture);
    const here = arcs[Math.max(drawn.indexOf(model.standing(state.get("node"), step)), 0)];
    here.setAttribute("tabindex", 0);
    if (isWalked) here.focus({ preventScroll: true });
    picture.addEventListener("keydown", (event) => this.walk(event, drawn));
  }

  // Arrows walk the rings: up to the parent, down to the first child, sideways along the ring.
  walk(event, drawn) {
    const { model, state } = this;
    const node = Number(event.target.dataset.node);
    const ring = drawn.filter((other) => model.depth[other] === model.depth[node]);
    const place = ring.indexOf(node);
    const next = {
      ArrowUp: model.parent[node],
      ArrowDown: model.children(node, state.get("step")).find((child) => drawn.includes(child)),
      ArrowLeft: ring.at(place - 1),
      ArrowRight: ring[(place + 1) % ring.length],
      Home: 0,
      Enter: node,
      " ": node,
    }[event.key];
    if (next === undefined || next < 0) return;
    event.preventDefault();
    state.set({ node: next });
  }

  // What a wide arc asks or says, along its middle; narrow ones say it when they are pointed at.
  label(node, begin, extent, ring) {
    const { model, marks, state } = this;
    const leaf = model.isLeaf(node, state.get("step"));
    const radius = node ? (model.depth[node] + 0.5) * ring : 0;
    const size = Math.min(13, ring * 0.6);
    const most = Math.floor(((node ? extent * radius : 2 * ring) - 10) / (size * 0.6));
    if (size < READABLE || most < 4) return null;
    const whole = leaf ? model.prediction(node) : model.splits[node].question;
    if (leaf && !model.classes && whole.length > most) return null; // half a number is none
    const words = shortened(whole, most);
    const settings = {
      "font-size": size,
      class: marks.isLight(node) ? "arc-words on-light" : "arc-words",
      "aria-hidden": "true",
      dy: "0.36em",
    };
    if (!node) return shape("text", settings, words);
    const id = `arc-${node}`;
    const line = shape("path", { id, d: middleLine(begin, extent, radius), fill: "none" });
    const along = shape("textPath", { href: `#${id}`, startOffset: "50%" }, words);
    return [line, shape("text", settings, along)];
  }

  arc(node, begin, extent, ring) {
    const { model, marks, state } = this;
    const lit = state.get("lit");
    const inner = model.depth[node] * ring;
    const strength = model.classes ? 0.25 + 0.75 * model.sureness(node) : 1;
    const outer = inner + ring - Math.min(1, ring / 4); // a gap, also between hundreds of rings
    const words = `${model.condition(node)} → ${model.predictionWords(node)}, ${model.note(node)}`;
    const outline = node ? { d: ringPart(begin, extent, inner, outer) } : { r: outer };
    const settings = {
      ...outline,
      fill: model.classes ? marks.chartFill(model.label[node]) : marks.colour(node),
      opacity: lit && !lit.has(node) ? 0.12 : strength,
      class: node === state.get("node") ? "arc picked" : "arc",
      "data-node": node,
      role: "button",
      tabindex: -1,
      "aria-label": words,
      onclick: () => state.set({ node }),
    };
    return shape(node ? "path" : "circle", settings, shape("title", {}, words));
  }
}

// Along the middle of an arc, the way that letters stand upright.
function middleLine(begin, extent, radius) {
  const end = begin + Math.min(extent, 2 * Math.PI - 1e-3);
  const middle = (begin + end) / 2;
  const isBelow = middle > Math.PI / 2 && middle < 1.5 * Math.PI;
  const [from, to] = isBelow ? [end, begin] : [begin, end];
  const point = (angle) =>
    `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  return `M${point(from)}A${radius} ${radius} 0 ${extent > Math.PI ? 1 : 0} ${isBelow ? 0 : 1} ${point(to)}`;
}

function ringPart(begin, extent, inner, outer) {
  const whole = Math.min(extent, 2 * Math.PI - 1e-4);
  const point = (angle, radius) =>
    `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  const large = whole > Math.PI ? 1 : 0;
  const end = begin + whole;
  return `M${point(begin, outer)}A${outer} ${outer} 0 ${large} 1 ${point(end, outer)}L${point(end, inner)}A${inner} ${inner} 0 ${large} 0 ${point(begin, inner)}z`;
}
