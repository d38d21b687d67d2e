// Slides: each step by which the tree was grown as a picture, to show, to save and to print.

import { candidates, isSame } from "../model/candidates.js";
import { OwnTree } from "../model/own_tree.js";
import { chipShape, featureCard, WIDTH } from "../drawing/feature_card.js";
import { treePicture } from "../drawing/small_tree.js";
import { FONT } from "../drawing/strokes.js";
import { element, replaceChildren, shape, shortened } from "../elements/text.js";

const SIZE = { width: 1280, height: 720 };
const MOST = 60;
const PAD = 40;

export class Slides {
  constructor(lesson, download) {
    Object.assign(this, { lesson, download, at: 0, pictures: [] });
    const button = (words, does) => element("button", { type: "button", onclick: does }, words);
    this.back = button("Previous", () => this.show(this.at - 1));
    this.next = button("Next", () => this.show(this.at + 1));
    this.words = element("span", { role: "status" });
    this.frame = element("div", { class: "slide" });
    const tools = element(
      "div",
      { class: "controls" },
      button("Back to the cards", () => this.close()),
      this.back,
      this.next,
      this.words,
      button("Save this picture (SVG)", () => this.save()),
      button("Print all or PDF", () => this.print()),
    );
    this.place = element("div", { hidden: true, onkeydown: (event) => this.turn(event) }, tools, this.frame);
  }

  open() {
    this.opener = document.activeElement;
    this.pictures = this.draw();
    this.lesson.lesson.hidden = true;
    this.place.hidden = false;
    this.show(0);
    this.next.focus();
  }

  close() {
    const had = this.place.contains(document.activeElement);
    this.lesson.lesson.hidden = false;
    this.place.hidden = true;
    if (had) this.opener?.focus();
  }

  turn(event) {
    const step = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
    if (step) (event.preventDefault(), this.show(this.at + step));
    if (event.key === "Escape") this.close();
  }

  show(at) {
    this.at = Math.min(Math.max(at, 0), this.pictures.length - 1);
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === this.pictures.length - 1;
    this.words.textContent = `${this.at + 1} of ${this.pictures.length}`;
    replaceChildren(this.frame, this.pictures[this.at]);
  }

  save() {
    const text = new XMLSerializer().serializeToString(this.pictures[this.at]);
    this.download(`step-${this.at + 1}.svg`, text, "image/svg+xml");
  }

  // All pictures, one a page, light as paper is.
  print() {
    const paper = document.getElementById("slides");
    document.documentElement.classList.add("paper");
    this.lesson.marks.refresh();
    replaceChildren(
      paper,
      this.draw().map((picture) => element("div", {}, picture)),
    );
    replaceChildren(this.frame); // its hatchings would be found first, and not seen
    document.body.classList.add("printing-slides");
    const done = () => {
      document.body.classList.remove("printing-slides");
      replaceChildren(paper);
      this.show(this.at);
    };
    window.addEventListener("afterprint", done, { once: true });
    window.print();
  }

  // A picture for each split of the tree, parents before their branches, and one of the whole tree.
  draw() {
    const { model, measure } = this.lesson;
    const rows = model.trainingRowsAt(0);
    let tree = new OwnTree(model, rows, new Map(), measure);
    const pictures = [];
    for (let node = 0; node < model.size && pictures.length < MOST; node++) {
      const split = model.splits[node];
      if (!split) continue;
      const here = tree.at(model.branchesTo(node).join("."));
      pictures.push(this.picture(tree, here, split, pictures.length + 1));
      tree = tree.with(here.way, split);
    }
    return [...pictures, this.last(tree)];
  }

  picture(tree, node, split, step) {
    const { lesson } = this;
    const { model, marks, measure } = lesson;
    const ranked = candidates(model, node.rows, measure, lesson.isMultiway);
    const largest = ranked[0]?.gain ?? 0;
    const shown = ranked.slice(0, 4);
    const own = ranked.find((one) => one.split.feature === split.feature);
    if (own && !shown.includes(own)) shown[shown.length - 1] = own;
    const cards = shown.map((judged) => ({
      ...featureCard(model, marks, judged, {
        measure,
        largest,
        isChosen: isSame(judged.split, split) || judged === own,
      }),
    }));
    const tallest = Math.max(...cards.map(({ height }) => height), 1);
    const columns = Math.min(cards.length, 2);
    const lines = Math.ceil(cards.length / columns);
    const scale = Math.min(560 / (columns * (WIDTH + 12)), 560 / (lines * (tallest + 12)), 1.3);
    const placed = cards.map((card, place) => {
      const [x, y] = [place % columns, Math.floor(place / columns)];
      const chips = card.chips.map((chip) => chipShape(model, marks, chip));
      const move = `translate(${PAD + x * (WIDTH + 12) * scale} ${120 + y * (tallest + 12) * scale}) scale(${scale})`;
      return shape("g", { transform: move }, card.shapes, chips);
    });
    const words = lesson.wordsOf(tree, node);
    const title = `Step ${step}. ${words}: split on ${lesson.nameOf(split)}`;
    const grown = this.fitted(
      tree.with(node.way, split),
      node.id,
      PAD + 600,
      120,
      SIZE.width - 2 * PAD - 600,
      560,
    );
    return this.frameOf(title, lesson.holding(node.rows), [...placed, grown]);
  }

  last(tree) {
    const whole = this.fitted(tree, -1, PAD, 120, SIZE.width - 2 * PAD, 560);
    return this.frameOf("The whole tree", this.lesson.model.content.title, [whole]);
  }

  // A tree as large as there is room for.
  fitted(tree, selected, x, y, width, height) {
    const { picture } = treePicture(tree.asModel(), this.lesson.marks, "tree", { selected });
    for (const [name, value] of Object.entries({ x, y, width, height, preserveAspectRatio: "xMidYMin meet" }))
      picture.setAttribute(name, value);
    return picture;
  }

  frameOf(title, note, shapes) {
    const { theme } = this.lesson.marks;
    const text = (y, size, fill, words, weight) =>
      shape(
        "text",
        { x: PAD, y, "font-size": size, "font-family": FONT, "font-weight": weight, fill },
        shortened(words, Math.floor(2000 / size)),
      );
    return shape(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        viewBox: `0 0 ${SIZE.width} ${SIZE.height}`,
        role: "img",
        "aria-label": title,
      },
      shape("rect", { ...SIZE, fill: theme.ground }),
      text(58, 28, theme.ink, title, 600),
      text(92, 18, theme.pale, note),
      shapes,
    );
  }
}
