// Marks: how a node and a branch look, and the colours of classes and numbers.

import { CARD } from "../model/layout.js";
import { drawHistogram, histogramOf } from "./card_histogram.js";
import { isLight, numberColour } from "./colours.js";
import { cssFill, definePatterns, hatching, named } from "./patterns.js";
import { counted } from "../elements/text.js";

const FLOW = 40;
const ANSWERS_FROM = 0.26;
const READABLE = 12; // points on the page: no words are smaller where all of a card can be read
const LARGEST = 17; // of what is no title, in the measure of a card
export const WORDS_FROM = READABLE / LARGEST; // from smaller scales on a card has a large title alone
const LINES = ["first", "second", "third"];

export class Marks {
  constructor(model, colours) {
    this.model = model;
    this.colours = colours;
    this.theme = {};
    this.isHatched = false;
    this.step = 0; // of pruning
    this.refresh();
  }

  // Light and dark are decided by the style sheet.
  refresh() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "pale", "card", "edge", "ground", "soft", "focus", ...LINES]) {
      this.theme[name] = style.getPropertyValue(`--${name}`).trim();
    }
    const codes = this.model.classes ? this.model.classes.map((_, code) => code) : [];
    const hatched = codes.map((code) => this.area(code)).filter((fill) => fill.lines);
    definePatterns(document.getElementById("patterns"), hatched);
  }

  // The colour of a line of a chart: one of three that stand out on the ground.
  line(place) {
    return this.theme[LINES[place]];
  }

  // What an area of a class is filled with: a colour, or a colour and its hatching.
  area(code) {
    const colour = this.classColour(code);
    const lines = hatching(code, this.colours.classes.length, this.isHatched);
    return lines ? { colour, lines, ground: this.theme.ground } : colour;
  }

  // The same for a shape of a chart, and for the background of an element.
  chartFill(code) {
    const area = this.area(code);
    return area.lines ? `url(#${named(area)})` : area;
  }

  fill(code) {
    const area = this.area(code);
    return area.lines ? cssFill(area) : area;
  }

  classColour(code) {
    const { classes } = this.colours;
    return classes[code % classes.length];
  }

  numberColour(share) {
    return numberColour(this.colours.scale, share);
  }

  colour(node) {
    return this.model.classes
      ? this.classColour(this.model.label[node])
      : this.numberColour(this.model.sureness(node));
  }

  // Whether dark words stand out on a node's colour.
  isLight(node) {
    return isLight(this.colour(node));
  }

  nodeArea(node) {
    return this.model.classes ? this.area(this.model.label[node]) : this.colour(node);
  }

  // ---- branches

  branch(pen, layout, node, detail, opacity) {
    const { model } = this;
    const above = model.parent[node];
    const flows = model.children(above).map((child) => this.flow(child));
    const place = model.branchOf[node];
    const begun =
      flows.slice(0, place).reduce((sum, flow) => sum + flow, 0) -
      flows.reduce((sum, flow) => sum + flow, 0) / 2;
    const stripes = model.classes && detail ? model.shares(node) : [1];
    let across = 0;
    for (const [code, share] of stripes.entries()) {
      const width = flows[place] * share;
      if (!width) continue;
      const corners = this.corners(layout, above, node, begun + across, across - flows[place] / 2, width);
      const fill = model.classes && detail ? this.area(code) : this.nodeArea(node);
      pen.ribbon(corners, { fill, opacity: 0.45 * opacity });
      across += width;
    }
  }

  flow(node) {
    return Math.max((FLOW * this.model.weight[node]) / (this.model.weight[0] || 1), 1.2);
  }

  corners({ x, y, topDown }, above, node, start, end, width) {
    const half = topDown ? CARD.height / 2 : CARD.width / 2;
    const [a0, b0, a1, b1] = topDown
      ? [x[above] + start, y[above] + half, x[node] + end, y[node] - half]
      : [y[above] + start, x[above] + half, y[node] + end, x[node] - half];
    const middle = (b0 + b1) / 2;
    const points = [
      [a0, b0],
      [a0, middle],
      [a1, middle],
      [a1, b1],
      [a1 + width, b1],
      [a1 + width, middle],
      [a0 + width, middle],
      [a0 + width, b0],
    ];
    return topDown ? points : points.map(([a, b]) => [b, a]);
  }

  // ---- nodes

  // Detail 2 has all words; detail 1, from farther away, a large title.
  node(pen, layout, node, { detail, leaf, folded, selected, opacity, scale }) {
    const { theme } = this;
    const [left, top] = [layout.x[node] - CARD.width / 2, layout.y[node] - CARD.height / 2];
    const colour = this.colour(node);
    if (folded)
      pen.rect(left + 4, top + 4, CARD.width, CARD.height, {
        fill: theme.card,
        stroke: theme.edge,
        radius: 8,
        opacity,
      });
    pen.rect(left, top, CARD.width, CARD.height, {
      fill: theme.card,
      stroke: leaf ? colour : theme.edge,
      radius: 8,
      opacity,
    });
    if (leaf)
      pen.rect(left, top, CARD.width, CARD.height, { fill: colour, radius: 8, opacity: 0.14 * opacity });
    if (selected)
      pen.rect(left - 3, top - 3, CARD.width + 6, CARD.height + 6, {
        stroke: theme.focus,
        line: Math.max(3, 2 / scale),
        radius: 11,
      });
    if (detail > 1) this.words(pen, layout, node, { leaf, folded, opacity, scale });
    else {
      this.bars(pen, node, left + 10, top + CARD.height - 20, CARD.width - 20, 12, opacity);
      this.largeWords(pen, layout, node, { leaf, folded, opacity, scale });
    }
  }

  // From farther away the title takes two lines if it must, and the answer stays as long as it can be read.
  largeWords(pen, { x, y }, node, { leaf, folded, opacity, scale }) {
    const { model, theme } = this;
    const top = y[node] - CARD.height / 2;
    const title = this.title(node, leaf);
    const longest = Math.max(...title.split(/[\s_]/).map((word) => word.length));
    const fits = (CARD.width - 8) / (0.72 * longest); // so large may its longest word be
    const size = Math.max(Math.min(READABLE / scale, 36, fits), Math.min(9.5 / scale, 30), 13);
    const lines = this.titleLines(pen, node, leaf, { size, bold: true, width: CARD.width - 8 });
    const [first, type] = lines.length > 1 ? [top + 34, Math.min(size, 30)] : [top + 50, size];
    if (folded) this.heldBelow(pen, x[node], top + CARD.height, size, node, opacity);
    lines.forEach((words, line) =>
      pen.text(x[node], first + line * type * 0.98, words, {
        size: type,
        bold: true,
        fill: theme.ink,
        width: CARD.width - 8,
        opacity,
      }),
    );
    if (node && scale > ANSWERS_FROM)
      pen.text(x[node], top - 7, model.answer(node), {
        size,
        fill: theme.pale,
        halo: theme.ground,
        width: CARD.width + 12,
        opacity,
      });
  }

  title(node, leaf) {
    return leaf ? this.model.prediction(node) : this.model.splits[node].question;
  }

  // The title in one line or two; of an equation as many whole terms as fit, so that no number is broken.
  titleLines(pen, node, leaf, style) {
    const title = this.title(node, leaf);
    if (!leaf || !this.model.equations || pen.fits(title, style)) return pen.lines(title, style);
    const lines = [];
    const terms = title.split(/ (?=[−+] )/);
    while (terms.length && lines.length < 2) {
      const fits = (count) => {
        const rest = lines.length && count < terms.length ? " …" : "";
        return pen.fits(terms.slice(0, count).join(" ") + rest, style);
      };
      let count = terms.length;
      while (count > 1 && !fits(count)) count -= 1;
      if (lines.length && !fits(count)) break;
      lines.push(terms.splice(0, count).join(" "));
    }
    if (terms.length) lines[lines.length - 1] += " …";
    return lines;
  }

  // What a card says below its bars: as much of it as fits whole.
  noteText(pen, node, leaf, style) {
    const { model } = this;
    const note = model.note(node);
    if (model.classes) return [note, model.rowsText(node)].find((words) => pen.fits(words, style)) ?? note;
    if (leaf && !model.equations) return note;
    const ways = [4, 3, 2].map((digits) => `${model.meanWords(node, digits)} · ${note}`);
    return [...ways, note].find((words) => pen.fits(words, style)) ?? note;
  }

  // What a folded node holds stands below its card, where nothing else does.
  heldBelow(pen, x, foot, size, node, opacity) {
    const { ground, pale } = this.theme;
    const words = counted(this.model.leavesBelow(node, this.step), "leaf", "leaves");
    pen.text(x, foot + size * 1.15 + 4, words, { size, fill: pale, halo: ground, width: CARD.width, opacity });
  }

  // All of it can be read: the title in one line or two, the rows over the split with the cut, classes, and a note.
  words(pen, { x, y, topDown }, node, { leaf, folded, opacity, scale }) {
    const { model, theme } = this;
    const [left, top] = [x[node] - CARD.width / 2 + 10, y[node] - CARD.height / 2];
    const width = CARD.width - 20;
    const size = Math.min(Math.max(READABLE / scale, 13), 18);
    const small = Math.min(Math.max(READABLE / scale, 12), LARGEST);
    const room = { bold: true, width: CARD.width - 12, size };
    const lines = this.titleLines(pen, node, leaf, room);
    const histogram = leaf ? null : histogramOf(model, node);
    const foot = top + CARD.height - small - 18;
    const spare = foot - 6 - top - (0.05 + 0.95 * lines.length) * size; // around a title that stands alone
    const first = top + (histogram ? 3 + size : spare / 2 + 0.85 * size);
    lines.forEach((words, line) =>
      pen.text(x[node], first + line * size * 0.95, words, { ...room, fill: theme.ink, opacity }),
    );
    if (histogram) {
      const from = first + (lines.length - 1) * size * 0.95 + 7;
      const ends = histogram.ends || histogram.isNamed ? small : 0;
      drawHistogram(pen, this, histogram, {
        left,
        top: from,
        width,
        height: Math.max(foot - from - ends - 1, 8),
        opacity,
        size: small,
      });
    }
    this.bars(pen, node, left, foot + (histogram ? 5 : -6), width, histogram ? 5 : 12, opacity);
    if (folded) this.heldBelow(pen, x[node], top + CARD.height, small, node, opacity);
    const note = { size: small, fill: theme.pale, width: CARD.width - 8, opacity };
    pen.text(x[node], top + CARD.height - 5, this.noteText(pen, node, leaf, note), note);
    if (!node) return;
    const answer = { size: small, fill: theme.ink, halo: theme.ground, width: CARD.width + 10, opacity };
    const above = topDown ? pen.lines(model.answer(node), answer) : [model.answer(node)]; // between levels there is room for two
    above
      .toReversed()
      .forEach((words, line) => pen.text(x[node], top - 6 - line * small * 1.05, words, answer));
  }

  // Shares of the training rows, and below them, thinner, those of the validation rows.
  bars(pen, node, left, top, width, height, opacity) {
    const { model, theme } = this;
    pen.rect(left, top, width, height, { fill: theme.soft, opacity });
    if (!model.classes) {
      pen.rect(left, top, Math.max(width * model.sureness(node), 2), height, {
        fill: this.colour(node),
        opacity,
      });
      return;
    }
    this.stack(pen, model.shares(node), left, top, width, height, opacity);
    if (model.held && model.held.weight[node] > 0) {
      this.stack(pen, model.shares(node, model.held), left, top + height + 1, width, 3, opacity);
    }
  }

  stack(pen, shares, left, top, width, height, opacity) {
    let begun = left;
    for (const [code, share] of shares.entries()) {
      if (share > 0) pen.rect(begun, top, width * share, height, { fill: this.area(code), opacity });
      begun += width * share;
    }
  }
}
