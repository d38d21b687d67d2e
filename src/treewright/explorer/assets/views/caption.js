// Caption: what is lit in the picture of the tree, of how many rows, to list them or to put it out.

import { counted, element, replaceChildren } from "../elements/text.js";

export class Caption {
  constructor(place, model, state) {
    Object.assign(this, { place, model, state });
    state.on(["exchanged", "lit", "why", "step"], () => this.render());
    this.render();
  }

  render() {
    const { place, state } = this;
    const { lit, why } = state.values;
    place.hidden = !lit;
    if (!lit) return;
    const words = why?.words ?? `the path to ${counted(lit.size, "node")}`;
    const rows = why?.rows;
    const button = (name, does) => element("button", { type: "button", class: "link", onclick: does }, name);
    replaceChildren(
      place,
      `Lit: ${words}`,
      rows?.length > 1 ? ` (${counted(rows.length, "row")}) ` : " ",
      rows?.length > 0 && button("list them", () => state.set({ only: rows, tab: "rows" })),
      rows?.length > 0 && " · ",
      button("clear", () => state.set({ lit: null, why: null, row: null })),
    );
  }
}
