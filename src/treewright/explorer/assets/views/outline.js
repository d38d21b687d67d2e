// Outline: the tree as a list that keyboards and screen readers walk, by the ARIA pattern for trees.

import { element, replaceChildren, whole } from "../elements/text.js";

export class Outline {
  #typed = "";
  #typedAt = 0;

  constructor(list, model, state) {
    Object.assign(this, { list, model, state });
    this.open = new Set([0, ...model.children(0)]);
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("click", (event) => this.click(event));
    state.on(["exchanged"], () => this.keepOpen(state.get("exchanged").moved));
    state.on(["exchanged", "step"], () => this.render());
    state.on(["node"], () => this.select());
    this.render();
  }

  // What was open stays open where it is still there; the root and its branches are at first.
  keepOpen(moved) {
    this.open = new Set([...this.open].map((node) => moved.get(node)).filter((node) => node !== undefined));
    if (moved.size === 1 && this.model.size > 1) this.open = new Set([0, ...this.model.children(0)]);
  }

  children(node) {
    return this.model.children(node, this.state.get("step"));
  }

  render() {
    replaceChildren(this.list, this.item(0));
    this.select();
  }

  // An item with its open branches; a stack instead of recursion, as trees may be chains.
  item(root) {
    const made = this.line(root);
    const waiting = [[root, made]];
    while (waiting.length) {
      const [node, item] = waiting.pop();
      const children = this.children(node);
      if (!children.length || !this.open.has(node)) continue;
      const group = element("ul", { role: "group" });
      for (const child of children) {
        const line = this.line(child);
        group.append(line);
        waiting.push([child, line]);
      }
      item.append(group);
    }
    return made;
  }

  line(node) {
    const children = this.children(node);
    const leaf = !children.length;
    const words = leaf
      ? `${this.model.condition(node)} → ${this.model.predictionWords(node)}`
      : this.model.condition(node);
    const expanded = leaf ? null : String(this.open.has(node));
    const settings = {
      role: "treeitem",
      "aria-level": this.model.depth[node] + 1,
      "aria-expanded": expanded,
      tabindex: -1,
      "data-node": node,
      "aria-selected": "false",
    };
    const label = element(
      "span",
      { class: "line" },
      whole(words),
      " ",
      element("span", { class: "pale" }, this.model.note(node)),
    );
    return element("li", settings, label);
  }

  find(node) {
    return this.list.querySelector(`[data-node="${node}"]`);
  }

  select() {
    const node = this.model.standing(this.state.get("node"), this.state.get("step"));
    let opened = false;
    for (const above of this.model.ancestors(node).slice(0, -1)) {
      if (!this.open.has(above)) (this.open.add(above), (opened = true));
    }
    if (opened || !this.find(node)) replaceChildren(this.list, this.item(0));
    for (const item of this.list.querySelectorAll('[aria-selected="true"]')) {
      item.setAttribute("aria-selected", "false");
      item.tabIndex = -1;
    }
    const item = this.find(node);
    item.setAttribute("aria-selected", "true");
    item.tabIndex = 0;
    requestAnimationFrame(() => this.reveal(item.firstElementChild));
    if (this.list.contains(document.activeElement)) item.focus({ preventScroll: true });
  }

  // Scroll the outline alone: scrollIntoView would move the page, and where the Tab key goes next.
  reveal(line) {
    const [box, frame] = [line.getBoundingClientRect(), this.list.parentElement.getBoundingClientRect()];
    const beyond = (low, high, from, to) => Math.min(low - from, 0) || Math.max(high - to, 0);
    this.list.parentElement.scrollBy({
      top: beyond(box.top, box.bottom, frame.top, frame.bottom),
      left: beyond(box.left, box.left, frame.left, frame.right),
    });
  }

  toggle(node, isOpen = !this.open.has(node)) {
    if (isOpen) this.open.add(node);
    else this.open.delete(node);
    this.find(node).replaceWith(this.item(node));
    this.select();
    this.find(this.state.get("node"))?.focus({ preventScroll: true });
  }

  click(event) {
    const item = event.target.closest("[data-node]");
    if (!item) return;
    const node = Number(item.dataset.node);
    this.state.set({ node });
    if (event.offsetX < 0 || event.detail > 1) this.toggle(node);
    item.focus({ preventScroll: true });
  }

  lines() {
    return [...this.list.querySelectorAll("[data-node]")].map((item) => Number(item.dataset.node));
  }

  key(event) {
    const node = this.model.standing(this.state.get("node"), this.state.get("step"));
    const lines = this.lines();
    const place = lines.indexOf(node);
    const children = this.children(node);
    const moves = {
      ArrowDown: () => lines[place + 1],
      ArrowUp: () => lines[place - 1],
      Home: () => lines[0],
      End: () => lines.at(-1),
      ArrowRight: () => (children.length && !this.open.has(node) ? this.toggle(node, true) : children[0]),
      ArrowLeft: () =>
        children.length && this.open.has(node) ? this.toggle(node, false) : this.model.parent[node],
      Enter: () => (children.length ? this.toggle(node) : undefined),
      " ": () => (children.length ? this.toggle(node) : undefined),
    };
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    const isTyping = isLetter && Date.now() - this.#typedAt < 800; // a blank within a word opens nothing
    const move =
      (!isTyping && moves[event.key]) || (isLetter ? () => this.typed(event.key, lines, place) : null);
    if (!move) return;
    event.preventDefault();
    const next = move();
    if (next === undefined || next < 0) return;
    this.state.set({ node: next });
    this.find(next)?.focus({ preventScroll: true });
  }

  // Typing the beginning of a line goes to it.
  typed(letter, lines, place) {
    this.#typed =
      Date.now() - this.#typedAt < 800 ? this.#typed + letter.toLowerCase() : letter.toLowerCase();
    this.#typedAt = Date.now();
    const from = this.#typed.length > 1 ? place : place + 1;
    const round = [...lines.slice(from), ...lines.slice(0, from)];
    const begins = (node) => this.model.condition(node).replace("\u2068", "").toLowerCase();
    return round.find((node) => begins(node).startsWith(this.#typed));
  }
}
