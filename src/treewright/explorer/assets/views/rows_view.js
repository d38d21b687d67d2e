// Rows view: the rows that the page holds, of one node or all, to sort, filter, pick and keep.

import { element, numberText, replaceChildren, valueText } from "../elements/text.js";

const MOST = 200;
const SIGNS = { "=": (a, b) => a === b, "≠": (a, b) => a !== b, "≤": (a, b) => a <= b, ">": (a, b) => a > b };

// A cell is one line; what it has no room for is shown when it is pointed at.
const cell = (text, isNumber = false) =>
  element("td", { title: text.length > 20 ? text : null, class: isNumber ? "right" : null }, text);
const isNumeric = (feature) => !feature.categories && !feature.unit;

export class RowsView {
  constructor(panel, model, state, download, forest = null) {
    Object.assign(this, { panel, model, state, download, forest });
    this.order = { feature: null, down: false };
    if (!model.rows.length) {
      replaceChildren(
        panel,
        element("p", {}, "This page was made without rows. A row can be typed in under “What if”."),
      );
      return;
    }
    this.build();
    state.on(["exchanged", "step", "tab", "node", "row", "only"], (changed) => this.render(changed));
  }

  build() {
    const { model } = this;
    const render = () => this.render();
    this.here = element("input", { type: "checkbox", onchange: render });
    this.wrong = element("input", { type: "checkbox", onchange: render });
    this.feature = element(
      "select",
      { onchange: render },
      element("option", { value: "" }, "any value"),
      element("option", { value: "id" }, "row"),
      model.features.map((feature, place) => element("option", { value: place }, feature.name)),
    );
    this.sign = element(
      "select",
      { onchange: render, "aria-label": "sign" },
      Object.keys(SIGNS).map((sign) => element("option", {}, sign)),
    );
    this.value = element("input", { type: "text", size: 10, oninput: render, "aria-label": "value" });
    this.words = element("p", { class: "pale", role: "status" });
    this.head = element("thead");
    this.body = element("tbody");
    const keep = element(
      "button",
      { type: "button", onclick: () => this.download("rows.csv", this.csv(), "text/csv") },
      "Download as CSV",
    );
    replaceChildren(
      this.panel,
      element(
        "div",
        { class: "controls" },
        element("label", {}, this.here, " of the picked node only"),
        element("label", {}, this.wrong, model.classes ? " wrong ones only" : " largest residuals first"),
        element("label", {}, "where ", this.feature),
        this.sign,
        this.value,
        keep,
      ),
      this.words,
      element("div", { class: "wide" }, element("table", { class: "rows" }, this.head, this.body)),
    );
  }

  target(row) {
    return this.model.classes ? this.model.classes[row.target] : numberText(row.target);
  }

  said(row) {
    return this.forest?.said ? this.saidByAll(row) : this.saidByTree(row);
  }

  saidByTree(row) {
    return this.model.predictionText(row.values, this.state.get("step"));
  }

  // What all trees of a forest say; beside it stands the one that is shown.
  saidByAll(row) {
    const value = this.forest.saidOf(row);
    return this.model.classes ? this.model.classes[this.model.best(value)] : numberText(value[0]);
  }

  chosen() {
    const { model, state } = this;
    const node = model.standing(state.get("node"), state.get("step"));
    const inNode = new Set(model.rowsAt(node));
    const only = state.get("only") && new Set(state.get("only"));
    let rows = model.rows.filter(
      (row, index) =>
        (!only || only.has(row)) && (!this.here.checked || inNode.has(index)) && this.matches(row),
    );
    if (this.wrong.checked && model.classes) rows = rows.filter((row) => this.said(row) !== this.target(row));
    const { feature, down } = this.order;
    if (feature !== null)
      rows.sort(
        (a, b) => (down ? -1 : 1) * ((a.values[feature] ?? -Infinity) - (b.values[feature] ?? -Infinity)),
      );
    else if (this.wrong.checked) {
      const said = (row) =>
        this.forest?.said ? this.forest.saidOf(row)[0] : model.predict(row.values, state.get("step"))[0];
      const away = (row) => Math.abs(said(row) - row.target);
      rows.sort((a, b) => away(b) - away(a));
    }
    return rows;
  }

