// Search: nodes by what stands on the way into them, by what they predict and by their number; they are lit, Enter goes from one to
// the next.

import { counted, element, replaceChildren } from "../elements/text.js";

export class Search {
  constructor(place, model, state) {
    Object.assign(this, { model, state, found: [], at: -1 });
    this.field = element("input", {
      type: "search",
      placeholder: "Search nodes and values",
      "aria-label": "search nodes and values",
    });
    this.words = element("span", { class: "pale", role: "status" });
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") (event.preventDefault(), this.go(event.shiftKey ? -1 : 1));
    });
    replaceChildren(place, this.field, this.words);
    state.on(["exchanged", "step"], () => this.field.value && this.look());
  }

  look() {
    const typed = this.field.value.trim().toLowerCase();
    this.found = typed ? matching(this.model, this.state.get("step"), typed) : [];
    this.at = -1;
    this.words.textContent = typed
      ? `${counted(this.found.length, "node")}${this.found.length > 1 ? ", Enter for the next" : ""}`
      : "";
    if (!this.found.length) {
      this.state.set({ lit: null, why: null });
      return;
    }
    const lit = new Set(this.found.flatMap((node) => this.model.ancestors(node)));
    this.state.set({
      lit,
      why: { words: `${counted(this.found.length, "node")} with “${this.field.value.trim()}”` },
    });
  }

  go(step) {
    if (!this.found.length) return;
    this.at = (this.at + step + this.found.length) % this.found.length;
    const node = this.found[this.at];
    const folded = new Set(this.state.get("folded"));
    const wasShut = this.model
      .ancestors(node)
      .slice(0, -1)
      .filter((above) => folded.delete(above)).length;
    this.state.set({ node, ...(wasShut && { folded, foldsItself: false }) });
  }
}

// The nodes whose condition, prediction or number has what was typed; a number alone is that of a node, or a value.
export function matching(model, step, typed) {
  const plain = (words) => words.toLowerCase().replaceAll("\u2068", "").replaceAll("\u2069", "");
  return model
    .visible(step)
    .filter(
      (node) =>
        plain(model.condition(node)).includes(typed) ||
        `node ${node}` === typed ||
        String(node) === typed ||
        (model.isLeaf(node, step) && plain(model.prediction(node)).includes(typed)),
    );
}
