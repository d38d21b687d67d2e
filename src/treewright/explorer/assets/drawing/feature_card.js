// Feature card: a candidate split as a card: its rows as chips in a pile for each branch, with bar, impurity and gain.

import { FONT, fittedIn, widthOfText } from "./strokes.js";
import { isLight } from "./colours.js";
import { IMPURITIES, spreadOver } from "../model/cuts.js";
import { counted, isolated, numberText, shape } from "../elements/text.js";

export const WIDTH = 256;
const PAD = 12;
const NAMED = 40; // so many rows have chips large enough for their number
const MOST_LINES = 7;

// Three decimals, as a trace writes them.
export function decimals(number) {
  const size = Math.abs(number);
  return size === 0 ? "0" : size >= 5e-4 && size < 1e4 ? number.toFixed(3) : numberText(number, 3);
}

// The steps from impurity to gain, as a lecture writes them.
export function formula({ whole, tallies, share, gain }, measure) {
  const parts = tallies.filter(({ rows }) => rows);
  const terms = parts.map((part) => `− ${part.rows}/${whole.rows} · ${decimals(part.impurity(measure))}`);
  const inner = [decimals(whole.impurity(measure)), ...terms];
  const all =
    share < 1 ? [`${decimals(share)} · (${inner[0]}`, ...inner.slice(1, -1), `${inner.at(-1)})`] : inner;
  return [...all, `= ${decimals(gain)}`];
}

// The gain over the entropy of the branches themselves (Quinlan, 1986); what is missing is a part of its own.
export function gainRatio({ whole, tallies, missing, gain }) {
  const all = whole.rows + missing;
  const own = IMPURITIES.entropy([...tallies.map(({ rows }) => rows), missing].map((rows) => rows / all));
  return own > 0 ? gain / own : 0;
}

// Shapes of a card, its height, and where each pile lies; `largest` is the gain that fills its bar.
export function featureCard(model, marks, judged, { measure, largest, isChosen }) {
  const { theme } = marks;
  const { split, parts, tallies, missing, gain } = judged;
  const rows = parts.reduce((sum, part) => sum + part.length, 0);
  const size = rows <= NAMED ? 10.5 : 4;
  const perLine = Math.floor((WIDTH - 2 * PAD) / (2 * size + 2));
  const text = (x, y, words, settings = {}) =>
    shape("text", { x, y, "font-size": 12.5, "font-family": FONT, fill: theme.ink, ...settings }, words);
  // A name on the left has as much room as the words on the right leave.
  const beside = (y, name, sizes, words, settings) => {
    const room = WIDTH - 2 * PAD - 8 - widthOfText(words, 12.5, "font-weight" in settings);
    const fitted = fittedIn(name, sizes, room, true);
    return [
      text(PAD, y, isolated(fitted.words), { "font-size": fitted.size, "font-weight": 600 }),
      text(WIDTH - PAD, y, words, { "text-anchor": "end", ...settings }),
    ];
  };
  const shapes = [
    ...beside(24, model.features[split.feature].name, [15, 13.5], `gain ${decimals(gain)}`, { "font-weight": 600 }),
    shape("rect", { x: PAD, y: 32, width: WIDTH - 2 * PAD, height: 6, rx: 3, fill: theme.soft }),
    shape("rect", {
      x: PAD,
      y: 32,
      width: Math.max((WIDTH - 2 * PAD) * (largest > 0 ? gain / largest : 0), 1),
      height: 6,
      rx: 3,
      fill: theme.focus,
    }),
  ];
  const piles = [];
  const chips = [];
  let y = 46;
  parts.forEach((part, branch) => {
    const top = y;
    const tally = tallies[branch];
    const said = part.length ? `${measure} ${decimals(tally.impurity(measure))}` : "no rows";
    const words = part.length ? `${counted(part.length, "row")} · ${said}` : said;
    shapes.push(...beside(y + 15, split.answers[branch], [12.5], words, { fill: theme.pale }));
    shapes.push(...bar(model, marks, tally, PAD, y + 21, WIDTH - 2 * PAD));
    const shown = spreadOver(
      part.toSorted((a, b) => a.target - b.target),
      MOST_LINES * perLine,
    );
    shown.forEach((row, place) =>
      chips.push({
        row,
        branch,
        size,
        isNamed: rows <= NAMED,
        x: PAD + size + (place % perLine) * (2 * size + 2),
        y: y + 34 + size + Math.floor(place / perLine) * (2 * size + 2),
      }),
    );
    const lines = Math.max(Math.ceil(shown.length / perLine), 1);
    y += 36 + lines * (2 * size + 2) + 4;
    if (shown.length < part.length) {
      shapes.push(text(PAD, y + 8, `${shown.length} of them drawn`, { fill: theme.pale }));
      y += 16;
    }
    piles.push({ top, bottom: y, branch });
    y += 4;
  });
  if (missing) {
    shapes.push(text(PAD, y + 12, `${counted(missing, "row")} without a value`, { fill: theme.pale }));
    y += 20;
  }
  for (const line of wrapped(formula(judged, measure), 38)) {
    shapes.push(text(PAD, y + 14, line, { "font-variant-numeric": "tabular-nums" }));
    y += 17;
  }
  if (measure === "entropy") {
    shapes.push(text(PAD, y + 14, `gain ratio ${decimals(gainRatio(judged))}`, { fill: theme.pale }));
    y += 17;
  }
  const height = y + 10;
  const frame = shape("rect", {
    x: 1,
    y: 1,
    width: WIDTH - 2,
    height: height - 2,
    rx: 10,
    fill: theme.card,
    stroke: isChosen ? theme.focus : theme.edge,
    "stroke-width": isChosen ? 2.5 : 1,
  });
  return { shapes: [frame, ...shapes], chips, piles, height };
}

// A row: coloured by its class, or its number.
export function chipShape(model, marks, { row, size, isNamed, x, y }, settings = {}) {
  const colour = model.classes
    ? marks.classColour(row.target)
    : marks.numberColour(model.shareOf(row.target));
  const name =
    isNamed &&
    shape(
      "text",
      {
        y: 4.2,
        "font-size": 12,
        "font-family": FONT,
        "text-anchor": "middle",
        fill: isLight(colour) ? "#111111" : "#ffffff",
      },
      String(row.id),
    );
  return shape(
    "g",
    { transform: `translate(${x} ${y})`, ...settings },
    shape("circle", {
      r: size,
      fill: colour,
      stroke: row.moved ? marks.theme.ink : null,
      "stroke-width": row.moved ? 2 : null,
    }),
    name,
  );
}

// Classes as a bar; of numbers how far up their mean is.
function bar(model, marks, tally, x, y, width) {
  const ground = shape("rect", { x, y, width, height: 8, fill: marks.theme.soft });
  if (!tally.rows) return [ground];
  if (!model.classes) {
    const share = Math.min(Math.max(model.shareOf(tally.prediction), 0.01), 1);
    return [
      ground,
      shape("rect", { x, y, width: width * share, height: 8, fill: marks.numberColour(share) }),
    ];
  }
  let begun = x;
  return tally.counts.map((count, code) => {
    const wide = (width * count) / tally.rows;
    begun += wide;
    return shape("rect", { x: begun - wide, y, width: wide, height: 8, fill: marks.classColour(code) });
  });
}

// Words in lines of at most so many letters.
function wrapped(words, most) {
  const lines = [""];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length <= most || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
