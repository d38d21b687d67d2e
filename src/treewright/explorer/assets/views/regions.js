// Regions: what the tree, as it is pruned now, says in the plane of two features; the rest stands still.

import { widthIn } from "../drawing/charts.js";
import { counted, dayOf, element, isDate, numberText, replaceChildren, roundNumbers, valueText } from "../elements/text.js";

const CELLS = 180;
const MANY = 2000; // nodes
const PLOT = { width: 640, height: 460, left: 76, bottom: 44, right: 10, top: 10 };

export class Regions {
  constructor(panel, model, marks, state) {
    Object.assign(this, { panel, model, marks, state });
    this.numeric = model.features
      .map((_, place) => place)
      .filter((place) => model.features[place].kind !== "categorical" && model.features[place].low !== null);
    if (this.numeric.length < 2) {
      replaceChildren(
        panel,
        element("p", {}, "Regions are drawn in the plane of two features with numbers, and this table has fewer: Rules and What if are for all kinds."),
      );
      return;
    }
    this.plane = this.mostUsed();
    this.slice = null;
    this.build();
    state.on(["exchanged"], () => this.followTree());
    state.on(["exchanged", "step", "tab", "row", "values", "theme", "room"], () => this.render());
  }

  // Another tree is shown in the plane of its own features, unless the reader has chosen one.
  followTree() {
    if (this.isChosen) return;
    this.plane = this.mostUsed();
    this.build();
  }

  mostUsed() {
    const used = new Map(this.numeric.map((place) => [place, 0]));
    this.model.splits.forEach((split, node) => {
      for (const feature of split ? (split.features ?? [split.feature]) : [])
        if (used.has(feature))
          used.set(feature, used.get(feature) + this.model.weight[node] * this.model.merit[node]);
    });
    return this.numeric
      .toSorted((a, b) => used.get(b) - used.get(a))
      .slice(0, 2)
      .sort((a, b) => a - b);
  }

  build() {
    const choose = (axis, words) => {
      const options = this.numeric.map((place) =>
        element(
          "option",
          { value: place, selected: place === this.plane[axis] },
          this.model.features[place].name,
        ),
      );
      const select = element(
        "select",
        { onchange: () => ((this.plane[axis] = Number(select.value)), (this.isChosen = true), this.render()) },
        options,
      );
      return element("label", {}, words, select);
    };
    this.canvas = element("canvas", { role: "img" });
    this.words = element("p", { class: "pale" });
    replaceChildren(
      this.panel,
      element("div", { class: "controls" }, choose(0, "across "), choose(1, "up "), this.slicing()),
      this.canvas,
      this.words,
    );
  }

  // A third feature to move: the plane cuts through it where it stands.
  slicing() {
    const { model } = this;
    const through = model.features.map((_, place) => place).filter((place) => reachOf(model.features[place]));
    const range = element("input", { type: "range", "aria-label": "where the plane cuts", hidden: true });
    const words = element("output", {});
    const move = () => {
      this.slice.value = Number(range.value);
      words.textContent = valueText(model.features[this.slice.place], this.slice.value);
      this.render();
    };
    const choose = () => {
      this.slice = select.value === "" ? null : { place: Number(select.value) };
      range.hidden = !this.slice;
      if (!this.slice) return ((words.textContent = ""), this.render());
      const [low, high, step] = reachOf(model.features[this.slice.place]);
      Object.assign(range, { min: low, max: high, step, value: this.rest()[this.slice.place] ?? low });
      return move();
    };
    const select = element(
      "select",
      { onchange: choose },
      element("option", { value: "" }, "nothing else"),
      through.map((place) => element("option", { value: place }, model.features[place].name)),
    );
    range.addEventListener("input", move);
    return [element("label", {}, "cut by ", select), range, words];
  }

  // Where all features stand that the plane does not show.
  rest() {
    const { state, model } = this;
    return (state.get("values") ?? state.get("row")?.values ?? model.middleRow()).slice();
  }

  where() {
    const { state } = this;
    if (state.get("values")) return "as they were typed in under “What if”";
    return state.get("row") ? "at those of the row that was picked" : "at their middle";
  }

