// Your tree: "Where would you cut?" The reader places the cuts of a small tree, sees what the tree would have done and what both gain;
// then rows that neither has seen fall through both.

import { KIND } from "../model/answer.js";
import { judge, tallyByCode, threshold } from "../model/candidates.js";
import { Cuts, meanOf, spreadOver } from "../model/cuts.js";
import { OwnTree, bestOf, grown, isPure, readSplits, twoGroups, written } from "../model/own_tree.js";
import { fairHalf, scoreOf } from "../model/score.js";
import { LEVEL, PER_LINE, SPREAD, placeOf } from "../drawing/row_animation.js";
import { followPointer, shareAlong } from "../elements/drag.js";
import { fittedIn, widthOfText } from "../drawing/strokes.js";
import { placesFor, treePicture, widthOf } from "../drawing/small_tree.js";
import {
  counted,
  element,
  fineText,
  isolated,
  numberText,
  replaceChildren,
  roundNumbers,
  shape,
  shortened,
  valueText,
} from "../elements/text.js";

const SIZE = { most: 760, least: 300, line: 150, boxes: 120, left: 30 };
const MOST_DOTS = 400;
const MOST_VALUES = 24;
const FEWEST = 8; // rows for a game
const FALL = 700; // milliseconds from the line into the boxes

export class YourTree {
  constructor(panel, model, marks, state, copyText) {
    Object.assign(this, { panel, model, marks, state, copyText });
    Object.assign(this, fairHalf(model));
    if (this.training.length < FEWEST || !this.held.length) {
      replaceChildren(
        panel,
        element(
          "p",
          {},
          `This needs at least ${FEWEST} rows to learn from and some to judge by; the page has fewer.`,
        ),
      );
      return;
    }
    const { impurity } = model.content.grown ?? {};
    this.measure = model.classes ? (impurity === "entropy" ? "entropy" : "Gini") : "variance";
    this.levels = 3;
    this.read();
    this.keep();
    state.on(["tab", "theme", "exchanged"], () => this.show());
    window.addEventListener("hashchange", () => (this.read(), this.show()));
  }

  // A friend's tree comes with the address.
  read() {
    const wanted = new URLSearchParams(window.location.hash.slice(1));
    const levels = Number(wanted.get("levels"));
    if ([2, 3, 4].includes(levels)) this.levels = levels;
    const text = wanted.get("cuts");
    this.restart();
    if (!text) return;
    this.tree = readSplits(this.model, this.training, text, this.levels, this.measure);
    this.isFriends = this.tree.splits.size > 0;
    this.isOver = this.isFriends;
  }

  restart() {
    this.tree = new OwnTree(this.model, this.training, new Map(), this.measure);
    Object.assign(this, { isOver: false, isFriends: false, placed: null, skipped: new Set() });
    this.cut = null;
  }

  keep() {
    const text = written(this.tree.splits);
    this.state.set({ game: this.isOver && text ? { cuts: text, levels: this.levels } : null });
  }

  show() {
    if (this.state.get("tab") !== "yours") return;
    cancelAnimationFrame(this.frame);
    const node = this.open();
    if (this.isOver || !node) this.end();
    else this.ask(node);
  }

  // The next leaf to cut: the highest first, then from left to right.
  open() {
    const leaves = this.tree.nodes.filter(
      ({ split, depth, way, rows }) =>
        !split && depth < this.levels && !this.skipped.has(way) && !isPure(rows),
    );
    return leaves.toSorted((a, b) => a.depth - b.depth)[0] ?? null;
  }

  // ---- one cut

