// Motion: nodes glide from where they stood to where a new layout has them, if the reader likes things to move.

const MILLISECONDS = 240;
const MOST_NODES = 400;

export function isWelcome(nodes) {
  return nodes.length <= MOST_NODES && !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Where each node starts from: where it stood, or where the nearest node above it that was there did.
export function starts(nodes, parent, wasAt) {
  const start = new Map();
  for (const node of nodes) start.set(node, wasAt(node) ?? start.get(parent[node]));
  return start;
}

// Call draw with the share of the way that is done, frame by frame; what is returned stops it.
export function glide(draw) {
  const begun = performance.now();
  let frame = requestAnimationFrame(function next(now) {
    const share = Math.min(Math.max((now - begun) / MILLISECONDS, 0), 1);
    draw(1 - (1 - share) ** 3);
    if (share < 1) frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}
