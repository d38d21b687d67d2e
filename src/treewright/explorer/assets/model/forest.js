// Forest: the trees of the page, which of them is shown, and how each of them votes.

import { replace } from "./replace_tree.js";
import { Model } from "./model.js";

const PARTS = ["tree", "splits", "held", "path"];

export class Forest {
  #models = new Map();

  constructor(model, state) {
    Object.assign(this, { model, state, ...model.content.forest });
    const { content } = model;
    const own = Object.fromEntries(PARTS.map((part) => [part, content[part]]));
    this.trees = [own, ...this.trees];
    this.total = this.leaves.length;
    this.ask = null; // gives a tree that the page does not hold, if somebody serves it
    this.further = new Map(); // trees that were asked for
    state.on(["member"], () => replace(model, state, this.content(state.get("member"))));
  }

  content(place) {
    return this.trees[place] ?? this.further.get(place);
  }

  // The last tree that can be shown: of those of the page, or of all if somebody serves them.
  get last() {
    return (this.ask ? this.total : this.trees.length) - 1;
  }

  // Show a tree, once it is there.
  async show(place) {
    const member = Math.min(Math.max(place, 0), this.last);
    if (!this.content(member)) this.further.set(member, await this.ask(member));
    this.state.set({ member });
  }

  // Every tree can answer, also while another is shown.
  member(place) {
    if (!this.#models.has(place))
      this.#models.set(place, new Model({ ...this.model.content, rows: null, ...this.trees[place] }));
    return this.#models.get(place);
  }

  // What each tree of the page says of a row: its class and how sure it is, or its number.
  votes(values) {
    return this.trees.map((_, place) => {
      const said = this.member(place).predict(values);
      if (!this.model.classes) return { said: said[0] };
      const code = this.model.best(said);
      return { said: code, sure: said[code], shares: said };
    });
  }

  // What the trees of the page say together, as the forest counts: whole votes, shares, or a mean.
  together(votes) {
    const sum = new Array(this.model.width).fill(0);
    for (const { said, shares } of votes) {
      if (!this.model.classes) sum[0] += said;
      else if (this.hard) sum[said] += 1;
      else shares.forEach((share, code) => (sum[code] += share));
    }
    return sum.map((total) => total / votes.length);
  }

  // The row on which the trees agree least, where they vote for classes.
  mostDisputed() {
    if (!this.said || !this.model.classes) return null;
    const agreed = this.model.rows.map((row) => Math.max(...this.saidOf(row)));
    return this.model.rows[agreed.indexOf(Math.min(...agreed))];
  }

  // What all trees say of a row of the page, whether the page holds them or not.
  saidOf(row, said = this.said) {
    const begin = row.place * this.model.width;
    return said.slice(begin, begin + this.model.width);
  }

  // How many of all trees vote for a class of a row of the page.
  countOf(row, code) {
    return Math.round(this.saidOf(row, this.voted)[code] * this.total);
  }
}
