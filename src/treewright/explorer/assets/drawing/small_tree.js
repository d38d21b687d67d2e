// Small tree: a whole tree as a picture in lines, for those that stand side by side.

import { layoutOf, pathLayout } from "../model/layout.js";
import { WORDS_FROM } from "./marks.js";
import { SvgPen } from "./strokes.js";

// It is as wide as there is place, but no larger than a tree is drawn; room is left below for rows that fall.
// Of a way the nodes on it are drawn, framed, and where else it could have gone, along pale branches; where that could not be read,
// one below the other, however tall it gets.
export function treePicture(
  model,
  marks,
  title,
  { selected = -1, room = 0, step = 0, place = Infinity, tall = Infinity, way = null } = {},
) {
  const pen = new SvgPen();
  const own = Object.assign(Object.create(marks), { model });
  const passed = way && new Set(way);
  const children = (node) => (!way || passed.has(node) ? model.children(node, step) : []);
  const shown = way ? [0, ...way.flatMap(children)].toSorted((a, b) => a - b) : model.visible(step);
  let layout = layoutOf(model, shown, children, true);
  if (way && scaleIn(layout.bounds, room, place, tall) < WORDS_FROM) [layout, tall] = [pathLayout(model, way, children), Infinity];
  const bounds = around(layout.bounds, room);
  const scale = scaleIn(layout.bounds, room, place, tall);
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
  if (way) picture.style.width = `${scale * (bounds.right - bounds.left)}px`;
  return { picture, layout };
}

// Folded nodes have words below their cards.
const around = ({ left, right, top, bottom }, room) => ({
  left: left - 10,
  right: right + 10,
  top: top - 8,
  bottom: bottom + 26 + room,
});

function scaleIn(bounds, room, place, tall) {
  const { left, right, top, bottom } = around(bounds, room);
  return Math.min(place / (right - left), tall / (bottom - top), 1);
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
