// Tree view: the tree on a canvas, to pan, zoom, fold and pick; only what is in view is drawn, and only as
// finely as can be seen, so that ten thousand nodes move smoothly.

import { drawAfar } from "../drawing/distant_tree.js";
import { foldedAtFirst } from "../model/folding.js";
import { CARD, layoutOf } from "../model/layout.js";
import { glide, isWelcome, starts } from "../drawing/motion.js";
import { CanvasPen, SvgPen } from "../drawing/strokes.js";
import { WORDS_FROM } from "../drawing/marks.js";
import { TreeMap } from "../drawing/tree_map.js";

const CARDS_FROM = 0.14;
const SMALLEST = 0.0002;
const TOOLS = 20; // around the buttons
const FALLEN = 30; // the words on rows that fell
const HINT = 34; // what folded nodes hold, and below it the hint

export class TreeView {
  #pointers = new Map();
  #moved = 0;
  #waiting = false;
  #stop = null;

  constructor(canvas, { map, frame }, model, marks, state) {
    Object.assign(this, { canvas, model, marks, state });
    this.map = new TreeMap(map, frame, this);
    this.dots = null; // draws rows on top, while they fall
    this.passing = null; // layout and view on the way to those that are there to stay
    this.view = { x: 0, y: 0, scale: 1 };
    this.power = 0;
    this.below = 0; // room below the tree for rows that fell
    this.isFitted = true; // until the reader moves it
    this.context = canvas.getContext("2d");
    this.pen = new CanvasPen(this.context);
    this.room = { width: canvas.clientWidth, height: canvas.clientHeight };
    this.arrange();
    this.listen();
    state.on(["exchanged", "step", "folded", "topDown"], (changed) => this.rearrange(changed));
    state.on(["node", "lit", "theme"], () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  // ---- what is shown and where

  childrenOf(node) {
    if (this.state.get("folded").has(node)) return [];
    return this.model.children(node, this.state.get("step"));
  }

  // How far down the buttons reach, which take several lines on a narrow page.
  get tools() {
    return TOOLS + document.getElementById("tools").offsetHeight;
  }

  // As many leaves as can be read at once.
  mostLeaves() {
    const { width, height } = this.room;
    const room = this.state.get("topDown") ? (width || 1000) / 132 : (height || 600) / 88;
    return Math.min(Math.max(Math.round(room), 3), 24);
  }

  arrange() {
    const step = this.state.get("step");
    if (!this.state.get("foldsItself")) this.arrangeFolded(step);
    else
      for (let most = this.mostLeaves(), tries = 0; tries < 3; tries++, most = Math.floor(0.75 * most)) {
        this.state.values.folded = foldedAtFirst(this.model, step, most);
        this.arrangeFolded(step);
        if (most <= 3 || this.fittingScale() >= WORDS_FROM) break;
      }
  }

  // The scale at which all of the tree fits the page.
  fittingScale() {
    const { left, right, top, bottom } = this.layout.bounds;
    const { width, height } = this.room;
    return Math.min((width - 40) / (right - left), (height - this.tools - HINT - 20) / (bottom - top)) || 1;
  }

  arrangeFolded(step) {
    const folded = this.state.get("folded");
    const { parent, size } = this.model;
    const isOpen = new Uint8Array(size);
    this.shown = this.model.visible(step).filter((node) => {
      const isThere = node === 0 || isOpen[parent[node]];
      if (isThere && !folded.has(node)) isOpen[node] = 1;
      return isThere;
    });
    const childrenOf = (node) => this.childrenOf(node);
    this.layout = layoutOf(this.model, this.shown, childrenOf, this.state.get("topDown"));
  }

  // Lay the tree out anew; what was there before glides to its new place.
  rearrange(changed) {
    const from = this.passing ?? { layout: this.layout, view: this.view };
    const shownBefore = this.shown;
    const isEdited = changed.includes("exchanged");
    const origin = isEdited ? this.state.get("exchanged").origin : null;
    const before = (node) => (origin ? origin[node] : node);
    this.arrange();
    if (isEdited && !this.isFitted) this.hold(from, before);
    this.keepInSight();
    this.redraw();
    if (!this.isInSight() || !isWelcome(this.shown)) return;
    const was = new Set(shownBefore);
    const start = starts(this.shown, this.model.parent, (node) => {
      const old = before(node);
      return was.has(old) ? [from.layout.x[old], from.layout.y[old]] : undefined;
    });
    if (start.get(0)) this.#stop = glide((share) => this.pass(from.view, start, share));
  }

  // Draw the tree on its way.
  pass(fromView, start, share) {
    const { layout, view } = this;
    if (share === 1) this.passing = null;
    else {
      const mix = (from, to) => from + (to - from) * share;
      const [x, y] = [layout.x.slice(), layout.y.slice()];
      for (const [node, [left, top]] of start) [x[node], y[node]] = [mix(left, x[node]), mix(top, y[node])];
      const way = ["x", "y", "scale"].map((name) => [name, mix(fromView[name], view[name])]);
      this.passing = { layout: { ...layout, x, y }, view: Object.fromEntries(way) };
    }
    this.draw();
  }

  // Keep the picked node where it is on the page.
  hold(from, before) {
    const node = this.state.get("node");
    const old = before(node);
    if (old < 0) return;
    const [across, down] = this.scales();
    this.view = {
      ...this.view,
      x: this.view.x + across * (from.layout.x[old] - this.layout.x[node]),
      y: this.view.y + down * (from.layout.y[old] - this.layout.y[node]),
    };
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.room = { width, height }; // kept, as to ask the page for it anew would lay all of it out
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    if (this.state.get("foldsItself")) this.arrange(); // there is room for more now, or for less
    if (this.isFitted) this.fit();
    this.redraw();
  }

  fit() {
    const { width, height } = this.room;
    const { left, right, top } = this.layout.bounds;
    const bottom = this.layout.bounds.bottom + this.below;
    if (!width) return;
    this.isFitted = true;
    const room = height - this.tools - HINT - (this.below ? FALLEN : 0); // the picture stands between buttons and hint
    this.power = this.stretching(width - 40, room - 20);
    const fits = ([across, down]) =>
      across * (right - left) <= width - 40 && down * (bottom - top) <= room - 20;
    let scale = 1.15;
    while (scale > SMALLEST && !fits(this.scales(scale))) scale *= 0.98;
    const [across, down] = this.scales(scale);
    this.view = {
      scale,
      x: width / 2 - (across * (left + right)) / 2,
      y: this.tools + Math.max(0, room / 2 - 10 - (down * (bottom - top)) / 2) - down * top,
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
    const { width, height } = this.room;
    const { left, right, top, bottom } = this.layout.bounds;
    const { x, y } = this.view;
    const [across, down] = this.scales();
    const outside =
      x + across * right < 40 ||
      x + across * left > width - 40 ||
      y + down * bottom < 40 ||
      y + down * top > height - 40;
    if (outside || this.isFitted) this.fit();
  }

  zoom(factor, x = this.room.width / 2, y = this.room.height / 2) {
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
    const { width, height } = this.room;
    this.view = {
      scale,
      x: width / 2 - scale * this.layout.x[node],
      y: height / 2 - scale * this.layout.y[node],
    };
    this.redraw();
  }

  reveal(node) {
    const { x, y, scale } = this.view;
    const [wide, high] = this.scales();
    const [across, down] = [x + wide * this.layout.x[node], y + high * this.layout.y[node]];
    const room = 60;
    const { width, height } = this.room;
    const inSight = across > room && across < width - room && down > room && down < height - room;
    if (!inSight || scale < CARDS_FROM * 2) this.centre(node);
  }

  // ---- drawing

  redraw() {
    this.#stop?.();
    this.#stop = this.passing = null;
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.draw();
    });
  }

  // Behind another view nothing is drawn: it would keep a slider waiting.
  isInSight() {
    return this.state.get("tab") === "tree";
  }

  draw() {
    if (!this.isInSight()) return;
    const { context, canvas } = this;
    const { layout, view } = this.passing ?? this;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.marks.theme.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const scales = this.scales(view.scale);
    const [across, down] = scales;
    context.setTransform(ratio * across, 0, 0, ratio * down, ratio * view.x, ratio * view.y);
    const nodes = this.inView(layout, view);
    if (view.scale < CARDS_FROM) drawAfar(this, { layout, nodes, scales });
    else this.drawNear(this.pen, { layout, nodes, scale: view.scale });
    this.dots?.(context, layout);
    this.map.show();
  }

  // Whether all of the tree can be seen.
  isWhole() {
    const { left, right, top, bottom } = this.layout.bounds;
    const [across, down] = this.scales();
    return (
      this.view.x + across * left > -1 &&
      this.view.y + down * top > -1 &&
      this.view.x + across * right < this.room.width + 1 &&
      this.view.y + down * bottom < this.room.height + 1
    );
  }

  // The shown nodes whose card or branch is in view.
  inView({ x, y }, view) {
    const { room, model } = this;
    const [across, down] = this.scales(view.scale);
    const [left, top] = [-view.x / across - CARD.width, -view.y / down - CARD.height * 1.5];
    const [right, bottom] = [
      left + room.width / across + 2 * CARD.width,
      top + room.height / down + 3 * CARD.height,
    ];
    return this.shown.filter((node) => {
      const above = node ? model.parent[node] : node;
      const [x0, x1] = x[node] < x[above] ? [x[node], x[above]] : [x[above], x[node]];
      const [y0, y1] = y[node] < y[above] ? [y[node], y[above]] : [y[above], y[node]];
      return x1 > left && x0 < right && y1 > top && y0 < bottom;
    });
  }

  drawNear(pen, { layout, nodes, scale }) {
    const { marks, state } = this;
    const detail = scale < WORDS_FROM ? 1 : 2;
    const lit = state.get("lit");
    const brightness = (node) => (!lit || lit.has(node) ? 1 : 0.22);
    const folded = state.get("folded");
    const step = (marks.step = state.get("step"));
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
        scale,
      });
    }
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
    const { canvas } = this;
    canvas.addEventListener(
      "wheel",
      (event) => {
        // the page scrolls unless the reader is at work in the picture
        if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
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
    // One finger scrolls the page; of two the browser would do the same, and tell nothing of them.
    for (const name of ["touchstart", "touchmove"])
      canvas.addEventListener(
        name,
        (event) => event.touches.length > 1 && event.cancelable && event.preventDefault(),
        { passive: false },
      );
    canvas.addEventListener("dblclick", (event) => {
      const node = this.nodeAt(event.clientX, event.clientY);
      if (node !== null) this.fold(node);
    });
  }

  // Bring a place of the picture into the middle.
  lookAt(x, y) {
    const [wide, high] = this.scales();
    const { width, height } = this.room;
    this.view = { ...this.view, x: width / 2 - wide * x, y: height / 2 - high * y };
    this.redraw();
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
      this.pan((event.clientX - before.clientX) / 2, (event.clientY - before.clientY) / 2);
    } else if (event.pointerType !== "touch")
      this.pan(event.clientX - before.clientX, event.clientY - before.clientY);
    this.#moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    this.#pointers.set(event.pointerId, event);
  }

  release(event) {
    this.#pointers.delete(event.pointerId);
    if (this.#moved > 5) return;
    const node = this.nodeAt(event.clientX, event.clientY);
    if (node !== null) this.state.set({ node });
    else this.state.set({ lit: null, why: null, row: null });
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
    this.drawNear(pen, { layout: this.layout, nodes: this.shown, scale: 1 });
    const { left, right, top, bottom } = this.layout.bounds;
    return pen.picture(
      { left: left - 20, right: right + 20, top: top - 20, bottom: bottom + 20 },
      this.marks.theme.ground,
      title,
    );
  }
}
