// Prediction table: what a model predicts for a row, and the class probabilities.

import { swatch } from "./node_card.js";
import { element, percentText } from "../elements/text.js";

const MOST_CLASSES = 6;

// `words` say who speaks, `best` is the class, beside(code) the last cell of a class's line.
export function verdict(model, marks, said, { words, best, beside }) {
  const order = said
    .map((_, code) => code)
    .toSorted((a, b) => said[b] - said[a])
    .slice(0, MOST_CLASSES);
  const line = (code) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, swatch(marks.fill(code)), model.classes[code]),
      element("td", {}, percentText(said[code])),
      beside(code),
    );
  return element(
    "div",
    {},
    element("p", { class: "says" }, `${words} `, element("b", {}, model.classes[best])),
    element("table", {}, element("tbody", {}, order.map(line))),
  );
}
