// Edit forms: what the reader may ask of a node, each with a function that gives the edit as it is logged.

import { KIND } from "../model/answer.js";
import { element, isDate, numberText, replaceChildren, valueText } from "./text.js";

const FEW = 12;
const MOST = 300;

export function button(words, does, disabled = false) {
  return element("button", { type: "button", onclick: does, disabled }, words);
}

function form(legend, fields, words, does) {
  return element("fieldset", {}, element("legend", {}, legend), fields, button(words, does));
}

// ---- another split

export function forceForm(model, node, edit) {
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
    const own = split && !split.features && split.feature === place ? split : null;
    replaceChildren(details);
    read = fieldsFor(model.features[place])(details, model.features[place], own);
  };
  feature.addEventListener("change", show);
  show();
  return form(
    "Force a split",
    [element("label", {}, "feature ", feature), details, element("label", {}, grow, " grow its branches on")],
    "Force",
    () => edit({ edit: "split", node, feature: Number(feature.value), grow: grow.checked, ...read() }),
  );
}

function fieldsFor(feature) {
  if (feature.kind !== "categorical") return feature.categories ? stepField : cutField;
  return feature.categories.length > FEW ? searchField : groupFields;
}

function stepField(details, feature, own) {
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

function cutField(details, feature, own) {
  const offset = feature.offset || 0;
  const cut = own?.threshold ?? feature.middle;
  const settings = isDate(feature)
    ? { type: "text", value: cut === null ? "" : valueText(feature, cut), placeholder: "year-month-day" }
    : { type: "number", step: "any", value: cut === null ? "" : cut + offset };
  const input = element("input", settings);
  details.append(element("label", {}, "up to ", input));
  const read = isDate(feature) ? (text) => text.trim() : Number;
  return () => ({ threshold: input.value === "" ? null : read(input.value) });
}

function branchesBy(own) {
  return own ? new Map(own.codes.map((code, index) => [code, own.branches[index]])) : new Map();
}

// A branch for each of a few categories.
function groupFields(details, { categories }, own) {
  const branchOf = branchesBy(own);
  const numbers = categories.slice(0, 6).map((_, number) => number);
  const selects = categories.map((name, code) => {
    const branch = branchOf.get(code) ?? (own ? -1 : code % 2);
    const select = element(
      "select",
      {},
      element("option", { value: -1 }, "–"),
      numbers.map((number) =>
        element("option", { value: number, selected: number === branch }, `branch ${number + 1}`),
      ),
    );
    details.append(element("label", {}, `${name} `, select));
    return select;
  });
  return () => {
    const groups = numbers.map((number) =>
      categories.filter((_, code) => Number(selects[code].value) === number),
    );
    return { groups: groups.filter((group) => group.length) };
  };
}

// Of many categories those of the first branch are searched and ticked; all others take the second.
function searchField(details, { categories }, own) {
  const branchOf = branchesBy(own);
  const first = new Set([...categories.keys()].filter((code) => branchOf.get(code) === 0));
  const search = element("input", { type: "search", placeholder: `search ${categories.length} categories` });
  const list = element("div", { class: "ticks" });
  const words = element("p", { class: "pale", role: "status" });
  const tick = (code) => {
    const box = element("input", { type: "checkbox", checked: first.has(code) });
    box.addEventListener("change", () => (box.checked ? first.add(code) : first.delete(code), count()));
    return element("label", {}, box, ` ${categories[code]}`);
  };
  const count = () =>
    replaceChildren(words, `${numberText(first.size)} of ${numberText(categories.length)} ticked`);
  const show = () => {
    const typed = search.value.trim().toLowerCase();
    const found = [...categories.keys()].filter((code) => categories[code].toLowerCase().includes(typed));
    found.sort((a, b) => first.has(b) - first.has(a) || a - b);
    replaceChildren(list, found.slice(0, MOST).map(tick));
  };
  search.addEventListener("input", show);
  show();
  count();
  details.append(element("label", {}, "first branch ", search), list, words);
  return () => {
    const groups = [true, false].map((isFirst) =>
      categories.filter((_, code) => first.has(code) === isFirst),
    );
    return { groups: groups.filter((group) => group.length) };
  };
}

// ---- branches put together, and what a leaf says

export function mergeForm(model, node, edit) {
  const split = model.splits[node];
  if (!split || split.kind !== KIND.table || split.answers.length < 3) return null;
  const boxes = split.answers.map((_, branch) => element("input", { type: "checkbox", value: branch }));
  const lines = split.answers.map((answer, branch) =>
    element("label", {}, boxes[branch], ` ${answer}`),
  );
  return form("Merge branches", lines, "Merge", () =>
    edit({
      edit: "merge",
      node,
      branches: boxes.filter((box) => box.checked).map((box) => Number(box.value)),
    }),
  );
}

export function relabelForm(model, node, edit) {
  if (model.below[node].length) return null;
  const field = model.classes
    ? element(
        "select",
        {},
        model.classes.map((name, code) =>
          element("option", { value: name, selected: code === model.label[node] }, name),
        ),
      )
    : element("input", { type: "number", step: "any", value: model.value[node] });
  return form("Decide what the leaf says", element("label", {}, "predict ", field), "Relabel", () =>
    edit({ edit: "relabel", node, label: model.classes ? field.value : Number(field.value) }),
  );
}