  ask(node) {
    const { model } = this;
    this.width = Math.min(Math.max(this.panel.clientWidth - 30, SIZE.least), SIZE.most);
    if (this.node?.way !== node.way || this.node?.rows !== node.rows || !this.cut) {
      this.node = node;
      this.placed = null;
      const places = this.useful(node.rows);
      if (!places.length) {
        this.skipped.add(node.way);
        this.show();
        return;
      }
      this.places = places;
      this.choose(places.includes(this.feature) ? this.feature : places[0]);
    }
    const depth = node.depth + 1;
    const head = element("h2", {}, "Where would you cut?");
    const where = this.wayWords(node);
    const words = element(
      "p",
      {},
      `Level ${depth} of ${this.levels}, ${where}: ${counted(node.rows.length, "row")}. `,
      node.depth ? "" : this.rulesOfPlay(),
    );
    const feature = element(
      "select",
      { onchange: () => (this.choose(Number(feature.value)), this.show()) },
      this.places.map((place) =>
        element("option", { value: place, selected: place === this.feature }, model.features[place].name),
      ),
    );
    const levels = element(
      "select",
      { onchange: () => ((this.levels = Number(levels.value)), this.show()) },
      [2, 3, 4].map((number) => element("option", { selected: number === this.levels }, String(number))),
    );
    const button = (name, does, isDisabled = false) =>
      element("button", { type: "button", disabled: isDisabled, onclick: does }, name);
    this.cutButton = button("Cut here", () => this.place());
    const tools = element(
      "div",
      { class: "controls" },
      element("label", {}, "feature ", feature),
      element("label", {}, "levels ", levels),
      this.cutButton,
      button("No cut here", () => (this.skipped.add(node.way), (this.cut = null), this.show())),
      button("Let the tree do the rest", () => this.finish()),
      this.tree.splits.size > 0 && button("Start again", () => (this.restart(), this.show())),
    );
    this.picture = element("div", { class: "game-picture" });
    this.said = element("div", { role: "status" });
    const game = element("div", {}, head, words, tools, this.control(), this.picture, this.said);
    replaceChildren(this.panel, element("div", { class: "lesson" }, game, this.soFar()));
    this.draw();
  }

  // What a newcomer needs to know.
  rulesOfPlay() {
    const { classes, content } = this.model;
    const alike = classes ? "boxes of one colour" : "boxes of like colours";
    const what = content.target === "target" ? "what is to be predicted" : isolated(content.target);
    const words = `A dot is a row, its colour ${what}: choose a feature and place the cut that leaves ${alike}. Then see where the tree would cut.`;
    return this.isOwnHalf ? `${words} A third of the rows is held out for the end.` : words;
  }

  // Features in which the rows differ.
  useful(rows) {
    const { features } = this.model;
    return [...features.keys()].filter((place) => {
      const known = rows.map(({ values }) => values[place]).filter((value) => value !== null && value !== -1);
      return known.some((value) => value !== known[0]);
    });
  }

  choose(feature) {
    this.feature = feature;
    const { rows } = this.node;
    if (this.model.features[feature].kind === "categorical") {
      this.tallies = tallyByCode(this.model, rows, feature);
      const codes = [...this.tallies.keys()].toSorted((a, b) => a - b);
      this.cut = { first: new Set(codes.slice(0, codes.length >> 1)), codes };
      return;
    }
    const pairs = rows
      .map(({ values, target }) => [values[feature], target])
      .filter(([value]) => value !== null);
    this.all = new Cuts(pairs, this.model.classes ? this.model.width : null);
    const { sorted, cuts } = this.all;
    this.low = sorted[0][0];
    this.high = sorted.at(-1)[0];
    this.cut = { number: cuts[cuts.length >> 1] };
  }

  split() {
    if (this.cut.first) return twoGroups(this.model, this.node.rows, this.feature, this.cut.first);
    return threshold(this.model, this.feature, this.snapped(this.cut.number));
  }

  // Between two values every cut is the same: it is the one in the middle.
  snapped(number) {
    const { cuts } = this.all;
    return cuts.reduce((best, cut) => (Math.abs(cut - number) < Math.abs(best - number) ? cut : best));
  }

