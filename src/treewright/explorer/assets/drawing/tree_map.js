// Tree map: the whole tree small in a corner, with a frame around what is in view.

const SIZE = { width: 150, height: 96 };

export class TreeMap {
  #drawn = null;

  constructor(canvas, frame, view) {
    Object.assign(this, { canvas, frame, view });
    canvas.addEventListener("click", (event) => this.go(event));
  }

  // The layout has changed, or the colours: it is drawn anew when it is next seen.
  forget() {
    this.#drawn = null;
  }

  scale() {
    const { left, right, top, bottom } = this.view.layout.bounds;
    return { left, top, across: SIZE.width / (right - left), down: SIZE.height / (bottom - top) };
  }

  // A map of what is all in view would only cover it.
  show() {
    const isNeeded = !this.view.isWhole();
    this.canvas.hidden = this.frame.hidden = !isNeeded;
    if (!isNeeded) return;
    if (this.#drawn !== this.view.layout) this.draw();
    const { x, y } = this.view.view;
    const [wide, high] = this.view.scales();
    const { width, height } = this.view.room;
    const { left, top, across, down } = this.scale();
    const clamp = (number, most) => Math.min(Math.max(number, 0), most);
    const [from, to] = [
      [clamp((-x / wide - left) * across, SIZE.width), clamp((-y / high - top) * down, SIZE.height)],
      [
        clamp(((width - x) / wide - left) * across, SIZE.width),
        clamp(((height - y) / high - top) * down, SIZE.height),
      ],
    ];
    Object.assign(this.frame.style, {
      transform: `translate(${from[0]}px, ${from[1]}px)`,
      width: `${Math.max(to[0] - from[0], 6)}px`,
      height: `${Math.max(to[1] - from[1], 6)}px`,
    });
  }

  // A colour at a time, and what falls on the same spot once.
  draw() {
    const { layout, shown, marks, model } = this.view;
    const { left, top, across, down } = this.scale();
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, SIZE.width, SIZE.height);
    const place = (node) => [(layout.x[node] - left) * across, (layout.y[node] - top) * down];
    const colours = new Map();
    const taken = new Set();
    for (const node of shown) {
      const [x, y] = place(node);
      const spot = Math.round(x) * 1000 + Math.round(y);
      if (taken.has(spot)) continue;
      taken.add(spot);
      const colour = marks.colour(node);
      if (!colours.has(colour)) colours.set(colour, []);
      colours.get(colour).push([node, x, y]);
    }
    for (const [colour, group] of colours) {
      context.strokeStyle = context.fillStyle = colour;
      context.globalAlpha = 0.5;
      context.beginPath();
      for (const [node, x, y] of group) {
        if (!node) continue;
        context.moveTo(...place(model.parent[node]));
        context.lineTo(x, y);
      }
      context.stroke();
      context.globalAlpha = 1;
      for (const [, x, y] of group) context.fillRect(x - 1.5, y - 1, 3, 2);
    }
    this.#drawn = layout;
  }

  go(event) {
    const box = this.canvas.getBoundingClientRect();
    const { left, top, across, down } = this.scale();
    this.view.lookAt((event.clientX - box.left) / across + left, (event.clientY - box.top) / down + top);
  }
}
