// Roving: many small marks are one stop of the Tab key; arrows go from one to the next, Enter does what a click does.

export function roving(marks) {
  marks.forEach((mark, place) => {
    if (mark.localName !== "button") mark.setAttribute("role", "button");
    mark.setAttribute("tabindex", place ? -1 : 0);
    mark.addEventListener("keydown", (event) => {
      const isPressed = event.key === "Enter" || event.key === " ";
      const next = marks[target(event.key, place, marks.length)];
      if (!isPressed && !next) return;
      event.preventDefault();
      if (isPressed) mark.dispatchEvent(new MouseEvent("click"));
      else {
        mark.setAttribute("tabindex", -1);
        next.setAttribute("tabindex", 0);
        next.focus();
      }
    });
  });
  return marks;
}

function target(key, place, size) {
  return {
    ArrowRight: place + 1,
    ArrowDown: place + 1,
    ArrowLeft: place - 1,
    ArrowUp: place - 1,
    Home: 0,
    End: size - 1,
  }[key];
}
