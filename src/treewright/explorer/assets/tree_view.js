// Tree view: the tree on a canvas, to pan, zoom, fold and pick; only what is in view is drawn, and only as
// finely as can be seen, so that ten thousand nodes move smoothly.

import { CARD, layoutOf } from "./layout.js";
import { CanvasPen, SvgPen } from "./pen.js";

const WORDS_FROM = 0.5;
const CARDS_FROM = 0.14;
const SMALLEST = 0.0002;
const TOOLS = 48;
const MOST_LEAVES = 14;
const MAP = { width: 150, height: 96 };

export class TreeView {
  #pointers = new Map();
  #moved = 0;
  #waiting = false;

  constructor(canvas, map, model, marks, state) {
    Object.assign(this, { canvas, map, model, marks, state });
    this.view = { x: 0, y: 0, scale: 1 };
    this.power = 0;
    this.isFitted = true; // until the reader moves it
    this.context = canvas.getContext("2d");
    this.pen = new CanvasPen(this.context);
    this.arrange();
    this.listen();
    state.on(["step", "folded", "topDown"], () => (this.arrange(), this.keepInSight(), this.redraw()));
    state.on(["node", "lit"], () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  // ---- what is shown and where

  childrenOf(node) {
    if (this.state.get("folded").has(node)) return [];
    return this.model.children(node, this.state.get("step"));
  }

  // Until the reader folds by hand, a large tree is open where most is at stake, as plot_tree has it.
  foldedAtFirst() {
    const { model, state } = this;
    const step = state.get("step");
    const folded = new Set();
    if (model.path.leaves[step] <= MOST_LEAVES) return folded;
    const frontier = [0];
    let leaves = 1;
    while (frontier.length) {
      const place = frontier.reduce(
        (best, node, index) => (model.risk[node] > model.risk[frontier[best]] ? index : best),
        0,
      );
      const [node] = frontier.splice(place, 1);
      const children = model.children(node, step);
      if (leaves + children.length - 1 > MOST_LEAVES) folded.add(node);
      else if (children.length) {
        leaves += children.length - 1;
        frontier.push(...children);
      }
    }
    return folded;
  }

  arrange() {
    if (this.state.get("foldsItself")) this.state.values.folded = this.foldedAtFirst();
    const folded = this.state.get("folded");
    const { parent } = this.model;
    const there = new Set([0]);
    this.shown = this.model.visible(this.state.get("step")).filter((node) => {
      const isThere = node === 0 || (there.has(parent[node]) && !folded.has(parent[node]));
      if (isThere) there.add(node);
      return isThere;
    });
    this.layout = layoutOf(
      this.model,
      this.shown,
      (node) => this.childrenOf(node),
      this.state.get("topDown"),
    );
    this.mapDrawn = null;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.canvas.width = clientWidth * ratio;
    this.canvas.height = clientHeight * ratio;
    if (this.isFitted) this.fit();
    this.redraw();
  }

  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    const { left, right, top, bottom } = this.layout.bounds;
    if (!clientWidth) return;
    this.isFitted = true;
    const room = clientHeight - TOOLS; // the picture begins below its buttons
    this.power = this.stretching(clientWidth - 40, room - 20);
    const fits = ([across, down]) =>
      across * (right - left) <= clientWidth - 40 && down * (bottom - top) <= room - 20;
    let scale = 1.25;
    while (scale > SMALLEST && !fits(this.scales(scale))) scale *= 0.98;
    const [across, down] = this.scales(scale);
    this.view = {
      scale,
      x: clientWidth / 2 - (across * (left + right)) / 2,
      y: TOOLS + Math.max(0, room / 2 - 10 - (down * (bottom - top)) / 2) - down * top,
    };
    this.redraw();
  }

  // From afar the levels keep their distance: a wide tree would be a line else.
  scales(scale = this.view.scale) {
    const far = scale >= CARDS_FROM ? scale : scale * (CARDS_FROM / scale) ** this.power;
    return this.layout.topDown ? [scale, far] : [far, scale];
  }

  // The power by which levels are stretched from afar, such that the whole tree fills the page.
  stretching(width, height) {
    const { left, right, top, bottom } = this.layout.bounds;
    const [room, along] = this.layout.topDown ? [height, bottom - top] : [width, right - left];
    const scale = this.layout.topDown ? width / (right - left) : height / (bottom - top);
    if (scale >= CARDS_FROM) return 0;
    const wanted = Math.max(room / (along * scale), 1);
    return Math.min(Math.log(wanted) / Math.log(CARDS_FROM / scale), 0.95);
  }

  // After a change the tree fits the page again, or, where the reader has moved it, is not beyond its edge.
  keepInSight() {
    const { clientWidth, clientHeight } = this.canvas;
    const { left, right, top, bottom } = this.layout.bounds;
    const { x, y } = this.view;
    const [across, down] = this.scales();
    const outside =
      x + across * right < 40 ||
      x + across * left > clientWidth - 40 ||
      y + down * bottom < 40 ||
      y + down * top > clientHeight - 40;
    if (outside || this.isFitted) this.fit();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(Math.max(this.view.scale * factor, SMALLEST), 4);
    this.isFitted = false;
    const [before, after] = [this.scales(), this.scales(scale)];
    this.view = {
      scale,
      x: x - (after[0] / before[0]) * (x - this.view.x),
      y: y - (after[1] / before[1]) * (y - this.view.y),
    };
    this.redraw();
  }

  pan(x, y) {
    this.isFitted = false;
    this.view = { ...this.view, x: this.view.x + x, y: this.view.y + y };
    this.redraw();
  }

  // Bring a node into the middle, near enough to read.
  centre(node) {
    this.isFitted = false;
    const scale = Math.max(this.view.scale, 0.8);
    const { clientWidth, clientHeight } = this.canvas;
    this.view = {
      scale,
      x: clientWidth / 2 - scale * this.layout.x[node],
      y: clientHeight / 2 - scale * this.layout.y[node],
    };
    this.redraw();
  }

  reveal(node) {
    const { x, y, scale } = this.view;
    const [wide, high] = this.scales();
    const [across, down] = [x + wide * this.layout.x[node], y + high * this.layout.y[node]];
    const room = 60;
    const { clientWidth, clientHeight } = this.canvas;
    const inSight = across > room && across < clientWidth - room && down > room && down < clientHeight - room;
    if (!inSight || scale < WORDS_FROM / 2) this.centre(node);
  }

  // ---- drawing

  redraw() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.draw();
    });
  }

  draw() {
    const { context, view, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.marks.theme.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const [across, down] = this.scales();
    context.setTransform(ratio * across, 0, 0, ratio * down, ratio * view.x, ratio * view.y);
    const inView = this.inView();
    if (view.scale < CARDS_FROM) this.drawFar(inView);
    else this.drawNear(this.pen, inView, view.scale < WORDS_FROM ? 1 : 2);
    this.drawMap();
  }

  // The shown nodes whose card or branch is in view.
  inView() {
    const { view, canvas, layout, model } = this;
    const { x, y } = layout;
    const [across, down] = this.scales();
    const [left, top] = [-view.x / across - CARD.width, -view.y / down - CARD.height * 1.5];
    const [right, bottom] = [
      left + canvas.clientWidth / across + 2 * CARD.width,
      top + canvas.clientHeight / down + 3 * CARD.height,
    ];
    return this.shown.filter((node) => {
      const above = node ? model.parent[node] : node;
      const [x0, x1] = x[node] < x[above] ? [x[node], x[above]] : [x[above], x[node]];
      const [y0, y1] = y[node] < y[above] ? [y[node], y[above]] : [y[above], y[node]];
      return x1 > left && x0 < right && y1 > top && y0 < bottom;
    });
  }

  drawNear(pen, nodes, detail) {
    const { marks, layout, state } = this;
    const lit = state.get("lit");
    const brightness = (node) => (!lit || lit.has(node) ? 1 : 0.22);
    const folded = state.get("folded");
    const step = state.get("step");
    for (const node of nodes) if (node) marks.branch(pen, layout, node, detail > 1, brightness(node));
    for (const node of nodes) {
      const leaf = this.model.isLeaf(node, step);
      const selected = node === state.get("node");
      marks.node(pen, layout, node, {
        detail,
        leaf,
        folded: folded.has(node) && !leaf,
        selected,
        opacity: brightness(node),
        scale: this.view.scale,
      });
    }
  }

  // From afar branches are lines and nodes are dots, a colour at a time.
  drawFar(nodes) {
    const { context, marks, layout, model, state } = this;
    const lit = state.get("lit");
    const byColour = new Map();
    for (const node of nodes) {
      const colour = marks.colour(node);
      if (!byColour.has(colour)) byColour.set(colour, []);
      byColour.get(colour).push(node);
    }
    const [across, down] = this.scales();
    const [width, height] = [Math.max(2.4, CARD.width * across * 0.6) / across, 5 / down];
    for (const [colour, group] of byColour) {
      context.strokeStyle = context.fillStyle = colour;
      context.globalAlpha = lit ? 0.2 : 0.55;
      for (const wide of [false, true])
        this.drawLines(
          group.filter((node) => node && marks.flow(node) > 6 === wide),
          wide ? 3 : 0.8,
        );
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
    this.outlined(
      () => context.strokeRect(layout.x[picked] - width, layout.y[picked] - height, 2 * width, 2 * height),
      3,
    );
  }

  drawLines(nodes, width) {
    const { context, layout, model } = this;
    context.beginPath();
    for (const node of nodes) {
      context.moveTo(layout.x[model.parent[node]], layout.y[model.parent[node]]);
      context.lineTo(layout.x[node], layout.y[node]);
    }
    this.outlined(() => context.stroke(), width);
  }

  // Lines are as thick as they say, however the page is stretched.
  outlined(stroke, width) {
    const { context } = this;
    context.lineWidth = width / Math.max(...this.scales());
    stroke();
  }

  // The whole tree in a corner, drawn once for each layout, and what is in view as a frame.
  drawMap() {
    const { map, layout, view, canvas, marks } = this;
    const { left, right, top, bottom } = layout.bounds;
    const [across, down] = this.scales();
    const inSight =
      view.x + across * left > -1 &&
      view.y + down * top > -1 &&
      view.x + across * right < canvas.clientWidth + 1 &&
      view.y + down * bottom < canvas.clientHeight + 1;
    map.hidden = inSight; // a map of what is all in view would only cover it
    this.mapScale = { left, top, across: MAP.width / (right - left), down: MAP.height / (bottom - top) };
    if (inSight) return;
    if (!this.mapDrawn) this.mapDrawn = this.smallPicture();
    const context = map.getContext("2d");
    context.clearRect(0, 0, MAP.width, MAP.height);
    context.drawImage(this.mapDrawn, 0, 0);
    context.strokeStyle = marks.theme.focus;
    context.lineWidth = 2;
    const x = (-view.x / across - left) * this.mapScale.across;
    const y = (-view.y / down - top) * this.mapScale.down;
    context.strokeRect(
      x,
      y,
      (canvas.clientWidth / across) * this.mapScale.across,
      (canvas.clientHeight / down) * this.mapScale.down,
    );
  }

  smallPicture() {
    const { layout, model, marks } = this;
    const { left, top, across, down } = this.mapScale;
    const small = document.createElement("canvas");
    [small.width, small.height] = [MAP.width, MAP.height];
    const drawn = small.getContext("2d");
    for (const node of this.shown) {
      const [x, y] = [(layout.x[node] - left) * across, (layout.y[node] - top) * down];
      drawn.strokeStyle = drawn.fillStyle = marks.colour(node);
      if (node) {
        drawn.globalAlpha = 0.5;
        drawn.beginPath();
        drawn.moveTo(
          (layout.x[model.parent[node]] - left) * across,
          (layout.y[model.parent[node]] - top) * down,
        );
        drawn.lineTo(x, y);
        drawn.stroke();
      }
      drawn.globalAlpha = 1;
      drawn.fillRect(x - 1.5, y - 1, 3, 2);
    }
    return small;
  }

  // ---- the reader's hand

  nodeAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const [across, down] = this.scales();
    const [x, y] = [(clientX - box.left - this.view.x) / across, (clientY - box.top - this.view.y) / down];
    const reach = [Math.max(1, 12 / (across * CARD.width)), Math.max(1, 12 / (down * CARD.height))];
    let best = null;
    for (const node of this.shown) {
      const [beside, below] = [
        Math.abs(this.layout.x[node] - x) / (CARD.width / 2),
        Math.abs(this.layout.y[node] - y) / (CARD.height / 2),
      ];
      const far = Math.max(beside / reach[0], below / reach[1]);
      if (far <= 1 && (!best || far < best.far)) best = { node, far };
    }
    return best ? best.node : null;
  }

  listen() {
    const { canvas, map } = this;
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = canvas.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, event);
      this.#moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.#pointers.delete(event.pointerId));
    canvas.addEventListener("dblclick", (event) => {
      const node = this.nodeAt(event.clientX, event.clientY);
      if (node !== null) this.fold(node);
    });
    map.addEventListener("click", (event) => {
      const box = map.getBoundingClientRect();
      const { left, top, across, down } = this.mapScale;
      const [x, y] = [(event.clientX - box.left) / across + left, (event.clientY - box.top) / down + top];
      const [wide, high] = this.scales();
      this.view = {
        ...this.view,
        x: canvas.clientWidth / 2 - wide * x,
        y: canvas.clientHeight / 2 - high * y,
      };
      this.redraw();
    });
  }

  drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.#pointers.values()].filter((other) => other.pointerId !== event.pointerId);
    if (others.length) {
      const spread = (one) =>
        Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY) || 1;
      const box = this.canvas.getBoundingClientRect();
      this.zoom(spread(event) / spread(before), others[0].clientX - box.left, others[0].clientY - box.top);
    } else this.pan(event.clientX - before.clientX, event.clientY - before.clientY);
    this.#moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    this.#pointers.set(event.pointerId, event);
  }

  release(event) {
    this.#pointers.delete(event.pointerId);
    if (this.#moved > 5) return;
    const node = this.nodeAt(event.clientX, event.clientY);
    if (node !== null) this.state.set({ node });
    else this.state.set({ lit: null, row: null });
  }

  fold(node) {
    const folded = new Set(this.state.get("folded"));
    if (!folded.delete(node) && this.model.children(node, this.state.get("step")).length) folded.add(node);
    this.state.set({ folded, node, foldsItself: false });
  }

  unfoldAll() {
    const foldsItself = !this.state.get("foldsItself") && this.state.get("folded").size === 0;
    this.state.set({ foldsItself, folded: new Set() });
    this.fit();
  }

  asSvg(title) {
    const pen = new SvgPen();
    const { view } = this;
    this.view = { ...view, scale: 1 };
    this.drawNear(pen, this.shown, 2);
    this.view = view;
    const { left, right, top, bottom } = this.layout.bounds;
    return pen.picture(
      { left: left - 20, right: right + 20, top: top - 20, bottom: bottom + 20 },
      this.marks.theme.ground,
      title,
    );
  }
}