  matches(row) {
    if (this.feature.value === "" || this.value.value.trim() === "") return true;
    const typed = this.value.value.trim();
    if (this.feature.value === "id") return SIGNS[this.sign.value](row.id, Number(typed));
    const feature = this.model.features[Number(this.feature.value)];
    const value = row.values[Number(this.feature.value)];
    if (typed === "missing") return SIGNS[this.sign.value](valueText(feature, value), typed);
    if (feature.categories || feature.unit)
      return SIGNS[this.sign.value](valueText(feature, value).toLowerCase(), typed.toLowerCase());
    return value !== null && SIGNS[this.sign.value](value + (feature.offset || 0), Number(typed));
  }

  render(changed = []) {
    if (this.state.get("tab") !== "rows") return;
    const { model, state } = this;
    const rows = this.chosen();
    const isSame = rows.length === this.shown?.length && rows.every((row, at) => row === this.shown[at]);
    this.shown = rows;
    if (isSame && changed.length && changed.every((name) => name === "step")) return this.repredict(rows);
    const { total } = model.content.rows;
    replaceChildren(
      this.words,
      `${rows.length} rows${rows.length > MOST ? `, the first ${MOST} shown` : ""}; the page holds ${model.rows.length} of ${total.reduce((a, b) => a + b, 0)}. `,
      state.get("only") &&
        element(
          "button",
          { type: "button", class: "link", onclick: () => state.set({ only: null }) },
          "Only those that are lit: show all",
        ),
    );
    const sort = (feature) => (
      (this.order = { feature, down: this.order.feature === feature && !this.order.down }),
      this.render()
    );
    const side = model.classes ? null : "right";
    const sorted = (place) =>
      this.order.feature !== place ? null : this.order.down ? "descending" : "ascending";
    replaceChildren(
      this.head,
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "row"),
        element("th", { scope: "col", class: side }, model.content.target),
        element("th", { scope: "col", class: side }, "predicted"),
        this.forest && element("th", { scope: "col", class: side }, `by tree ${state.get("member") + 1}`),
        model.features.map((feature, place) =>
          element(
            "th",
            { scope: "col", "aria-sort": sorted(place), class: isNumeric(feature) ? "right" : null },
            element(
              "button",
              { type: "button", class: "link", onclick: () => sort(place) },
              feature.name,
            ),
          ),
        ),
      ),
    );
    replaceChildren(
      this.body,
      rows.slice(0, MOST).map((row) => {
        const [target, said] = [this.target(row), this.said(row)];
        const pick = element(
          "button",
          {
            type: "button",
            class: "link",
            "aria-label": `show the path of row ${row.id}`,
          },
          `${row.id}${row.validation ? " v" : ""}`,
        );
        return element(
          "tr",
          {
            "aria-selected": row === state.get("row") ? "true" : null,
            class: model.classes && said !== target ? "pick wrong" : "pick",
            onclick: () => state.get("pick")(row),
          },
          element("th", { scope: "row" }, pick),
          cell(target, !model.classes),
          cell(said, !model.classes),
          this.forest && cell(this.saidByTree(row), !model.classes),
          model.features.map((feature, place) => cell(valueText(feature, row.values[place]), isNumeric(feature))),
        );
      }),
    );
  }

  // While pruning moves, the same rows stay, and only what is predicted of them changes.
  repredict(rows) {
    const { model } = this;
    const write = (cell, words) => cell.textContent !== words && (cell.textContent = words);
    [...this.body.children].forEach((line, at) => {
      const said = this.said(rows[at]);
      write(line.children[2], said);
      if (this.forest) write(line.children[3], this.saidByTree(rows[at]));
      if (model.classes) line.classList.toggle("wrong", said !== this.target(rows[at]));
    });
  }

  // A cell that a spreadsheet would take for a formula is written as text.
  csv() {
    const { model } = this;
    const quoted = (value) => {
      const text = String(value);
      const plain = /^\s*[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
      return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    const lines = [
      ["row", model.content.target, "predicted", ...model.features.map((feature) => feature.name)],
    ];
    for (const row of this.chosen())
      lines.push([
        row.id,
        this.target(row),
        this.said(row),
        ...model.features.map((feature, place) =>
          row.values[place] === null || row.values[place] === -1 ? "" : valueText(feature, row.values[place]),
        ),
      ]);
    return lines.map((line) => line.map(quoted).join(",")).join("\r\n");
  }
}
