// Live: editing the tree by hand, where a program on this machine listens; each edit shows the error before and after.

import { button, forceForm, mergeForm, relabelForm } from "./elements/edit_forms.js";
import { replaceTree } from "./model/replace_tree.js";
import { at, page } from "./main.js";
import { counted, element, replaceChildren } from "./elements/text.js";

const { model, state } = page;
const log = () => model.content.live.log;
const PATIENCE = 300; // quick edits come and go without a word
let isBusy = false;
let patience = 0;

async function ask(where, message) {
  const settings = message && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  };
  const answer = await fetch(where, settings);
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.error), { status: answer.status });
  return said;
}

// While the program works no other edit can be asked for, only that it stops; what it says comes back into view.
async function attempt(does) {
  if (isBusy) return;
  setBusy(true);
  tell("edit-trouble", "");
  tell("edit-done", "");
  try {
    tell("edit-done", await does());
  } catch (error) {
    tell("edit-trouble", error.status ? error.message : "The program that served this page has ended.");
    if (error.status === 409) await takeTree();
  } finally {
    setBusy(false);
  }
}

function setBusy(busy) {
  isBusy = busy;
  if (busy) at("edit").setAttribute("aria-busy", "true");
  else at("edit").removeAttribute("aria-busy");
  clearTimeout(patience);
  patience = busy ? setTimeout(() => (at("edit-busy").hidden = false), PATIENCE) : 0;
  if (!busy) at("edit-busy").hidden = true;
}

// The tree stays what it was, and the edit says so.
const cancel = () => isBusy && ask("/cancel", {}).catch(() => null);

async function takeTree() {
  replaceTree(model, state, await ask("/tree"));
  render();
}

const doEdit = (edit) =>
  attempt(async () => {
    const { cancelled } = await ask("/edit", { ...edit, after: log().length });
    if (cancelled) return `${edit.edit} was cancelled: the tree is as it was`;
    await takeTree();
    return effect();
  });

const save = () => attempt(async () => `saved as ${(await ask("/save", {})).path}`);

// ---- words that stay when the rest is written anew

function tell(id, words) {
  at(id).textContent = words;
}

// What the last edit did to the tree and to its loss.
function effect() {
  const { start } = model.content.live;
  const [before, after] = [log().at(-2) ?? start, log().at(-1)];
  const risks = Object.entries(after.risk).map(([rows, risk]) => {
    const change = risk - before.risk[rows];
    const verdict = Math.abs(change) < 1e-12 ? "as before" : change < 0 ? "better" : "worse";
    return `${rows} ${model.lossName()} ${model.riskText(before.risk[rows])} → ${model.riskText(risk)}, ${verdict}`;
  });
  const node = after.node === undefined ? "" : ` ${after.node}`;
  return `${after.edit}${node}: ${counted(before.leaves, "leaf", "leaves")} → ${after.leaves}; ${risks.join("; ")}`;
}

// ---- what can be done to the picked node

function build() {
  replaceChildren(
    at("edit"),
    element("p", { id: "edit-buttons", class: "buttons" }),
    element(
      "p",
      { id: "edit-busy", class: "buttons", role: "status", hidden: true },
      "Working … ",
      element("button", { type: "button", title: "Escape does it, too", onclick: cancel }, "Cancel"),
    ),
    element("p", { id: "edit-trouble", role: "alert" }),
    element("p", { id: "edit-done", role: "status" }),
  );
  at("edit").hidden = at("edit-forms").hidden = false;
}

function render() {
  const { live } = model.content;
  const node = model.standing(state.get("node"), state.get("step"));
  const leaf = !model.below[node].length;
  const focused = document.activeElement?.closest?.("#edit button, #edit-forms button")?.textContent;
  replaceChildren(
    at("edit-buttons"),
    leaf ? null : button("Prune here", () => doEdit({ edit: "prune", node })),
    button(leaf ? "Grow on" : "Grow anew", () => doEdit({ edit: "grow", node })),
    button("Undo", () => doEdit({ edit: "undo" }), !live.undo),
    button("Redo", () => doEdit({ edit: "redo" }), !live.redo),
    live.saves ? button("Save as a model", save) : null,
  );
  replaceChildren(
    at("edit-forms"),
    element("h2", {}, `Edit ${leaf ? "leaf" : "node"} ${node}`),
    forceForm(model, node, doEdit),
    mergeForm(model, node, doEdit),
    relabelForm(model, node, doEdit),
    logTable(live),
  );
  if (focused) [...document.querySelectorAll(".side button")].find(same(focused))?.focus();
}

const same = (words) => (one) => one.textContent === words && !one.disabled;

// ---- what was done, and what it was worth

function logTable(live) {
  const lines = [{ edit: "start", ...live.start }, ...live.log].map((entry, place) =>
    element(
      "tr",
      {},
      element("td", {}, String(place)),
      element("td", {}, entry.edit),
      element("td", {}, entry.node ?? ""),
      element("td", {}, String(entry.leaves)),
      Object.values(entry.risk).map((risk) => element("td", {}, model.riskText(risk))),
    ),
  );
  const names = ["step", "edit", "node", "leaves", ...Object.keys(live.start.risk)];
  const head = element(
    "tr",
    {},
    names.map((name) => element("th", { scope: "col" }, name)),
  );
  return element(
    "details",
    { open: live.log.length > 0 },
    element("summary", {}, `Log (${live.log.length})`),
    element(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": "log" },
      element("table", {}, element("thead", {}, head), element("tbody", {}, lines.reverse())),
    ),
  );
}

// ---- keys that editors know

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") cancel();
  const isField = event.target.closest?.("input, select, textarea");
  if (isField || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  doEdit({ edit: event.shiftKey ? "redo" : "undo" });
});

build();
state.on(["node", "step"], render);
render();
