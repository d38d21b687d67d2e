// Strokes: the same strokes on a canvas, which is fast, and as SVG, which is kept.

import { canvasFill, definitions, named } from "./patterns.js";
import { shape } from "../elements/text.js";

export const FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif";

const HALO = 7; // as wide is the ground around words that stand on branches

// What both do with texts: measure them, by the context of a canvas.
class Pen {
  constructor(context) {
    this.context = context;
  }

  setFont({ size, bold }) {
    this.context.font = fontOf(size, bold);
  }

  fits(words, style) {
    return this.fitted(words, style) === words;
  }

  // As much of a text as fits.
  fitted(words, style) {
    this.setFont(style);
    return fitText(this.context, words, style.width);
  }

  width(words, style) {
    this.setFont(style);
    return this.context.measureText(words).width;
  }

  // A text as one line if it fits, else as two, parted at a blank.
  lines(words, style) {
    this.setFont(style);
    return inLines(this.context, words, style.width);
  }
}

export class CanvasPen extends Pen {
  rect(x, y, width, height, { fill, stroke, radius = 0, opacity = 1, line = 1 }) {
    const { context } = this;
    context.globalAlpha = opacity;
    context.beginPath();
    if (radius) context.roundRect(x, y, width, height, radius);
    else context.rect(x, y, width, height);
    if (fill) ((context.fillStyle = fill.lines ? canvasFill(context, fill) : fill), context.fill());
    if (stroke) ((context.strokeStyle = stroke), (context.lineWidth = line), context.stroke());
    context.globalAlpha = 1;
  }

  ribbon(corners, { fill, opacity = 0.45 }) {
    const { context } = this;
    context.globalAlpha = opacity;
    context.fillStyle = fill.lines ? canvasFill(context, fill) : fill;
    context.beginPath();
    context.moveTo(...corners[0]);
    context.bezierCurveTo(...corners[1], ...corners[2], ...corners[3]);
    context.lineTo(...corners[4]);
    context.bezierCurveTo(...corners[5], ...corners[6], ...corners[7]);
    context.fill();
    context.globalAlpha = 1;
  }

  text(
    x,
    y,
    words,
    { size = 12, fill, bold = false, halo = null, width = Infinity, opacity = 1, anchor = "middle" },
  ) {
    const { context } = this;
    context.globalAlpha = opacity;
    this.setFont({ size, bold });
    context.textAlign = anchor === "middle" ? "center" : anchor;
    const fitted = fitText(context, words, width);
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = HALO;
      context.lineJoin = "round";
      context.strokeText(fitted, x, y);
    }
    context.fillStyle = fill;
    context.fillText(fitted, x, y);
    context.globalAlpha = 1;
  }
}

const fontOf = (size, bold) => `${bold ? 600 : 400} ${size}px ${FONT}`;

let ruler = null;

function measuring(size, bold) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = fontOf(size, bold);
  return ruler;
}

export const widthOfText = (words, size, bold = false) => measuring(size, bold).measureText(words).width;

// A text as far as it fits, in the largest of the sizes in which all of it does, or in the last.
export function fittedIn(words, sizes, width, bold = false) {
  const size = sizes.find((one) => widthOfText(words, one, bold) <= width) ?? sizes.at(-1);
  return { size, words: fitText(measuring(size, bold), words, width) };
}

// The longest start of a text that fits, found by halving; widths are remembered by font.
const fitted = new Map();

function fitText(context, words, width) {
  if (width === Infinity) return words;
  const key = `${context.font}|${width}|${words}`;
  if (!fitted.has(key)) {
    if (fitted.size > 20000) fitted.clear();
    fitted.set(key, longestStart(context, words, width));
  }
  return fitted.get(key);
}

const parted = new Map();

function inLines(context, words, width) {
  const key = `${context.font}|${width}|${words}`;
  if (!parted.has(key)) {
    if (parted.size > 20000) parted.clear();
    const fits = (text) => context.measureText(text).width <= width;
    const blanks = words.length > 200 || fits(words) ? [] : [...words.matchAll(/[\s_]/g)];
    const at = blanks.map(({ index }) => index + 1).findLast((end) => fits(words.slice(0, end).trimEnd()));
    parted.set(key, at ? [words.slice(0, at).trimEnd(), words.slice(at)] : [words]);
  }
  return parted.get(key);
}

function longestStart(context, words, width) {
  const letters = [...words.slice(0, 400)];
  if (letters.length === words.length && context.measureText(words).width <= width) return words;
  let [fits, tooLong] = [0, letters.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (context.measureText(`${letters.slice(0, middle).join("")}…`).width <= width) fits = middle;
    else tooLong = middle;
  }
  return `${letters.slice(0, fits).join("").trimEnd()}…`;
}

export class SvgPen extends Pen {
  constructor() {
    super(document.createElement("canvas").getContext("2d"));
    this.shapes = [];
    this.hatched = [];
  }

  rect(x, y, width, height, { fill, stroke, radius = 0, opacity = 1, line = 1 }) {
    const settings = {
      x: tidy(x),
      y: tidy(y),
      width: tidy(width),
      height: tidy(height),
      fill: fill ? this.fill(fill) : "none",
    };
    if (radius) settings.rx = radius;
    if (stroke) Object.assign(settings, { stroke, "stroke-width": line });
    if (opacity < 1) settings.opacity = opacity;
    this.shapes.push(shape("rect", settings));
  }

  // A hatched area refers to its tile by name.
  fill(fill) {
    if (!fill.lines) return fill;
    this.hatched.push(fill);
    return `url(#${named(fill)})`;
  }

  ribbon(corners, { fill, opacity = 0.45 }) {
    const [a, b, c, d0, e, f, g, h] = corners.map((point) => point.map(tidy).join(" "));
    const d = `M${a}C${b} ${c} ${d0}L${e}C${f} ${g} ${h}z`;
    this.shapes.push(shape("path", { d, fill: this.fill(fill), opacity }));
  }

  text(
    x,
    y,
    words,
    { size = 12, fill, bold = false, halo = null, width = Infinity, opacity = 1, anchor = "middle" },
  ) {
    this.setFont({ size, bold });
    const place = {
      x: tidy(x),
      y: tidy(y),
      "font-size": size,
      "font-weight": bold ? 600 : null,
      "text-anchor": anchor,
    };
    const fittedWords = fitText(this.context, words, width);
    if (halo) {
      const line = { stroke: halo, "stroke-width": HALO, "stroke-linejoin": "round", "aria-hidden": "true" };
      this.shapes.push(shape("text", { ...place, ...line, fill: halo }, fittedWords));
    }
    this.shapes.push(shape("text", { ...place, fill, opacity: opacity < 1 ? opacity : null }, fittedWords));
  }

  picture({ left, top, right, bottom }, ground, title) {
    const [width, height] = [right - left, bottom - top];
    const settings = {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `${tidy(left)} ${tidy(top)} ${tidy(width)} ${tidy(height)}`,
    };
    const back = shape("rect", { x: left, y: top, width, height, fill: ground });
    const font = { "font-family": FONT };
    return shape(
      "svg",
      { ...settings, width, height, role: "img" },
      shape("title", {}, title),
      definitions(this.hatched),
      back,
      shape("g", font, this.shapes),
    );
  }
}

function tidy(number) {
  return Math.round(number * 100) / 100;
}
