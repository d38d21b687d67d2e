// Teach: how a split is found, by the features of a node as cards, or by the cuts of one feature on a line.

import { TeachCards } from "./teach_cards.js";
import { TeachCut } from "./teach_cut.js";
import { element, replaceChildren } from "../elements/text.js";

const FEW = 60; // tables of no more rows, all of them categories, open on their cards

// Whether a page opens on the cards: a table as lectures have it.
export function isLecture(model) {
  const training = model.rows.filter((row) => !row.validation);
  return (
    training.length > 1 &&
    training.length <= FEW &&
    !model.content.forest &&
    !model.content.live &&
    model.features.every(({ kind }) => kind === "categorical")
  );
}

export class Teach {
  constructor(panel, model, marks, state, download) {
    Object.assign(this, { panel, model, state });
    if (!model.rows.length) {
      replaceChildren(panel, element("p", {}, "Teaching needs rows; this page has none."));
      return;
    }
    const cut = element("div");
    const cards = element("div");
    this.parts = {
      "All features": { place: cards, part: new TeachCards(cards, model, marks, state, download) },
    };
    if (model.features.some(({ kind }) => kind !== "categorical"))
      this.parts["Cuts of a number"] = { place: cut, part: new TeachCut(cut, model, marks, state) };
    const names = Object.keys(this.parts);
    this.mode = names.at(-1);
    this.buttons = names.map((name) =>
      element("button", { type: "button", onclick: () => ((this.mode = name), this.show(["tab"])) }, name),
    );
    const chooser = element(
      "div",
      { class: "controls", role: "group", "aria-label": "what to look at" },
      this.buttons,
    );
    replaceChildren(panel, names.length > 1 && chooser, cards, names.length > 1 && cut);
    state.on(["exchanged", "node", "tab", "step", "theme"], (changed) => this.show(changed));
    state.on(["room"], () => state.get("tab") === "teach" && this.parts[this.mode].part.render());
  }

  show(changed) {
    if (this.state.get("tab") !== "teach") return;
    this.buttons.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.textContent === this.mode)),
    );
    document.body.classList.toggle("alone", this.mode === "All features"); // a cut is taught of any node in the outline
    for (const [name, { place }] of Object.entries(this.parts)) place.hidden = name !== this.mode;
    this.parts[this.mode].part.start(changed);
  }
}
