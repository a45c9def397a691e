// FunctionTable: functions by own or total time, as `geckoprof report` lists them.

import { sumFunctions } from "./call_weights.js";
import { functionCells, showRest } from "./function_rows.js";
import { matchFunctions } from "./function_search.js";
import { countText, durationText, percentText, weightText } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { sortableHead } from "./sortable_head.js";

const FIRST_ROWS = 200;

const COLUMNS = [
  { key: "self", label: "Self", isNumber: true, span: 2 },
  { key: "total", label: "Total", isNumber: true, span: 2 },
  { key: "name", label: "Function" },
  { key: "library", label: "Library" },
];

export class FunctionTable {
  #profile;
  #state;
  #order = { key: "self", down: true };
  #rows = [];
  #sum = 0;
  #shown = FIRST_ROWS;

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    byId("function-more").addEventListener("click", () => {
      this.#shown *= 5;
      this.#fill();
    });
  }

  update(weights) {
    this.#sum = weights.sum - weights.noStack;
    this.#rows = sumFunctions(this.#profile, weights.self);
    this.#shown = FIRST_ROWS;
    this.#fill();
  }

  #sorted(rows) {
    const { key, down } = this.#order;
    const { functions } = this.#profile;
    const sign = down ? -1 : 1;
    if (key === "self" || key === "total") {
      const second = key === "self" ? "total" : "self";
      return rows.sort((a, b) => sign * (a[key] - b[key] || a[second] - b[second]));
    }
    return rows.sort((a, b) => sign * functions[key](a.func).localeCompare(functions[key](b.func)));
  }

  #fill() {
    const { functions } = this.#profile;
    const search = matchFunctions(functions, this.#state.get("search"));
    const rows = this.#sorted(this.#rows.filter(({ func }) => search.isEmpty || search.matches[func] === 1));
    const amount = (weight) =>
      this.#state.get("measure") === "cpu"
        ? durationText(weight)
        : this.#state.get("unit") === "samples"
          ? countText(weight)
          : weightText(weight, this.#state.get("unit"));
    const body = element("tbody");
    for (const { func, self, total } of rows.slice(0, this.#shown)) {
      body.append(
        element(
          "tr",
          {},
          element("td", { class: "number" }, this.#bar(self), percentText(self, this.#sum)),
          element("td", { class: "number" }, amount(self)),
          element("td", { class: "number" }, percentText(total, this.#sum)),
          element("td", { class: "number" }, amount(total)),
          ...functionCells(functions, func, this.#state),
        ),
      );
    }
    const sort = (order) => {
      this.#order = order;
      this.#fill();
    };
    byId("function-table").replaceChildren(sortableHead(byId("function-table"), COLUMNS, this.#order, sort), body);
    showRest(rows.length, this.#shown);
  }

  #bar(self) {
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(0, Math.min(100, (100 * self) / (this.#sum || 1)))}%`;
    return bar;
  }
}
