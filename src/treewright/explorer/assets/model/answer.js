// Answer: which branch a row takes at a split. The page repeats what core/splits/answer.hpp does, operation by operation, so
// that it sends every row where the library sends it.

// The kinds of splits, by the numbers that a tree stores.
export const KIND = { threshold: 0, table: 1, hyperplane: 2, sphere: 3, intervals: 4 };

export const UNANSWERED = -1; // a value is missing, or a table has no entry for it
export const UNSEEN = -2; // a category that training has not seen

const tables = new WeakMap();

function tableOf(split) {
  if (!tables.has(split))
    tables.set(split, new Map(split.codes.map((code, place) => [code, split.branches[place]])));
  return tables.get(split);
}

// The numbers at which a split passes from one branch to the next; none if it tells known from missing.
export function cutsOf(split) {
  return split.cuts ?? (split.threshold === null ? [] : [split.threshold]);
}

// What a split compares with its cuts: a number, or null where something is missing.
export function compared(split, row) {
  if (!split.features) return row[split.feature];
  let total = 0;
  for (const [place, feature] of split.features.entries()) {
    const number = row[feature];
    if (number === null) return null;
    if (split.kind === KIND.hyperplane) {
      total += split.weights[place] * number;
    } else {
      const distance = number - split.centres[place];
      total += split.scales[place] * distance * distance;
    }
  }
  return Number.isNaN(total) ? null : total;
}

// The branch of a row by one split, UNANSWERED or UNSEEN.
export function branchBy(split, row) {
  if (split.kind === KIND.table) {
    const code = row[split.feature];
    return code < 0 ? code : (tableOf(split).get(code) ?? UNANSWERED);
  }
  const number = compared(split, row);
  if (number === null) return UNANSWERED;
  if (!split.cuts) return split.threshold !== null && number > split.threshold ? 1 : 0;
  return split.cuts.filter((cut) => number > cut).length;
}
