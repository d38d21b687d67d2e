// Importances: how much each feature matters, by what it takes away, by what is lost without it, by what it moves.

import { movement } from "../model/shapley.js";
import { element, numberText, percentText } from "../elements/text.js";

const MOST = 30;
const SHUFFLES = 5;

// A line for each feature, the first measure's largest first; every number with its bar.
export function importanceTable(model, marks, measures, beside = []) {
  const [first] = measures;
  const order = model.features
    .map((_, place) => place)
    .filter((place) => measures.some(({ size }) => size(place)))
    .toSorted((a, b) => first.size(b) - first.size(a) || a - b)
    .slice(0, MOST);
  if (!order.length) return element("p", {}, "A tree of one leaf asks for none.");
  const names = ["feature", ...measures.map(({ name }) => name), ...beside.map(({ name }) => name)];
  const head = element(
    "tr",
    {},
    names.map((name) => element("th", { scope: "col" }, name)),
  );
  const longest = measures.map(({ size }) => Math.max(...order.map(size)) || 1);
  const lines = order.map((place) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, model.features[place].name),
      measures.map(({ size, text }, at) =>
        element(
          "td",
          { class: "measure" },
          text(place),
          bar(Math.max(0, size(place)) / longest[at], marks.line(at)),
        ),
      ),
      beside.map(({ text }) => element("td", {}, text(place))),
    ),
  );
  return element("table", { class: "importances" }, element("thead", {}, head), element("tbody", {}, lines));
}

function bar(share, colour) {
  return element("span", { css: { width: `${100 * share}%`, background: colour } });
}

// What SHAP says, as a measure.
export function movementMeasure(moved) {
  const dust = 1e-9 * Math.max(...moved.mean); // of sums that are nothing but for rounding
  const size = (place) => (moved.mean[place] > dust ? moved.mean[place] : 0);
  return { name: "SHAP", size, text: (place) => numberText(size(place), 2) };
}

export function movementWords(model, moved, who) {
  const what = model.classes ? "class probabilities" : "number";
  return `SHAP: by how much the feature moves the ${what} that ${who} predicts, on average over ${numberText(moved.rows)} rows.`;
}

export class Importances {
  constructor(model, marks, state) {
    Object.assign(this, { model, marks, state });
  }

  // In parts, as shuffling and SHAP take a while on large trees.
  *view(judges) {
    const { model, marks, state } = this;
    const falls = yield* this.falls(judges);
    const isMoved = judges.rows.length > 0 && !model.equations;
    const moved = isMoved ? yield* movement(model, state.get("step"), judges.rows) : null;
    const measures = [this.removed(), falls, moved && movementMeasure(moved)].filter(Boolean);
    const words = [
      "Impurity: the share in its decrease, which favours features of many values.",
      measures.length > 1 && judges.rows.length > 1
        ? `Shuffled: by how much the score on ${judges.name} falls when the feature's column is shuffled.`
        : "",
      moved ? movementWords(model, moved, "the tree") : "",
    ];
    return element(
      "section",
      {},
      this.title(),
      element("p", { class: "pale" }, words.filter(Boolean).join(" ")),
      importanceTable(model, marks, measures),
    );
  }

  title() {
    return element("h2", {}, "Importance of the features");
  }

  // The share of each feature in the decrease of impurity of the tree as it is pruned now.
  removed() {
    const { model, state } = this;
    const step = state.get("step");
    const gains = new Float64Array(model.features.length);
    for (const node of model.visible(step)) {
      const children = model.children(node, step);
      if (!children.length) {
        for (const [feature, gain] of model.equations?.gain[node] ?? []) gains[feature] += gain;
        continue;
      }
      const split = model.splits[node];
      const features = split.features || [split.feature];
      const gain =
        model.weight[node] * model.impurity[node] -
        children.reduce((sum, child) => sum + model.weight[child] * model.impurity[child], 0);
      for (const feature of features) gains[feature] += gain / features.length;
    }
    const total = gains.reduce((sum, gain) => sum + gain, 0) || 1;
    const size = (place) => gains[place] / total;
    return { name: "impurity", size, text: (place) => percentText(size(place)) };
  }

  // By how much the score falls when a feature's column is shuffled (Breiman, 2001): mean and spread.
  *falls({ rows }) {
    if (rows.length < 2) return null;
    const { model, state } = this;
    const asked = new Set(
      model
        .visible(state.get("step"))
        .flatMap((node) =>
          model.isLeaf(node, state.get("step"))
            ? (model.equations?.terms[node] ?? []).map(([feature]) => feature)
            : askedAt(model.splits[node]),
        ),
    );
    const base = this.score(rows, (row) => row.values);
    const found = [];
    for (const feature of model.features.keys()) {
      found.push({ mean: 0, spread: 0 });
      if (!asked.has(feature)) continue;
      const random = seeded(feature + 1);
      const falls = [];
      while (falls.length < SHUFFLES) {
        const order = shuffled(rows.length, random);
        const valuesOf = ({ values }, at) => values.with(feature, rows[order[at]].values[feature]);
        falls.push(base - this.score(rows, valuesOf));
        yield;
      }
      const mean = falls.reduce((sum, fall) => sum + fall, 0) / SHUFFLES;
      const spread = Math.sqrt(falls.reduce((sum, fall) => sum + (fall - mean) ** 2, 0) / (SHUFFLES - 1));
      found[feature] = { mean, spread };
    }
    return {
      name: "shuffled",
      size: (place) => found[place].mean,
      text: (place) => spreadText(found[place]),
    };
  }

  // The share of rows that are right, or of the variance that is explained.
  score(rows, valuesOf) {
    const { model } = this;
    const step = this.state.get("step");
    if (model.classes)
      return rows.filter((row, at) => model.classOf(valuesOf(row, at), step) === row.target).length / rows.length;
    const said = rows.map((row, at) => model.predict(valuesOf(row, at), step));
    const mean = rows.reduce((sum, { target }) => sum + target, 0) / rows.length;
    const squares = (of) => rows.reduce((sum, { target }, row) => sum + (target - of(row)) ** 2, 0);
    return 1 - squares((row) => said[row][0]) / (squares(() => mean) || 1);
  }
}

// The features that a split or one of its surrogates asks for.
function askedAt(split) {
  const features = (one) => one.features || [one.feature];
  return [...features(split), ...(split.surrogates || []).flatMap(features)];
}

export function spreadText({ mean, spread }) {
  return `${numberText(mean, 2)} ± ${numberText(spread, 1)}`;
}

// The same numbers every time: a small generator (mulberry32).
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffled(size, random) {
  const order = Array.from({ length: size }, (_, place) => place);
  for (let last = size - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