  render() {
    if (this.state.get("tab") !== "regions") return;
    const { canvas, model } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = widthIn(this.panel, PLOT.width, 30);
    this.plot = { ...PLOT, width, height: Math.max(Math.round((PLOT.height / PLOT.width) * width), 300) };
    [canvas.width, canvas.height] = [width * ratio, this.plot.height * ratio];
    Object.assign(canvas.style, { width: `${width}px`, height: `${this.plot.height}px` });
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const names = this.plane.map((place) => model.features[place].name);
    canvas.setAttribute("aria-label", `What the tree predicts by ${names[0]} and ${names[1]}`);
    this.paint(context);
    this.points(context);
    this.axes(context, names);
    const beyond = this.layer.beyond ? ` ${counted(this.layer.beyond, "row")} beyond the axes ${this.layer.beyond === 1 ? "stands" : "stand"} at the edge.` : "";
    replaceChildren(this.words, `All other features stand ${this.where()}.${beyond}`);
  }

  reach(axis) {
    const { low, high } = this.model.features[this.plane[axis]];
    const room = 0.05 * (high - low) || 0.5;
    return [low - room, high + room];
  }

  // While a slider moves a large tree, the plane is painted roughly, and finely once it rests.
  cells(step) {
    clearTimeout(this.waiting);
    const isRough = step !== this.painted && this.model.visible(step).length > MANY;
    this.painted = step;
    if (isRough) this.waiting = setTimeout(() => this.render(), 150);
    return isRough ? CELLS / 4 : CELLS;
  }

