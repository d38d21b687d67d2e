// Row animation: rows as dots that fall from the root to their leaves, first those the tree was grown on, then the others.

import { CARD } from "../model/layout.js";
import { percentText } from "../elements/text.js";

const MOST = 240;
export const LEVEL = 380; // milliseconds from a node to the next
export const SPREAD = 2200; // between the first and the last
export const PER_LINE = 13;
const HELD = 24; // below a folded node stands how many leaves it holds

export class Falling {
  #frame = 0;

  constructor(view, button, words) {
    Object.assign(this, { view, button, words });
    const { rows } = view.model;
    this.stages = [
      { name: "training rows", rows: rows.filter((row) => !row.validation) },
      { name: "validation rows", rows: rows.filter((row) => row.validation) },
    ].filter((stage) => stage.rows.length);
    this.stage = -1;
    button.addEventListener("click", () => this.next());
    view.state.on(["exchanged", "step", "folded"], () => this.clear());
    this.name();
  }

  next() {
    const stage = this.stage + 1;
    if (stage < this.stages.length) this.drop(stage);
    else this.clear();
  }

  clear() {
    if (this.stage < 0) return;
    this.stage = -1;
    this.view.dots = null;
    this.view.below = 0;
    if (this.view.isFitted) this.view.fit();
    cancelAnimationFrame(this.#frame);
    this.name();
    this.words.textContent = "";
    this.view.redraw();
  }

  // The button says what it does next.
  name() {
    const next = this.stages[this.stage + 1];
    this.button.textContent = next ? `Send ${next.name} down` : "Clear rows";
  }

  drop(stage) {
    const { model, state } = this.view;
    const { rows, name } = this.stages[stage];
    this.stage = stage;
    this.name();
    const shown = new Set(this.view.shown);
    const stride = Math.max(1, rows.length / MOST);
    const chosen = rows.filter((_, place) => Math.floor(place / stride) !== Math.floor((place - 1) / stride));
    const piles = new Map();
    this.falling = chosen.map((row, place) => {
      const step = state.get("step");
      const way = model.pathOf(row.values, step).map(({ node }) => node);
      const seen = way.filter((node) => shown.has(node));
      const pile = piles.get(seen.at(-1)) || 0;
      piles.set(seen.at(-1), pile + 1);
      const isWrong = model.classes && model.classOf(row.values, step) !== row.target;
      const offset = seen.length < way.length ? HELD : 0;
      return { row, way: seen, pile, offset, isWrong, begins: (SPREAD * place) / chosen.length };
    });
    this.makeRoom();
    this.begun = performance.now();
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.view.dots = (context, layout) => this.draw(context, layout, isStill);
    this.say(name, chosen.length, rows.length);
    cancelAnimationFrame(this.#frame);
    this.tick();
  }

  // The piles below the leaves are in sight, too.
  makeRoom() {
    const { view, falling } = this;
    const lowest = falling.map((dot) => placeOf(dot, view.layout, Infinity)[1]);
    view.below = Math.max(0, Math.max(...lowest) + 8 - view.layout.bounds.bottom);
    if (view.isFitted) view.fit();
  }

  say(name, fell, all) {
    const wrong = this.falling.filter(({ isWrong }) => isWrong).length;
    const of = fell < all ? `${fell} of ${all} ${name}` : `${all} ${name}`;
    this.words.textContent = this.view.model.classes
      ? `${of}: ${percentText(1 - wrong / fell)} come to a leaf of their class; the others are ringed.`
      : `${of}, coloured by their true numbers.`;
  }

  tick() {
    this.view.draw();
    const longest = Math.max(...this.falling.map(({ way, begins }) => begins + way.length * LEVEL));
    if (performance.now() - this.begun < longest + 100)
      this.#frame = requestAnimationFrame(() => this.tick());
  }

  draw(context, layout, isStill) {
    const { model, marks } = this.view;
    const now = isStill ? Infinity : performance.now() - this.begun;
    for (const dot of this.falling) {
      if (now < dot.begins) continue;
      const [x, y] = placeOf(dot, layout, now - dot.begins);
      context.beginPath();
      context.arc(x, y, 4.6, 0, 2 * Math.PI);
      context.fillStyle = model.classes
        ? marks.classColour(dot.row.target)
        : marks.numberColour(model.shareOf(dot.row.target));
      context.fill();
      context.lineWidth = dot.isWrong ? 2 : 0.8;
      context.strokeStyle = dot.isWrong ? marks.theme.ink : marks.theme.ground;
      context.stroke();
    }
  }
}

// On the way between two nodes, or in the pile below the last.
export function placeOf({ way, pile, offset = 0 }, layout, time) {
  const level = Math.floor(time / LEVEL);
  const last = way.at(-1);
  if (level >= way.length - 1) {
    const left = layout.x[last] - CARD.width / 2 + 8;
    const top = layout.y[last] + CARD.height / 2 + 9 + offset;
    return [left + (pile % PER_LINE) * 12.6, top + Math.floor(pile / PER_LINE) * 10.4];
  }
  const share = time / LEVEL - level;
  const eased = share * share * (3 - 2 * share); // branches swing as a cubic curve does
  const aside = ((pile % 7) - 3) * 3;
  const between = (axis, done) => axis[way[level]] + (axis[way[level + 1]] - axis[way[level]]) * done;
  return layout.topDown
    ? [between(layout.x, eased) + aside, between(layout.y, share)]
    : [between(layout.x, share), between(layout.y, eased) + aside];
}
