// Live: editing the tree by hand, where a program on this machine listens; each edit shows what it is worth.

import { KIND } from "./model.js";
import { at, page } from "./main.js";
import { element, numberText, percentText, replaceChildren } from "./text.js";

const { model, state } = page;
const live = model.content.live;

async function send(where, message) {
  const answer = await fetch(where, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

async function doEdit(entry) {
  try {
    await send("/edit", entry);
    window.location.reload();
  } catch (error) {
    at("edit-trouble").textContent = error.message;
  }
}

async function save() {
  try {
    const { path } = await send("/save", {});
    at("edit-done").textContent = `saved as ${path}`;
  } catch (error) {
    at("edit-trouble").textContent = error.message;
  }
}

// ---- what can be done to the picked node

function render() {
  const node = state.get("node");
  const leaf = !model.n_children[node];
  replaceChildren(
    at("edit"),
    element("h2", {}, `Edit ${leaf ? "leaf" : "node"} ${node}`),
    element("p", { id: "edit-trouble", role: "alert" }),
    element("p", { id: "edit-done", role: "status" }),
    element(
      "p",
      { class: "buttons" },
      leaf ? null : button("Prune here", () => doEdit({ edit: "prune", node })),
      button(leaf ? "Grow on" : "Grow anew", () => doEdit({ edit: "grow", node })),
      button("Undo", () => doEdit({ edit: "undo" }), !live.undo),
      button("Redo", () => doEdit({ edit: "redo" }), !live.redo),
      live.saves ? button("Save as a model", save) : null,
    ),
    forceForm(node),
    mergeForm(node),
    logTable(),
  );
}

function button(words, does, disabled = false) {
  return element("button", { type: "button", onclick: does, disabled }, words);
}

function forceForm(node) {
  const split = model.splits[node];
  const chosen = split && !split.features ? split.feature : 0;
  const feature = element(
    "select",
    {},
    model.features.map(({ name }, place) =>
      element("option", { value: place, selected: place === chosen }, name),
    ),
  );
  const details = element("div");
  const grow = element("input", { type: "checkbox", checked: true });
  let read = null;
  const show = () => {
    const place = Number(feature.value);
    const own = split && split.feature === place ? split : null;
    replaceChildren(details);
    read = (model.features[place].kind === "categorical" ? groupFields : cutField)(details, place, own);
  };
  feature.addEventListener("change", show);
  show();
  const force = () =>
    doEdit({ edit: "split", node, feature: Number(feature.value), grow: grow.checked, ...read() });
  return element(
    "fieldset",
    {},
    element("legend", {}, "Force a split"),
    element("label", {}, "feature ", feature),
    details,
    element("label", {}, grow, " grow its branches on"),
    button("Force", force),
  );
}

function cutField(details, place, own) {
  const feature = model.features[place];
  if (feature.categories) {
    const select = element(
      "select",
      {},
      feature.categories
        .slice(0, -1)
        .map((name, code) =>
          element("option", { value: name, selected: own && Math.floor(own.threshold) === code }, name),
        ),
    );
    details.append(element("label", {}, "up to ", select));
    return () => ({ threshold: select.value });
  }
  const offset = feature.offset || 0;
  const cut = own?.threshold ?? feature.middle;
  const input = element("input", { type: "number", step: "any", value: cut === null ? "" : cut + offset });
  details.append(element("label", {}, "up to ", input));
  return () => ({ threshold: input.value === "" ? null : Number(input.value) });
}

function groupFields(details, place, own) {
  const { categories } = model.features[place];
  const branchOf = own ? new Map(own.codes.map((code, index) => [code, own.branches[index]])) : new Map();
  const numbers = [0, 1, 2, 3, 4, 5];
  const selects = categories.slice(0, 200).map((name, code) => {
    const branch = branchOf.get(code) ?? (own ? -1 : code % 2);
    const select = element(
      "select",
      {},
      element("option", { value: -1 }, "–"),
      numbers.map((number) =>
        element("option", { value: number, selected: number === branch }, `branch ${number + 1}`),
      ),
    );
    details.append(element("label", { dir: "auto" }, `${name} `, select));
    return select;
  });
  return () => {
    const groups = numbers.map((number) =>
      categories.filter((_, code) => selects[code] && Number(selects[code].value) === number),
    );
    return { groups: groups.filter((group) => group.length) };
  };
}

function mergeForm(node) {
  const split = model.splits[node];
  if (!split || split.kind !== KIND.table || split.answers.length < 3) return null;
  const boxes = split.answers.map((_, branch) => element("input", { type: "checkbox", value: branch }));
  const lines = split.answers.map((answer, branch) =>
    element("label", { dir: "auto" }, boxes[branch], ` ${answer}`),
  );
  const merge = () =>
    doEdit({
      edit: "merge",
      node,
      branches: boxes.filter((box) => box.checked).map((box) => Number(box.value)),
    });
  return element("fieldset", {}, element("legend", {}, "Merge branches"), lines, button("Merge", merge));
}

// ---- what was done, and what it was worth

function risks(entry) {
  const text = (risk) => (model.classes && !model.content.costs ? percentText(risk) : numberText(risk));
  return Object.entries(entry.risk)
    .map(([rows, risk]) => `${rows} ${text(risk)}`)
    .join(", ");
}

function logTable() {
  const lines = [{ edit: "start", ...live.start }, ...live.log].map((entry, place) =>
    element(
      "tr",
      {},
      element("td", {}, String(place)),
      element("td", {}, entry.edit),
      element("td", {}, entry.node ?? ""),
      element("td", {}, String(entry.leaves)),
      element("td", {}, risks(entry)),
    ),
  );
  const head = element(
    "tr",
    {},
    ["step", "edit", "node", "leaves", "risk"].map((name) => element("th", { scope: "col" }, name)),
  );
  return element(
    "details",
    { open: live.log.length > 0 },
    element("summary", {}, `Log (${live.log.length})`),
    element(
      "div",
      { class: "wide" },
      element("table", {}, element("thead", {}, head), element("tbody", {}, lines)),
    ),
  );
}

at("edit").hidden = false;
state.on(["node"], render);
render();
