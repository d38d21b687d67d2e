// Main: puts the page together, and keeps what was chosen in its address.

import { Caption } from "./views/caption.js";
import { Card } from "./views/node_card.js";
import { Compare } from "./views/compare_nodes.js";
import { lightWay } from "./model/folding.js";
import { keepPrice } from "./model/replace_tree.js";
import { download, exports } from "./elements/export.js";
import { Falling } from "./drawing/row_animation.js";
import { Forest } from "./model/forest.js";
import { ForestView } from "./views/forest_view.js";
import { Marks } from "./drawing/marks.js";
import { Model } from "./model/model.js";
import { Outline } from "./views/outline.js";
import { preparePaper } from "./drawing/printing.js";
import { PathView } from "./views/path_view.js";
import { Quality } from "./views/quality.js";
import { Regions } from "./views/regions.js";
import { RowsView } from "./views/rows_view.js";
import { RulesView } from "./views/rules_view.js";
import { Search } from "./views/search.js";
import { SideBySide, hasOthers } from "./views/side_by_side.js";
import { State } from "./model/state.js";
import { Sunburst } from "./views/sunburst.js";
import { Teach, isLecture } from "./views/teach.js";
import { TreeView } from "./views/tree_view.js";
import { WhatIf } from "./views/what_if.js";
import { YourTree } from "./views/your_tree.js";
import { element, isolated, numberText, replaceChildren } from "./elements/text.js";

const TABS = {
  tree: "Tree",
  sunburst: "Sunburst",
  regions: "Regions",
  rules: "Rules",
  rows: "Rows",
  "what-if": "What if",
  quality: "Quality",
  beside: "Side by side",
  forest: "Forest",
  teach: "Teach",
  yours: "Your tree",
};

// Views that have the page to themselves, without outline, card and pruning.
const ALONE = ["beside", "teach", "yours"];

export const at = (id) => document.getElementById(id);

function start() {
  const content = JSON.parse(at("content").textContent);
  const model = new Model(content);
  const state = new State({
    node: 0,
    step: 0,
    alpha: null,
    folded: new Set(),
    foldsItself: true,
    topDown: true,
    lit: null,
    why: null,
    only: null,
    row: null,
    values: null,
    pinned: null,
    exchanged: null,
    member: 0,
    game: null,
    tab: isLecture(model) ? "teach" : "tree",
    theme: 0,
    room: null, // that charts have
  });
  keepPrice(model, state);
  const forest = content.forest && new Forest(model, state);
  const started = { ...state.values };
  readAddress(model, state);
  const isLinked = ["tab", "node", "step"].some((name) => state.get(name) !== started[name]);
  const marks = new Marks(model, content.colours);
  Object.assign(at("title"), { textContent: content.title, title: content.title });
  buildTabs(model, state);
  const treeView = new TreeView(
    at("canvas"),
    { map: at("map"), frame: at("map-frame") },
    model,
    marks,
    state,
  );
  Object.assign(state.values, {
    fold: (node) => treeView.fold(node),
    pick: (row) => pickRow(model, state, row),
  });
  new Outline(at("outline"), model, state);
  new Search(at("search"), model, state);
  new Card(at("card"), model, marks, state);
  new Compare(at("compare"), model, marks, state);
  new PathView(
    {
      slider: at("slider"),
      play: at("play"),
      words: at("path-words"),
      curves: at("path-curves"),
      choices: at("path-choices"),
    },
    model,
    marks,
    state,
    copyText,
  );
  new Sunburst(at("panel-sunburst"), model, marks, state);
  new Regions(at("panel-regions"), model, marks, state);
  new RulesView(at("panel-rules"), model, marks, state, copyText);
  new RowsView(at("panel-rows"), model, state, download, forest);
  new WhatIf(at("panel-what-if"), model, marks, state, forest);
  new Quality(at("panel-quality"), model, marks, state, forest);
  if (hasOthers(content)) new SideBySide(at("panel-beside"), model, content, marks, state);
  new Teach(at("panel-teach"), model, marks, state, download);
  if (!forest) new YourTree(at("panel-yours"), model, marks, state, copyText);
  const forestView =
    forest && new ForestView({ panel: at("panel-forest"), picker: at("forest") }, forest, marks, state);
  buildTools(model, state, treeView, marks);
  buildLegend(model, marks);
  state.on(["exchanged", "theme"], () => buildLegend(model, marks));
  announce(model, state, treeView);
  new Caption(at("caption"), model, state);
  openSheet(state);
  foldPruning(model, state);
  follow(model, state, marks, treeView);
  preparePaper(at("paper"), treeView, marks, state);
  dropHint();
  const { tab } = state.values;
  state.values.tab = null;
  state.set({ tab }); // every view draws itself once
  if (isLinked) bringIntoSight();
  document.body.dataset.ready = "true";
  return { model, state, forestView };
}

