// Rules view: a rule for each leaf, to sort, filter and copy.

import { lightWay } from "../model/folding.js";
import { swatch } from "./node_card.js";
import { constraintText, programOf, ruleOf, ruleText } from "../model/rules.js";
import { counted, element, numberText, percentText, replaceChildren, whole } from "../elements/text.js";

const MOST = 100;
const COPIED = { text: "rules.txt", SQL: "rules.sql", Python: "rules.py" };

export class RulesView {
  constructor(panel, model, marks, state, copy) {
    Object.assign(this, { panel, model, marks, state, copy });
    this.order = "cover";
    this.build();
    state.on(["exchanged", "step", "tab", "node", "theme"], () => this.render());
  }

  build() {
    const { model } = this;
    this.filter = element("input", {
      type: "search",
      placeholder: "words in the rule",
      oninput: () => this.render(),
    });
    this.said = element(
      "select",
      { onchange: () => this.render() },
      element("option", { value: "" }, "any"),
      (model.classes || []).map((name, code) => element("option", { value: code }, name)),
    );
    const least = () =>
      element("input", { type: "number", min: 0, max: 100, placeholder: "0", oninput: () => this.render() });
    this.least = { cover: least(), ...(model.classes && { confidence: least() }) };
    this.body = element("tbody");
    this.words = element("p", { class: "pale", role: "status" });
    const column = (name, key) =>
      element(
        "th",
        { scope: "col" },
        element(
          "button",
          { type: "button", class: "link", onclick: () => ((this.order = key), this.render()) },
          name,
        ),
      );
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "rule"),
      column("cover", "cover"),
      model.classes && column("confidence", "confidence"),
      model.classes && column("lift", "lift"),
      !model.classes && column("predicts", "value"),
      !model.classes && column("off by", "off"),
    );
    const step = () => this.state.get("step");
    const copies = {
      text: () => this.rules().map((rule) => ruleText(model, rule)).join("\n"),
      ...("programs" in model.content && {
        SQL: () => programOf(model, "sql", step()),
        Python: () => programOf(model, "python", step()),
      }),
    };
    this.buttons = Object.entries(copies).map(([name, write]) =>
      element("button", { type: "button", onclick: (event) => this.copy(write(), event.currentTarget, COPIED[name]) }, `Copy as ${name}`),
    );
    replaceChildren(
      this.panel,
      element(
        "div",
        { class: "controls" },
        element("label", {}, "with ", this.filter),
        model.classes && element("label", {}, "predicting ", this.said),
        Object.entries(this.least).map(([name, input]) => element("label", {}, `${name} from `, input, " %")),
        this.buttons,
      ),
      this.words,
      element("table", { class: "rules" }, element("thead", {}, head), this.body),
    );
  }

  rules() {
    const { model } = this;
    const words = this.filter.value.toLowerCase();
    const rules = model.leaves(this.state.get("step")).map((node) => ruleOf(model, node));
    const wanted = rules.filter(
      (rule) =>
        (this.said.value === "" || model.label[rule.node] === Number(this.said.value)) &&
        Object.entries(this.least).every(
          ([name, input]) => input.value === "" || 100 * rule[name] >= Number(input.value),
        ) &&
        (!words || ruleText(model, rule).toLowerCase().includes(words)),
    );
    return wanted.sort((a, b) => b[this.order] - a[this.order]);
  }

  render() {
    if (this.state.get("tab") !== "rules") return;
    const { model, marks, state } = this;
    const rules = this.rules();
    for (const program of this.buttons.slice(1)) program.disabled = model.cut.size > 0;
    const picked = model.standing(state.get("node"), state.get("step"));
    replaceChildren(
      this.words,
      rules.length > MOST ? `The first ${MOST} of ${rules.length} rules.` : `${counted(rules.length, "rule")}.`,
    );
    replaceChildren(
      this.body,
      rules.slice(0, MOST).map((rule) => {
        const conditions =
          rule.constraints.map((constraint) => constraintText(model, constraint)).join(" and ") || "always";
        const go = element(
          "button",
          {
            type: "button",
            class: "link rule",
           
            onclick: () => lightWay(state, model.ancestors(rule.node), {
                node: rule.node,
                why: { words: `the rule of leaf ${rule.node}` },
              }),
          },
          whole(conditions),
          " → ",
          swatch(marks.colour(rule.node)),
          element("b", {}, model.prediction(rule.node)),
        );
        return element(
          "tr",
          { "aria-selected": rule.node === picked ? "true" : null },
          element("td", {}, go),
          element("td", {}, percentText(rule.cover)),
          model.classes && element("td", {}, percentText(rule.confidence)),
          model.classes && element("td", {}, numberText(rule.lift, 3)),
          !model.classes && element("td", {}, numberText(rule.value)),
          !model.classes && element("td", {}, numberText(rule.off, 3)),
        );
      }),
    );
  }
}
