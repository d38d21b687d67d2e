// Patterns: hatchings that tell classes apart without colours: for colour-blind eyes, for paper, for many classes.

import { element, replaceChildren, shape } from "../elements/text.js";

const TILE = 8;
const LINES = [
  "",
  "M-1 9L9 -1M-1 1L1 -1M7 9L9 7",
  "M-1 -1L9 9M7 -1L9 1M-1 7L1 9",
  "M0 4H8",
  "M4 0V8",
  "M2 2h.1M6 6h.1",
  "M4 0V8M0 4H8",
  "M-1 9L9 -1M-1 -1L9 9",
];

// The hatching of a class; classes whose colour was used before have one in any case.
export function hatching(code, colours, isOn) {
  const round = Math.floor(code / colours);
  return ((isOn ? code % colours : 0) + round) % LINES.length;
}

// A tile of a colour with lines of the ground on it, for a canvas.
const tiles = new Map();

export function canvasFill(context, { colour, ground, lines }) {
  const key = `${colour}${ground}${lines}`;
  if (!tiles.has(key)) {
    const tile = element("canvas", { width: TILE, height: TILE });
    const drawn = tile.getContext("2d");
    drawn.fillStyle = colour;
    drawn.fillRect(0, 0, TILE, TILE);
    drawn.strokeStyle = ground;
    Object.assign(drawn, { lineWidth: 1.6, lineCap: "round" });
    drawn.stroke(new Path2D(LINES[lines]));
    tiles.set(key, context.createPattern(tile, "repeat"));
  }
  return tiles.get(key);
}

function tile({ colour, ground, lines }, settings) {
  const size = { width: TILE, height: TILE };
  return shape(
    settings.id ? "pattern" : "svg",
    { ...size, ...settings },
    shape("rect", { ...size, fill: colour }),
    shape("path", { d: LINES[lines], stroke: ground, "stroke-width": 1.6, "stroke-linecap": "round" }),
  );
}

// The same for shapes of an SVG, which refer to it by its name.
export function named(fill) {
  return `hatched-${fill.colour.slice(1)}-${fill.lines}`;
}

export function definitions(fills) {
  const made = [...new Map(fills.map((fill) => [named(fill), fill]))];
  return shape(
    "defs",
    {},
    made.map(([id, fill]) => tile(fill, { id, patternUnits: "userSpaceOnUse" })),
  );
}

// The definitions that charts of the page refer to.
export function definePatterns(place, fills) {
  replaceChildren(place, definitions(fills));
}

// And for the background of an element.
export function cssFill(fill) {
  const picture = tile(fill, { xmlns: "http://www.w3.org/2000/svg" });
  const text = encodeURIComponent(new XMLSerializer().serializeToString(picture));
  return `url("data:image/svg+xml,${text}")`;
}