function pickRow(model, state, row) {
  const way = model.pathOf(row.values, state.get("step"));
  lightWay(
    state,
    way.map(({ node }) => node),
    { row, node: way.at(-1).node, why: { words: `the path of row ${row.id}`, rows: [row] } },
  );
}

// Below a report the explorer begins out of sight: whoever opens a view, or a link to one, sees all of it.
function bringIntoSight() {
  if (at("report")) document.querySelector(".app").scrollIntoView({ block: "nearest" });
}

// ---- tabs and tools

function buildTabs(model, state) {
  const { content, rows } = model;
  const isThere = { forest: content.forest, beside: hasOthers(content), yours: rows.length && !content.forest };
  const shown = Object.entries(TABS).filter(([key]) => !(key in isThere) || isThere[key]);
  const tabs = shown.map(([key, name]) =>
    element(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${key}`,
        "aria-controls": `panel-${key}`,
        onclick: () => (state.set({ tab: key }), bringIntoSight()),
      },
      name,
    ),
  );
  const keys = shown.map(([key]) => key);
  replaceChildren(at("tabs"), tabs);
  at("tabs").addEventListener("keydown", (event) => {
    const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const place = keys.indexOf(state.get("tab"));
    const next =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? keys.length - 1
          : turn
            ? (place + turn + keys.length) % keys.length
            : null;
    if (next === null) return;
    event.preventDefault();
    state.set({ tab: keys[next] });
    tabs[next].focus();
  });
  state.on(["tab"], () => {
    keys.forEach((key, place) => {
      const shown = key === state.get("tab");
      tabs[place].setAttribute("aria-selected", String(shown));
      tabs[place].tabIndex = shown ? 0 : -1;
      at(`panel-${key}`).hidden = !shown;
    });
    document.body.classList.toggle("alone", ALONE.includes(state.get("tab")));
    document.body.dataset.tab = state.get("tab");
  });
}

function buildTools(model, state, treeView, marks) {
  const tool = (name, does, words = name) =>
    element(
      "button",
      { type: "button", title: words, "aria-label": /\w/.test(name) ? null : words, onclick: does },
      name,
    );
  replaceChildren(
    at("tools"),
    tool("−", () => treeView.zoom(1 / 1.4), "zoom out"),
    tool("+", () => treeView.zoom(1.4), "zoom in"),
    tool("Fit", () => treeView.fit(), "fit the tree to the page"),
    tool(
      "Turn",
      () => (state.set({ topDown: !state.get("topDown") }), treeView.fit()),
      "turn the tree: top down or left to right",
    ),
    tool("Unfold", () => treeView.unfoldAll(), "unfold all, or fold a large tree again"),
    model.classes && hatchTool(state, treeView, marks),
    tool("Clear", () => state.set({ lit: null, why: null, row: null }), "put out what is lit"),
  );
  if (model.rows.length) {
    const drop = tool("Send rows down", null, "let rows fall from the root to their leaves");
    at("tools").append(drop);
    new Falling(treeView, drop, at("fallen"));
  }
  const files = exports(model, treeView, state);
  const menu = element(
    "select",
    { "aria-label": "save" },
    element("option", { value: "" }, "Save …"),
    Object.keys(files).map((name) => element("option", {}, name)),
  );
  menu.addEventListener("change", () => {
    const save = files[menu.value];
    menu.value = "";
    if (save) save();
  });
  at("tools").append(menu);
  const canvas = treeView.canvas;
  canvas.addEventListener("keydown", (event) => {
    const does = canvasKeys(model, state, treeView)[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
}

// Classes are hatched when asked to.
function hatchTool(state, treeView, marks) {
  const words = "hatch the classes: they differ by more than colour then";
  const toggle = element("button", { type: "button", title: words }, "Hatch");
  const hatch = (isHatched) => {
    marks.isHatched = isHatched;
    marks.refresh();
    treeView.draw();
    state.set({ theme: state.get("theme") + 1 });
  };
  const show = () => toggle.setAttribute("aria-pressed", String(marks.isHatched));
  toggle.addEventListener("click", () => (hatch(!marks.isHatched), show()));
  show();
  return toggle;
}

// With the tree in focus, arrows walk it as it stands on the page.
function canvasKeys(model, state, treeView) {
  const node = model.standing(state.get("node"), state.get("step"));
  const go = (next) => next !== undefined && next >= 0 && state.set({ node: next });
  const siblings = node ? treeView.childrenOf(model.parent[node]) : [0];
  const place = siblings.indexOf(node);
  const [up, down, before, after] = state.get("topDown")
    ? ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]
    : ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
  return {
    [up]: () => go(model.parent[node]),
    [down]: () => go(treeView.childrenOf(node)[0]),
    [before]: () => go(siblings[place - 1]),
    [after]: () => go(siblings[place + 1]),
    Home: () => go(0),
    Enter: () => treeView.fold(node),
    "+": () => treeView.zoom(1.25),
    "-": () => treeView.zoom(0.8),
    0: () => treeView.fit(),
    f: () => treeView.fit(),
  };
}

function buildLegend(model, marks) {
  const key = (colour, words) =>
    element(
      "span",
      { class: "key" },
      element("span", { class: "swatch", css: { background: colour }, "aria-hidden": "true" }),
      element("bdi", {}, words),
    );
  if (model.classes) {
    const more = model.width > 12 ? element("span", { class: "pale" }, `… ${model.width - 12} more`) : null;
    replaceChildren(
      at("legend"),
      model.content.target !== "target" && element("span", { class: "pale" }, `${isolated(model.content.target)}:`),
      model.classes.slice(0, 12).map((name, code) => key(marks.fill(code), name)),
      more,
    );
  } else {
    const shades = [0, 0.25, 0.5, 0.75, 1].map((share) => marks.numberColour(share));
    replaceChildren(
      at("legend"),
      element("span", {}, model.content.target === "target" ? "predicts" : model.content.target),
      numberText(model.lowest),
      element("span", { class: "ramp", css: { background: `linear-gradient(90deg, ${shades})` } }),
      numberText(model.highest),
    );
  }
}

// ---- telling and remembering

function announce(model, state, treeView) {
  state.on(["node"], (changed) => {
    if (changed.includes("exchanged")) return; // whoever exchanges the tree says why
    const node = model.standing(state.get("node"), state.get("step"));
    const leaf = model.isLeaf(node, state.get("step"));
    const words = `${leaf ? "leaf" : "node"} ${node}: ${model.condition(node)}, ${leaf ? "predicts" : "would predict"} ${model.predictionWords(node)}, ${model.note(node)}`;
    at("live").textContent = words;
    if (treeView.shown.includes(node)) treeView.reveal(node);
  });
}

// On a phone a node that is picked comes as a sheet from below.
function openSheet(state) {
  const narrow = window.matchMedia("(max-width: 700px)");
  state.on(["node"], (changed) => {
    const isPicked = state.get("tab") === "tree" && !changed.includes("exchanged");
    document.body.classList.toggle("sheet", narrow.matches && isPicked);
  });
  at("sheet-close").addEventListener("click", () => document.body.classList.remove("sheet"));
}

// Curves and choices of pruning fold away, and are so on low windows; a tree that is one leaf has no pruning at all.
function foldPruning(model, state) {
  const footer = document.querySelector("footer");
  const toggle = at("path-fold");
  const fold = (isOpen) => {
    toggle.setAttribute("aria-expanded", String(isOpen));
    footer.classList.toggle("brief", !isOpen);
  };
  toggle.addEventListener("click", () => fold(toggle.getAttribute("aria-expanded") !== "true"));
  fold(window.innerHeight >= 700);
  const show = () => (footer.hidden = model.lastStep === 0);
  state.on(["exchanged"], show);
  show();
}

function readAddress(model, state) {
  const wanted = new URLSearchParams(window.location.hash.slice(1));
  if (!wanted.has("node")) return; // it leads to a part of the page, or nowhere
  const whole = (name, most) => {
    const number = Number(wanted.get(name));
    return Number.isInteger(number) && number >= 0 && number <= most ? number : 0;
  };
  const { forest } = model.content;
  if (forest) state.set({ member: whole("tree", forest.trees.length) });
  state.set({ node: whole("node", model.size - 1), step: whole("step", model.lastStep) });
  const tab = wanted.get("tab");
  if (at(`tab-${tab}`) || (Object.hasOwn(TABS, tab) && !at("tab-tree"))) state.set({ tab });
}

function follow(model, state, marks, treeView) {
  const { forest } = model.content;
  const keep = () => {
    const address = new URLSearchParams({
      node: state.get("node"),
      step: state.get("step"),
      tab: state.get("tab"),
      ...(forest && { tree: state.get("member") }),
      ...(state.get("tab") === "yours" && state.get("game")),
    });
    try {
      window.history.replaceState(null, "", `#${address}`);
    } catch {
      // a frame without an origin has no address to keep
    }
  };
  let waiting = 0; // a browser counts the changes of an address
  state.on(["exchanged", "node", "step", "tab", "game"], (changed) => {
    clearTimeout(waiting);
    waiting = setTimeout(keep, changed.every((name) => name === "step") ? 150 : 0);
  });
  window.addEventListener("hashchange", () => readAddress(model, state)); // a link into the page that is open
  state.on(["tab"], () => state.get("tab") === "tree" && treeView.resize());
  // Charts are as wide as their place, and drawn anew when it changes.
  const places = [".stage", ".side"].map((name) => document.querySelector(name));
  const wide = new ResizeObserver(() =>
    state.set({ room: places.map(({ clientWidth }) => clientWidth).join() }),
  );
  for (const place of places) wide.observe(place);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => {
    marks.refresh();
    treeView.map.forget();
    treeView.redraw();
    state.set({ theme: state.get("theme") + 1 });
  });
}

// The hint has served once the reader does something.
function dropHint() {
  if (window.matchMedia("(pointer: coarse)").matches)
    at("hint").textContent = "Tap a node to see all about it · two fingers move and zoom · tap twice to fold";
  const drop = () => at("hint")?.remove();
  for (const name of ["pointerdown", "wheel", "keydown"])
    document.addEventListener(name, drop, { once: true });
}

// The button says for a moment what has become of its text: it was copied, or, where that is forbidden, saved as a file.
async function copyText(text, button, name) {
  const copied = () => navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => null,
  );
  const said = (navigator.clipboard && (await copied())) || (download(name, text, "text/plain"), "Saved");
  at("live").textContent = `${said}: ${name}`;
  button.dataset.words ??= button.textContent;
  button.textContent = said;
  setTimeout(() => (button.textContent = button.dataset.words), 1600);
}

export const page = start();
