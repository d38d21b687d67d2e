// Path view: the slider over the whole cost-complexity path, and the losses of its trees as curves.

import { chart, linePath, widthIn } from "../drawing/charts.js";
import { widthOfText } from "../drawing/strokes.js";
import { pruneByHand } from "../model/replace_tree.js";
import { counted, element, numberText, replaceChildren, roundNumbers, shape } from "../elements/text.js";

const SIZE = { width: 660, height: 130, left: 48, right: 16, bottom: 22 };
const LINE = 16; // of names above the curves

export class PathView {
  #playing = null;

  constructor({ slider, play, words, curves, choices }, model, marks, state, copy) {
    Object.assign(this, { slider, play, words, curves, choices, model, marks, state, copy });
    slider.addEventListener("input", () => state.set({ step: model.lastStep - Number(slider.value) }));
    play.addEventListener("click", () => this.playOrStop());
    curves.addEventListener("click", (event) => this.pick(event));
    state.on(["step"], () => this.render());
    state.on(["exchanged"], () => this.begin());
    state.on(["theme"], () => this.drawCurves());
    state.on(["tab", "room"], () => {
      if (curves.clientWidth && widthIn(curves, SIZE.width) !== this.width) this.drawCurves();
    });
    this.begin();
  }

  begin() {
    this.slider.max = this.model.lastStep;
    this.series = this.measured();
    this.drawCurves();
    this.render();
  }

  // The curves there are: training rows always, validation rows and cross-validation where they were given.
  measured() {
    const { path } = this.model;
    const series = [{ name: "training rows", mean: path.training, colour: 0 }];
    if (path.validation) series.push({ name: this.model.heldName, ...path.validation, colour: 1 });
    if (path.cross_validation) series.push({ name: "cross-validation", ...path.cross_validation, colour: 2 });
    return series;
  }

  // The best tree, and the smallest within one standard error of it (Breiman et al., 1984).
  marked({ mean, se }) {
    let best = 0;
    mean.forEach((risk, step) => (best = risk <= mean[best] ? step : best));
    let small = best;
    mean.forEach((risk, step) => (small = risk <= mean[best] + se[best] ? step : small));
    return { best, small };
  }

  render() {
    const { model, state, slider } = this;
    const step = state.get("step");
    const isCut = model.cut.size > 0;
    const leaves = isCut ? model.leaves(step).length : model.path.leaves[step];
    slider.value = model.lastStep - step;
    const risks = isCut
      ? Object.entries(model.risks(step)).map(([name, risk]) => `${name} ${this.model.riskText(risk)}`)
      : this.series.map(({ name, mean }) => `${name} ${this.model.riskText(mean[step])}`);
    slider.setAttribute(
      "aria-valuetext",
      `${counted(leaves, "leaf", "leaves")}, ${model.lossName()} on ${risks.join(", ")}`,
    );
    replaceChildren(
      this.words,
      `${counted(leaves, "leaf", "leaves")} of ${model.path.leaves[0]}${this.price(step)} · ${model.lossName()}: ${risks.join(" · ")}`,
      isCut && this.restore(),
      this.python(step),
    );
    if (this.here) (this.here.setAttribute("x1", this.x(step)), this.here.setAttribute("x2", this.x(step)));
  }

  price(step) {
    const alpha = this.model.alphaAt(step);
    return alpha === null ? "" : ` · alpha ${alpha}`;
  }

  // What gives the tree of this step in Python.
  python(step) {
    const alpha = this.model.alphaAt(step);
    if (alpha === null || this.model.cut.size || this.model.content.forest) return null;
    const words = `import treewright as tw\n\npruned = tw.prune(model, tw.pruning.CostComplexity(alpha=${alpha}))\n`;
    return element(
      "button",
      { type: "button", class: "link", title: words, onclick: (event) => this.copy(words, event.currentTarget, "prune.py") },
      "Copy Python",
    );
  }

  restore() {
    const words = `restore ${counted(this.model.cut.size, "node")} pruned by hand`;
    const all = () => pruneByHand(this.model, this.state, []);
    return element("button", { type: "button", class: "link", onclick: all }, words);
  }

  x(step) {
    const leaves = this.model.path.leaves;
    const share = Math.log(leaves[step]) / (Math.log(leaves[0]) || 1);
    return SIZE.left + share * (this.width - SIZE.left - SIZE.right);
  }

  y(risk) {
    return SIZE.height - SIZE.bottom - (risk / this.top) * (SIZE.height - this.head - SIZE.bottom);
  }

