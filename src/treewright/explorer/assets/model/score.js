// Score: which rows trees learn from and which judge them, and how well they do: accuracy, or R².

import { meanOf } from "./cuts.js";

// The rows to learn from and the rows that judge: the validation rows of the page, or, where it has none, every third row in an
// order by chance that is always the same.
export function fairHalf(model) {
  const validation = model.rows.filter((row) => row.validation);
  const others = model.rows.filter((row) => !row.validation);
  if (validation.length && others.length) return { training: others, held: validation, isOwnHalf: false };
  const order = shuffled(model.rows);
  const held = order.slice(0, Math.floor(order.length / 3));
  const isHeld = new Set(held);
  return {
    training: model.rows.filter((row) => !isHeld.has(row)),
    held: model.rows.filter((row) => isHeld.has(row)),
    isOwnHalf: true,
  };
}

// An order by chance that is always the same (Lehmer's generator with the multiplier of Park and Miller, 1988).
function shuffled(rows) {
  let seed = 1;
  const keys = rows.map(() => (seed = (seed * 48271) % 2147483647));
  return [...rows.keys()].toSorted((a, b) => keys[a] - keys[b]).map((place) => rows[place]);
}

// The share of rows that are right, or R².
export function scoreOf(tree, rows) {
  if (tree.classes) {
    const right = rows.filter((row) => tree.classOf(row.values) === row.target).length;
    return { right, share: right / rows.length };
  }
  const mean = meanOf(rows.map(({ target }) => target));
  const squares = (of) => rows.reduce((sum, row) => sum + (row.target - of(row)) ** 2, 0);
  const all = squares(() => mean);
  return { share: all > 0 ? 1 - squares((row) => tree.predict(row.values)[0]) / all : 0 };
}
