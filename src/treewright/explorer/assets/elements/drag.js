// Drag: a pointer is followed from where it was pressed until it is let go.

export function followPointer(event, move, drop = () => {}) {
  event.preventDefault();
  move(event);
  const stop = (last) => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", stop);
    window.removeEventListener("pointercancel", stop);
    drop(last);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", stop);
  window.addEventListener("pointercancel", stop);
}

// How far along a picture the pointer is, from 0 to 1 between two margins, in the picture's own units.
export function shareAlong(event, picture, { width, left, right }) {
  const box = picture.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * width;
  return Math.min(Math.max((x - left) / (width - left - right), 0), 1);
}
