// Export: pictures, rules and the tree itself as files, made in the page.

import { ruleOf, ruleText } from "../model/rules.js";

export function download(name, content, kind) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function exports(model, treeView, state) {
  const title = model.content.title;
  return {
    "Picture (SVG)": () =>
      download("tree.svg", new XMLSerializer().serializeToString(treeView.asSvg(title)), "image/svg+xml"),
    "Picture (PNG)": () => treeView.canvas.toBlob((blob) => download("tree.png", blob)),
    "Rules (text)": () => {
      const rules = model.leaves(state.get("step")).map((node) => ruleText(model, ruleOf(model, node)));
      download("rules.txt", rules.join("\n"), "text/plain");
    },
    "Tree (JSON)": () => {
      const { rows, ...rest } = model.content;
      download("tree.json", JSON.stringify(rest), "application/json");
    },
    "Print or PDF": () => window.print(),
  };
}