  // Every cell asks the tree; what it says is a colour, stronger where it is surer.
  paint(context) {
    const { model, plane } = this;
    const step = this.state.get("step");
    const size = this.cells(step);
    const row = this.rest();
    if (this.slice) row[this.slice.place] = this.slice.value;
    const [[left, right], [bottom, top]] = [this.reach(0), this.reach(1)];
    const cells = document.createElement("canvas");
    [cells.width, cells.height] = [size, size];
    const drawn = cells.getContext("2d");
    const known = model.equations ? null : new Map();
    for (let across = 0; across < size; across++) {
      row[plane[0]] = left + ((right - left) * (across + 0.5)) / size;
      for (let up = 0; up < size; up++) {
        row[plane[1]] = bottom + ((top - bottom) * (up + 0.5)) / size;
        [drawn.globalAlpha, drawn.fillStyle] = this.paintOf(row, step, known);
        drawn.fillRect(across, size - 1 - up, 1, 1);
      }
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(
      cells,
      this.plot.left,
      this.plot.top,
      this.plot.width - this.plot.left - this.plot.right,
      this.plot.height - this.plot.top - this.plot.bottom,
    );
  }

  // How strong a cell is and its colour; rows that end in the same leaf look alike, unless it has an equation.
  paintOf(row, step, known) {
    const { model, marks } = this;
    const end = known ? model.endOf(row, step) : -1;
    if (known?.has(end)) return known.get(end);
    const said = model.predict(row, step);
    const code = model.classes ? (model.byHand.size ? model.classOf(row, step) : model.best(said)) : 0;
    const paint = model.classes
      ? [0.12 + 0.4 * said[code], marks.classColour(code)]
      : [0.75, marks.numberColour((said[0] - model.lowest) / (model.highest - model.lowest || 1))];
    if (end >= 0) known.set(end, paint);
    return paint;
  }

  // The rows stay where they are while pruning moves: they are drawn once, and put over what the tree says.
  points(context) {
    const { canvas, model, plane, state, marks } = this;
    const known = [...plane, canvas.width, state.get("row"), state.get("theme"), state.get("exchanged"), model.rows];
    if (!this.layer || known.some((one, at) => one !== this.layer.known[at])) {
      const drawn = document.createElement("canvas");
      [drawn.width, drawn.height] = [canvas.width, canvas.height];
      const above = drawn.getContext("2d");
      above.setTransform(context.getTransform());
      this.layer = { known, drawn, beyond: this.drawPoints(above, marks) };
    }
    context.save();
    context.resetTransform();
    context.drawImage(this.layer.drawn, 0, 0);
    context.restore();
  }

  // Rows that other rows' range does not hold are drawn at the edge; how many there are is given back.
  drawPoints(context, marks) {
    const { model, plane } = this;
    const ends = [
      [this.plot.left, this.plot.width - this.plot.right],
      [this.plot.top, this.plot.height - this.plot.bottom],
    ];
    let beyond = 0;
    const picked = this.state.get("row");
    for (const row of model.rows) {
      const [x, y] = plane.map((place, axis) =>
        row.values[place] === null ? null : this.onPage(axis, row.values[place]),
      );
      if (x === null || y === null) continue;
      const [across, down] = [x, y].map((at, axis) => Math.min(Math.max(at, ends[axis][0]), ends[axis][1]));
      if (across !== x || down !== y) beyond += 1;
      const share = (row.target - model.lowest) / (model.highest - model.lowest || 1);
      this.dot(
        context,
        across,
        down,
        model.classes ? marks.classColour(row.target) : marks.numberColour(share),
        row === picked ? 7 : 3.5,
      );
    }
    return beyond;
  }

  dot(context, x, y, colour, radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = this.marks.theme.ground;
    context.stroke();
  }

  onPage(axis, number) {
    const [low, high] = this.reach(axis);
    const share = (number - low) / (high - low);
    if (axis === 0) return this.plot.left + share * (this.plot.width - this.plot.left - this.plot.right);
    return this.plot.height - this.plot.bottom - share * (this.plot.height - this.plot.top - this.plot.bottom);
  }

  axes(context, names) {
    const { model, plane, marks } = this;
    context.fillStyle = marks.theme.ink;
    context.font = "12px system-ui, sans-serif";
    const [across, up] = plane.map((place) => model.features[place]);
    context.textAlign = "center";
    const most = Math.max(2, Math.floor((this.plot.width - this.plot.left) / 65));
    for (const number of ticksOf(across, most))
      context.fillText(tickText(across, number), this.onPage(0, number), this.plot.height - this.plot.bottom + 16);
    context.textAlign = "right";
    for (const number of ticksOf(up))
      context.fillText(tickText(up, number), this.plot.left - 6, this.onPage(1, number) + 4);
    context.font = "600 13px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(names[0].slice(0, 60), (this.plot.left + this.plot.width) / 2, this.plot.height - 6);
    context.save();
    context.translate(14, this.plot.height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(names[1].slice(0, 60), 0, 0);
    context.restore();
  }
}

// From where to where a feature can be moved, and by what steps; null if nobody knows.
function reachOf(feature) {
  if (feature.kind === "categorical") {
    const last = (feature.categories?.length ?? 0) - 1;
    return last > 0 ? [0, last, 1] : null;
  }
  const { low, high, whole } = feature;
  return low === null || low === undefined || low === high
    ? null
    : [low, high, whole ? 1 : (high - low) / 200];
}

// Where an axis is written at: at round numbers, at five dates, or at categories, of many at some.
function ticksOf(feature, most = 8) {
  const { low, high, offset = 0, categories } = feature;
  if (feature.unit) return timesOf(feature, most).map((time) => time - offset);
  const numbers = roundNumbers(low + offset, high + offset, Math.min(most, 8)).map((number) => number - offset);
  return categories ? numbers.filter(Number.isInteger) : numbers;
}

// Five times, or fewer where there is no room, of dates that are days apart whole days.
function timesOf(feature, most) {
  const { low, high, offset = 0 } = feature;
  const shares = most > 5 ? [0, 0.25, 0.5, 0.75, 1] : most > 3 ? [0, 0.5, 1] : [0, 1];
  const times = shares.map((share) => low + offset + share * (high - low));
  const day = isDate(feature) ? dayOf(feature) : NaN;
  return high - low >= 8 * day ? times.map((time) => Math.round(time / day) * day) : times;
}

function tickText(feature, number) {
  return feature.categories || feature.unit || feature.offset
    ? valueText(feature, number)
    : numberText(number, 3);
}
