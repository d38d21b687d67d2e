// Small tree: a whole tree as a picture in lines, for those that stand side by side.

import { layoutOf } from "../model/layout.js";
import { SvgPen } from "./strokes.js";

const WORDS_FROM = 0.64; // from smaller pictures large titles can be read

// It is as wide as there is place, but no larger than a tree is drawn; room is left below for rows that fall.
// Of a way the nodes on it are drawn, framed, and where else it could have gone, along pale branches.
export function treePicture(
  model,
  marks,
  title,
  { selected = -1, room = 0, step = 0, place = Infinity, way = null } = {},
) {
  const pen = new SvgPen();
  const own = Object.assign(Object.create(marks), { model });
  const passed = way && new Set(way);
  const children = (node) => (!way || passed.has(node) ? model.children(node, step) : []);
  const shown = way ? [0, ...way.flatMap(children)].toSorted((a, b) => a - b) : model.visible(step);
  const layout = layoutOf(model, shown, children, true);
  const { left, right, top, bottom } = layout.bounds;
  const bounds = { left: left - 10, right: right + 10, top: top - 8, bottom: bottom + 8 + room };
  const scale = Math.min(place / (bounds.right - bounds.left), 1);
  const opacity = (node) => (way && !passed.has(node) ? 0.3 : 1);
  for (const node of shown) if (node) own.branch(pen, layout, node, true, opacity(node));
  for (const node of shown)
    own.node(pen, layout, node, {
      detail: scale < WORDS_FROM ? 1 : 2,
      leaf: model.isLeaf(node, step),
      folded: Boolean(way) && !passed.has(node) && !model.isLeaf(node, step),
      selected: way ? passed.has(node) : node === selected,
      opacity: 1, // pale words could not be read
      scale,
    });
  const picture = pen.picture(bounds, marks.theme.ground, title);
  picture.setAttribute("class", "small-tree");
  return { picture, layout };
}

// How wide a whole tree is.
export function widthOf(model, step = 0) {
  const { left, right } = layoutOf(
    model,
    model.visible(step),
    (node) => model.children(node, step),
    true,
  ).bounds;
  return right - left + 20;
}

// How much place each of several pictures has in lines of so many points: none less than so many, more for wider ones.
// There are as few lines as that allows, each of about as many pictures.
export function placesFor(widths, all, least = 280) {
  const lines = Math.ceil(widths.length / Math.max(Math.floor(all / least), 1));
  const inLine = Math.ceil(widths.length / lines);
  return widths.map((width, place) => {
    const first = place - (place % inLine);
    const line = widths.slice(first, first + inLine);
    const total = line.reduce((sum, other) => sum + other, 0);
    const smallest = Math.min(least, all);
    return smallest + ((all - smallest * line.length) * width) / total;
  });
}
