// Printing: what is printed is light and hatched whatever the screen shows, and the tree is drawn in lines, not in dots.

import { replaceChildren } from "../elements/text.js";

export function preparePaper(place, treeView, marks, state) {
  let wasHatched = false;
  let folded = [];
  const show = (isPaper) => {
    document.documentElement.classList.toggle("paper", isPaper);
    if (isPaper) folded = [...document.querySelectorAll("#report details:not([open])")]; // paper unfolds nothing
    for (const part of folded) part.open = isPaper;
    marks.isHatched = isPaper || wasHatched;
    marks.refresh();
    const isTree = isPaper && state.get("tab") === "tree"; // its hatchings would be found first, and not seen
    replaceChildren(place, isTree && treeView.asSvg(treeView.model.content.title));
    state.set({ theme: state.get("theme") + 1 });
  };
  window.addEventListener("beforeprint", () => ((wasHatched = marks.isHatched), show(true)));
  window.addEventListener("afterprint", () => show(false));
  // some browsers are back on the screen only later
  window.matchMedia("print").addEventListener("change", ({ matches }) => matches || show(false));
}