  control() {
    if (this.cut.first) {
      const { categories } = this.model.features[this.feature];
      const boxes = this.cut.codes.map((code) => {
        const box = element("input", { type: "checkbox", checked: this.cut.first.has(code) });
        box.addEventListener(
          "change",
          () => (box.checked ? this.cut.first.add(code) : this.cut.first.delete(code), this.draw()),
        );
        return element("label", {}, box, ` ${categories[code]}`);
      });
      return element("fieldset", { class: "ticks" }, element("legend", {}, "into the left box"), boxes);
    }
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: 1000,
      "aria-label": `the cut of ${this.model.features[this.feature].name}`,
      value: this.shareOf(this.cut.number) * 1000,
      oninput: () => this.moveTo(this.low + ((this.high - this.low) * Number(this.slider.value)) / 1000),
    });
    return this.slider;
  }

  shareOf(number) {
    return this.high > this.low ? (number - this.low) / (this.high - this.low) : 0.5;
  }

  moveTo(number) {
    this.cut.number = Math.min(Math.max(number, this.low), this.high);
    this.draw();
  }

  // Rows by their values on a line, and below it the two boxes.
  draw() {
    const { model, marks } = this;
    const split = this.split();
    const isTold = this.placed !== null;
    const judged = judge(model, this.node.rows, split, this.measure);
    this.cutButton.disabled = isTold || judged.parts.some((part) => !part.length);
    this.dots = this.dotsOf(split);
    const base = SIZE.line;
    const shapes = [
      shape("line", { x1: SIZE.left, x2: this.width - SIZE.left, y1: base, y2: base, class: "axis" }),
      ...this.axis(base),
    ];
    split.answers.forEach((answer, side) => {
      const x = SIZE.left + side * (this.width / 2 - 10);
      const width = this.width / 2 - SIZE.left - 10;
      const count = judged.parts[side].length;
      shapes.push(
        shape("rect", {
          x,
          y: base + 44,
          width,
          height: SIZE.boxes,
          rx: 8,
          fill: marks.theme.soft,
          stroke: marks.theme.edge,
        }),
      );
      const rows = `: ${counted(count, "row")}`;
      const words = fittedIn(answer, [12], width - widthOfText(rows, 12)).words + rows;
      shapes.push(
        shape(
          "text",
          { x: x + width / 2, y: base + 44 + SIZE.boxes + 18, class: "tick", "text-anchor": "middle" },
          words,
        ),
      );
    });
    this.circles = this.dots.map((dot) =>
      shape("circle", {
        cx: dot.x,
        cy: dot.y,
        r: dot.size,
        fill: this.colourOf(dot.row),
        stroke: marks.theme.ground,
        "stroke-width": 0.6,
      }),
    );
    shapes.push(...this.circles);
    if (split.kind === KIND.threshold) {
      shapes.push(this.line(split.threshold, "cut handle"));
      if (
        isTold &&
        this.placed.best?.split.feature === this.feature &&
        this.placed.best.split.kind === KIND.threshold
      )
        shapes.push(this.line(this.placed.best.split.threshold, "cut trees"));
    }
    const picture = shape(
      "svg",
      {
        class: "chart game",
        viewBox: `0 0 ${this.width} ${base + 44 + SIZE.boxes + 26}`,
        role: "img",
        "aria-label": `rows by ${model.features[this.feature].name}`,
      },
      shapes,
    );
    if (split.kind === KIND.threshold && !isTold)
      picture.addEventListener("pointerdown", (event) => this.follow(event));
    replaceChildren(this.picture, picture);
  }

  axis(base) {
    const feature = this.model.features[this.feature];
    const text = (x, words, anchor = "middle") =>
      shape("text", { x, y: base + 17, class: "tick", "text-anchor": anchor }, words);
    const name = shape(
      "text",
      { x: this.width / 2, y: base + 36, class: "tick", "text-anchor": "middle" },
      this.model.classes
        ? shortened(feature.name, 60)
        : `across: ${shortened(feature.name, 40)}; up: ${shortened(this.model.content.target, 30)}`,
    );
    if (this.cut.first)
      return [
        ...this.cut.codes
          .slice(0, MOST_VALUES)
          .map((code) =>
            text(
              this.x(code),
              shortened(
                feature.categories[code],
                Math.max(3, Math.floor(90 / Math.min(this.cut.codes.length, MOST_VALUES))),
              ),
            ),
          ),
        name,
      ];
    if (feature.categories || feature.unit || feature.offset)
      return [
        text(SIZE.left, valueText(feature, this.low), "start"),
        text(this.width - SIZE.left, valueText(feature, this.high), "end"),
        name,
      ];
    return [
      ...roundNumbers(this.low, this.high, 6).map((number) => text(this.x(number), numberText(number))),
      name,
    ];
  }

  line(cut, name) {
    const x = this.x(cut);
    return shape("line", { x1: x, x2: x, y1: 4, y2: SIZE.line, class: name });
  }

  x(value) {
    const room = this.width - 2 * SIZE.left;
    if (this.cut.first) {
      const place = Math.min(this.cut.codes.indexOf(value), MOST_VALUES - 1);
      return SIZE.left + ((place + 0.5) / Math.min(this.cut.codes.length, MOST_VALUES)) * room;
    }
    return SIZE.left + this.shareOf(value) * room;
  }

  colourOf(row) {
    return this.model.classes
      ? this.marks.classColour(row.target)
      : this.marks.numberColour(this.model.shareOf(row.target));
  }

  // Where each row stands, and where it lies once it has fallen.
  dotsOf(split) {
    const known = this.node.rows.filter(
      ({ values }) =>
        values[this.feature] !== null && values[this.feature] >= (this.cut.first ? 0 : -Infinity),
    );
    const shown = spreadOver(
      known.toSorted((a, b) => a.values[this.feature] - b.values[this.feature]),
      MOST_DOTS,
    );
    const size = shown.length > 160 ? 2.6 : 4.2;
    const pitch = 2 * size + 0.8;
    const piles = new Map();
    const boxes = [0, 0];
    const perLine = Math.floor((this.width / 2 - SIZE.left - 26) / pitch);
    const columnOf = (value) => (this.cut.first ? value : Math.round(this.x(value) / pitch));
    const heights = new Map();
    for (const { values } of shown) {
      const column = columnOf(values[this.feature]);
      heights.set(column, (heights.get(column) || 0) + 1);
    }
    const most = Math.floor(SIZE.line / pitch); // rows on top of each other; more stand side by side
    const valueWide =
      Math.floor((this.width - 2 * SIZE.left) / Math.min(this.cut.codes?.length ?? 1, MOST_VALUES) / pitch) -
      1;
    const inBoxes = shown.map(({ values }) => judgeOne(split, values[this.feature]));
    const order = [...shown.keys()].toSorted((a, b) => shown[a].target - shown[b].target);
    const placeInBox = [];
    for (const at of order) placeInBox[at] = boxes[inBoxes[at]]++; // a colour lies together
    return shown.map((row, at) => {
      const value = row.values[this.feature];
      const column = columnOf(value);
      const below = piles.get(column) || 0;
      piles.set(column, below + 1);
      const [side, place] = [inBoxes[at], placeInBox[at]];
      const tall = heights.get(column);
      const wide = Math.max(
        1,
        this.cut.first ? Math.min(valueWide, tall) : this.model.classes ? Math.ceil(tall / most) : 1,
      );
      const aside = ((below % wide) - (wide - 1) / 2) * pitch;
      const up = this.model.classes
        ? Math.floor(below / wide) * pitch
        : this.model.heightOf(row.target) * (SIZE.line - 2 * size);
      return {
        row,
        size,
        x: (this.cut.first ? this.x(value) : column * pitch) + aside,
        y: Math.max(SIZE.line - size - up, size),
        to: [
          SIZE.left + side * (this.width / 2 - 10) + 8 + size + (place % perLine) * pitch,
          SIZE.line + 44 + SIZE.boxes - 6 - size - Math.floor(place / perLine) * pitch,
        ],
      };
    });
  }

  follow(event) {
    const room = { width: this.width, left: SIZE.left, right: SIZE.left };
    followPointer(event, (moved) => {
      const share = shareAlong(moved, this.picture.firstElementChild, room);
      this.slider.value = share * 1000;
      this.moveTo(this.low + share * (this.high - this.low));
    });
  }

  // The cut is placed: rows fall, and the tree says what it would have done.
  place() {
    const { model, node } = this;
    const own = judge(model, node.rows, this.split(), this.measure);
    const best = bestOf(model, node.rows, this.measure, false);
    this.placed = { own, best };
    this.draw();
    this.fall();
    const name = (split) =>
      `${model.features[split.feature].name} ${split.codes ? `= ${split.answers[0]}` : split.answers[0]}`;
    const gain = ({ gain: amount }) => numberText(amount, 3);
    const most = Math.max(best?.gain ?? 0, own.gain, 1e-300);
    const bar = (amount, colour) =>
      element(
        "td",
        { class: "bar" },
        element("span", { css: { width: `${(100 * amount) / most}%`, background: colour } }),
      );
    const line = (who, judged, colour) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, who),
        element("td", {}, name(judged.split)),
        element("td", {}, gain(judged)),
        bar(judged.gain, colour),
      );
    const isAsGood = !best || own.gain >= best.gain * (1 - 1e-9);
    const next = element("button", { type: "button", onclick: () => this.goOn() }, "Go on");
    replaceChildren(
      this.said,
      element(
        "p",
        {},
        element(
          "b",
          {},
          isAsGood ? "As good as the tree." : `The tree gains ${gain(best)} here, you ${gain(own)}.`,
        ),
      ),
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["who", "cut", `gain (${this.measure})`].map((words) => element("th", { scope: "col" }, words)),
            element("td"),
          ),
        ),
        element(
          "tbody",
          {},
          line("you", own, "var(--first)"),
          best && line("the tree", best, "var(--second)"),
        ),
      ),
      next,
    );
    next.focus({ preventScroll: true });
    this.said.scrollIntoView({ block: "nearest" }); // a phone has the boxes and what is said of them in sight
  }

  goOn() {
    this.tree = this.tree.with(this.node.way, this.placed.own.split);
    this.cut = null;
    this.placed = null;
    if (!this.open()) this.isOver = true;
    this.keep();
    this.show();
    this.panel.querySelector("h2").scrollIntoView({ block: "nearest" });
  }

  finish() {
    this.tree = grown(this.tree, this.levels, false);
    this.cut = null;
    this.isOver = true;
    this.keep();
    this.show();
  }

  fall() {
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const begun = performance.now();
    const { dots, circles } = this;
    const tick = (now) => {
      const share = isStill ? 1 : Math.min((now - begun) / FALL, 1);
      dots.forEach(({ x, y, to }, place) => {
        circles[place].setAttribute("cx", x + (to[0] - x) * share);
        circles[place].setAttribute("cy", y + (to[1] - y) * share * share);
      });
      if (share < 1) this.frame = requestAnimationFrame(tick);
    };
    tick(begun);
  }

  wayWords(node) {
    const words = [];
    for (let one = node; one.parent >= 0; one = this.tree.nodes[one.parent]) {
      const { split } = this.tree.nodes[one.parent];
      const answer = split.answers[Number(one.way.split(".").at(-1))];
      words.unshift(`${this.model.features[split.feature].name} ${split.codes ? `= ${answer}` : answer}`);
    }
    return words.join(", ") || "all rows";
  }

  soFar() {
    const { picture } = treePicture(this.tree.asModel(), this.marks, "your tree so far", {
      selected: this.node.id,
      place: 480,
    });
    return element("section", { class: "grown" }, element("h2", {}, "Your tree so far"), picture);
  }

  // ---- both trees

  end() {
    const { model } = this;
    const trees = [
      this.tree,
      grown(new OwnTree(model, this.training, new Map(), this.measure), this.levels, false),
    ].map((tree) => tree.asModel());
    const scores = trees.map((tree) => scoreOf(tree, this.held));
    const text = model.classes
      ? (score) => fineText(score.share)
      : (score) => `R² ${numberText(score.share, 3)}`;
    const who = this.isFriends ? "They" : "You";
    const learned = this.isOwnHalf ? null : scoreOf(model, this.held);
    this.result = `${who} ${text(scores[0])}, tree ${text(scores[1])} on rows neither has seen`;
    const button = (name, does) => element("button", { type: "button", onclick: does }, name);
    const link = () => `${this.result.replace(/^They/, "You")}: ${window.location.href}`;
    const note = [
      `${counted(this.held.length, "row")} held out. The tree was grown on the same ${counted(this.training.length, "row")} by ${this.measure}, to ${this.levels} levels.`,
      model.classes ? "Ringed: wrong." : "Ringed: off by more than the standard deviation of the target.",
      learned &&
        `The tree of this page, with ${counted(model.path.leaves[0], "leaf", "leaves")}: ${text(learned)}.`,
    ];
    const places = placesFor(
      trees.map((tree) => widthOf(tree)),
      this.panel.clientWidth - 40,
    );
    const names = [this.isFriends ? "Their tree" : "Your tree", "The tree"];
    const sides = trees.map((tree, at) => this.side(tree, `${names[at]}: ${text(scores[at])}`, places[at]));
    replaceChildren(
      this.panel,
      element("h2", { class: "result" }, this.result),
      element("p", {}, note.filter(Boolean).join(" ")),
      element(
        "div",
        { class: "controls" },
        button("Let the rows fall again", () => this.drop(sides)),
        button("Copy the link for a friend", (event) => this.copyText(link(), event.currentTarget, "link.txt")),
        button(
          this.isFriends ? "Can you do better?" : "Play again",
          () => (this.restart(), this.keep(), this.show()),
        ),
      ),
      element(
        "div",
        { class: "beside" },
        sides.map(({ section }) => section),
      ),
    );
    this.drop(sides);
  }

  side(tree, title, place) {
    const ways = this.held.map((row) => tree.pathOf(row.values).map(({ node }) => node));
    const piles = new Map();
    const dots = spreadOver([...this.held.keys()], MOST_DOTS).map((index, order, all) => {
      const way = ways[index];
      const pile = piles.get(way.at(-1)) || 0;
      piles.set(way.at(-1), pile + 1);
      const row = this.held[index];
      return {
        row,
        way,
        pile,
        isWrong: isWrong(tree, row, this.spread),
        begins: (SPREAD * order) / all.length,
      };
    });
    const room = 16 + Math.ceil(Math.max(...piles.values(), 0) / PER_LINE) * 10.4;
    const { picture, layout } = treePicture(tree, this.marks, title, { room, place });
    const circles = dots.map(({ row, isWrong: isRinged }) =>
      shape("circle", {
        class: isRinged ? "ringed" : null,
        r: 4.4,
        fill: this.colourOf(row),
        stroke: isRinged ? this.marks.theme.ink : this.marks.theme.ground,
        "stroke-width": isRinged ? 2 : 0.6,
      }),
    );
    picture.append(...circles);
    const section = element(
      "section",
      { css: { flex: `${place} 1 280px` } },
      element("h3", {}, title),
      picture,
    );
    return { section, dots, circles, layout };
  }

  get spread() {
    const targets = this.training.map(({ target }) => target);
    const mean = meanOf(targets);
    return Math.sqrt(meanOf(targets.map((target) => (target - mean) ** 2)));
  }

  drop(sides) {
    cancelAnimationFrame(this.frame);
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const longest = Math.max(
      ...sides.flatMap(({ dots }) => dots.map(({ way, begins }) => begins + way.length * LEVEL)),
      0,
    );
    const begun = performance.now();
    const tick = (now) => {
      const time = isStill ? Infinity : now - begun;
      for (const { dots, circles, layout } of sides)
        dots.forEach((dot, place) => {
          const [x, y] = placeOf(dot, layout, Math.max(time - dot.begins, 0));
          circles[place].setAttribute("cx", x);
          circles[place].setAttribute("cy", y);
          circles[place].setAttribute("visibility", time < dot.begins ? "hidden" : "visible");
        });
      if (time < longest + 100) this.frame = requestAnimationFrame(tick);
    };
    tick(begun);
  }
}

function judgeOne(split, value) {
  return split.codes ? split.branches[split.codes.indexOf(value)] : Number(value > split.threshold);
}

function isWrong(tree, row, spread) {
  if (tree.classes) return tree.classOf(row.values) !== row.target;
  return Math.abs(tree.predict(row.values)[0] - row.target) > spread;
}