  drawCurves() {
    const { model, marks } = this;
    this.top =
      Math.max(
        ...this.series.flatMap(({ mean, se }) => mean.map((risk, step) => risk + (se ? se[step] : 0))),
      ) || 1;
    this.width = widthIn(this.curves, SIZE.width);
    const names = this.names();
    const shapes = [...this.axes(), ...names];
    this.series.forEach(({ name, mean, se, colour }) => {
      const fill = marks.line(colour);
      if (se) {
        const upper = mean.map((risk, step) => [this.x(step), this.y(risk + se[step])]);
        const lower = mean
          .map((risk, step) => [this.x(step), this.y(Math.max(risk - se[step], 0))])
          .reverse();
        shapes.push(shape("path", { d: `${linePath([...upper, ...lower])}z`, fill, opacity: 0.15 }));
      }
      shapes.push(
        shape("path", {
          d: linePath(mean.map((risk, step) => [this.x(step), this.y(risk)])),
          fill: "none",
          stroke: fill,
          "stroke-width": 2,
        }),
      );
    });
    this.here = shape("line", { y1: this.head, y2: SIZE.height - SIZE.bottom, class: "here" });
    shapes.push(...this.choiceMarks(), this.here);
    replaceChildren(
      this.curves,
      chart(
        this.width,
        SIZE.height,
        "Loss of every pruning of the tree against its number of leaves",
        shapes,
      ),
    );
    this.render();
  }

  // The names of the curves above them, in as many lines as they need; the curves begin below.
  names() {
    let [x, y] = [SIZE.left, 4];
    const shapes = this.series.flatMap(({ name, colour }) => {
      const wide = 16 + widthOfText(name, 12);
      if (x > SIZE.left && x + wide > this.width) [x, y] = [SIZE.left, y + LINE];
      const key = [
        shape("rect", { x, y, width: 10, height: 10, rx: 2, fill: this.marks.line(colour) }),
        shape("text", { x: x + 15, y: y + 9, class: "tick" }, name),
      ];
      x += wide + 14;
      return key;
    });
    this.head = y + LINE + 4;
    return shapes;
  }

  axes() {
    const ticks = new Set([0, middleStep(this.model), this.model.lastStep]);
    const shapes = [
      shape("line", {
        x1: SIZE.left,
        x2: this.width - SIZE.right,
        y1: this.y(0),
        y2: this.y(0),
        class: "axis",
      }),
    ];
    for (const step of ticks) {
      shapes.push(
        shape(
          "text",
          { x: this.x(step), y: SIZE.height - 6, class: "tick", "text-anchor": "middle" },
          numberText(this.model.path.leaves[step]),
        ),
      );
    }
    for (const risk of roundNumbers(0, this.top)) {
      shapes.push(
        shape(
          "text",
          { x: SIZE.left - 6, y: this.y(risk) + 4, class: "tick", "text-anchor": "end" },
          this.model.riskTick(risk),
        ),
      );
    }
    return shapes;
  }

  choiceMarks() {
    const judged = this.series.filter(({ se }) => se);
    const buttons = [];
    const shapes = judged.flatMap((line) => {
      const { best, small } = this.marked(line);
      buttons.push(
        this.choice(`least ${this.model.lossName()}, ${line.name}`, best),
        this.choice(`within 1 SE, ${line.name}`, small),
      );
      const fill = this.marks.line(line.colour);
      return [
        shape("circle", { cx: this.x(best), cy: this.y(line.mean[best]), r: 5, fill }),
        shape("path", { d: diamond(this.x(small), this.y(line.mean[small])), fill }),
      ];
    });
    replaceChildren(this.choices, buttons);
    return shapes;
  }

  choice(words, step) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(`${words}: ${counted(this.model.path.leaves[step], "leaf", "leaves")}`);
    button.addEventListener("click", () => this.state.set({ step }));
    return button;
  }

  pick(event) {
    const box = this.curves.firstElementChild.getBoundingClientRect();
    const scale = Math.min(box.width / this.width, box.height / SIZE.height);
    const x = (event.clientX - box.left - (box.width - this.width * scale) / 2) / scale;
    const steps = this.model.path.leaves.map((_, step) => step);
    const step = steps.reduce((best, other) =>
      Math.abs(this.x(other) - x) < Math.abs(this.x(best) - x) ? other : best,
    );
    this.state.set({ step });
  }

  // Let the tree grow from its root to its full size, a step at a time.
  playOrStop() {
    if (this.#playing !== null) return this.stop();
    const steps = this.model.lastStep;
    this.play.setAttribute("aria-pressed", "true");
    this.play.textContent = "Stop";
    let step = steps;
    const stride = Math.max(1, Math.round(steps / 120));
    this.#playing = setInterval(() => {
      this.state.set({ step });
      if (step === 0) this.stop();
      step = Math.max(0, step - stride);
    }, 260);
  }

  stop() {
    clearInterval(this.#playing);
    this.#playing = null;
    this.play.setAttribute("aria-pressed", "false");
    this.play.textContent = "Grow";
  }
}

// The step whose number of leaves is nearest to the middle of the axis.
function middleStep(model) {
  const wanted = Math.sqrt(model.path.leaves[0]);
  return model.path.leaves.reduce(
    (best, leaves, step) =>
      Math.abs(leaves - wanted) < Math.abs(model.path.leaves[best] - wanted) ? step : best,
    0,
  );
}

function diamond(x, y) {
  return `M${x} ${y - 7}L${x + 6} ${y}L${x} ${y + 7}L${x - 6} ${y}z`;
}
