// Card histogram: the rows of a node over what its split looks at, small enough for its card, with the cut on an axis.

import { KIND, compared, cutsOf } from "../model/answer.js";
import { axisAround } from "./charts.js";
import { compactText, isDate, numberText, valueText } from "../elements/text.js";

const BINS = 25; // one more than axisAround makes steps
const MOST_CATEGORIES = 24;
const MOST_NAMED = 6; // bars with the names of their categories below, if all of them fit
const LEAST_LETTERS = 4; // of a name that is shortened: fewer name nothing

const SIDE = 8; // between the bars and the edge of the card

const remembered = new WeakMap(); // by model, until it takes another tree

// Bars of counts by class, or of rows with the sum of their targets; those of categories by the branch that they go to; null where there is nothing to count.
export function histogramOf(model, node) {
  if (remembered.get(model)?.splits !== model.splits)
    remembered.set(model, { splits: model.splits, found: new Map() });
  const { found } = remembered.get(model);
  if (!found.has(node)) found.set(node, counted(model, node));
  return found.get(node);
}

function counted(model, node) {
  const split = model.splits[node];
  const rows = model.rows.length ? model.trainingRowsAt(node) : [];
  if (!split || !rows.length) return null;
  const nothing = () => new Array(model.classes ? model.width : 1).fill(0);
  const add = (bar, target) => {
    bar.counts[model.classes ? target : 0] += 1;
    bar.sum = (bar.sum ?? 0) + target;
  };
  if (split.kind === KIND.table) {
    const bars = new Map(
      split.codes.map((code, place) => [
        code,
        { branch: split.branches[place], counts: nothing(), name: valueText(model.features[split.feature], code) },
      ]),
    );
    for (const { values, target } of rows) {
      const bar = bars.get(values[split.feature]);
      if (bar) add(bar, target);
    }
    const shown = [...bars.values()].filter(({ counts }) => counts.some(Boolean)).slice(0, MOST_CATEGORIES);
    return {
      bars: shown.toSorted((a, b) => a.branch - b.branch),
      cuts: [],
      ends: null,
      isNamed: shown.length <= MOST_NAMED,
    };
  }
  const cuts = cutsOf(split);
  const points = rows
    .map(({ values, target }) => [compared(split, values), target])
    .filter(([number]) => number !== null);
  if (!cuts.length || !points.length) return null;
  const axis = axisAround(
    points.map(([number]) => number),
    cuts,
  );
  const bars = Array.from({ length: BINS }, () => ({ counts: nothing() }));
  for (const [number, target] of points) {
    const bin = Math.ceil((number - axis.low) / axis.step - 1e-9) - 1;
    add(bars[Math.min(Math.max(bin, 0), BINS - 1)], target);
  }
  const feature = split.features ? {} : model.features[split.feature];
  const text = (number) =>
    feature.categories || feature.unit || feature.offset ? valueText(feature, number) : numberText(number, 3);
  return {
    bars,
    cuts: cuts.map((cut) => (cut - axis.low) / (axis.high - axis.low)),
    ends: shorterEnds(text(axis.lowest), text(axis.highest), isDate(feature)),
  };
}

// The names below bars: whole where none runs into another or off the card, else as much of each as its bar is wide; null where
// that would be too little to name anything.
function namesOf(pen, { bars, isNamed }, pitch, size) {
  if (!isNamed) return null;
  const names = bars.map(({ name }) => name);
  const wide = names.map((name) => pen.width(name, { size }));
  const edge = pitch / 2 + SIDE;
  const isFree = (place) =>
    place === 0 ? wide[0] / 2 <= edge : (wide[place - 1] + wide[place]) / 2 + 4 <= pitch;
  if (wide.every((_, place) => isFree(place)) && wide.at(-1) / 2 <= edge) return names;
  const short = names.map((name) => pen.fitted(name, { size, width: pitch - 4 }));
  return short.every((name, place) => name === names[place] || name.length > LEAST_LETTERS) ? short : null;
}

// Both ends of an axis, in ever fewer letters: numbers and dates are never broken in the middle.
function shorterEnds(low, high, areDates) {
  const ways = areDates
    ? [10, 7, 4].map((letters) => (text) => text.slice(0, letters))
    : [(text) => shorterNumber(Number(text.replaceAll(",", "")), text)];
  const shorter = ways.map((way) => [way(low), way(high)]).filter(([from, to]) => from !== to);
  return [[low, high], ...shorter];
}

const shorterNumber = (number, text) => (Number.isFinite(number) ? compactText(number) : text);

export function drawHistogram(pen, marks, histogram, { left, top, width, height, opacity, size }) {
  const { theme } = marks;
  const { classes } = marks.model;
  const shareOf = (number) => marks.model.shareOf(number);
  const { bars, cuts, ends } = histogram;
  const sums = bars.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const tallest = Math.max(...sums, 1);
  const pitch = width / bars.length;
  bars.forEach(({ counts, sum }, place) => {
    let foot = top + height;
    const gap = ends ? 0 : pitch * 0.12;
    counts.forEach((count, code) => {
      if (!count) return;
      const tall = (count / tallest) * height;
      foot -= tall;
      const fill = classes ? marks.area(code) : marks.numberColour(shareOf(sum / count));
      pen.rect(left + place * pitch + gap, foot, Math.max(pitch * 0.94 - 2 * gap, 0.6), tall, {
        fill,
        opacity,
      });
    });
  });
  pen.rect(left, top + height, width, 0.8, { fill: theme.pale, opacity });
  for (const cut of cuts)
    pen.rect(left + cut * width - 0.8, top - 3, 1.6, height + 7, { fill: theme.ink, opacity });
  if (!ends) {
    bars.forEach(({ branch }, place) => {
      if (place && branch !== bars[place - 1].branch)
        pen.rect(left + place * pitch - 0.6, top - 3, 1.2, height + 7, { fill: theme.ink, opacity });
    });
    namesOf(pen, histogram, pitch, size)?.forEach((name, place) =>
      pen.text(left + (place + 0.5) * pitch, top + height + size, name, { size, fill: theme.pale, opacity }),
    );
    return;
  }
  const words = { size, fill: theme.pale, width: width / 2 - 3, opacity };
  const [low, high] = ends.find((pair) => pair.every((text) => pen.fits(text, words))) ?? ends.at(-1);
  pen.text(left, top + height + size, low, { ...words, anchor: "start" });
  pen.text(left + width, top + height + size, high, { ...words, anchor: "end" });
}
