// ChangeTable: functions by how their shares changed, in the same place as the functions of one profile.

import { differenceText, shareText } from "./box_changes.js";
import { sumFunctions } from "./call_weights.js";
import { functionCells, showRest } from "./function_rows.js";
import { matchFunctions } from "./function_search.js";
import { byId, element } from "./page_elements.js";
import { sortableHead } from "./sortable_head.js";

const FIRST_ROWS = 200;

const COLUMNS = [
  { key: "selfChange", label: "Self, points", isNumber: true },
  { key: "selfBefore", label: "before", isNumber: true },
  { key: "selfAfter", label: "after", isNumber: true },
  { key: "totalChange", label: "Total, points", isNumber: true },
  { key: "totalBefore", label: "before", isNumber: true },
  { key: "totalAfter", label: "after", isNumber: true },
  { key: "name", label: "Function" },
  { key: "library", label: "Library" },
];

// One row for each function of either side.
function rowsOf(profile, [before, after]) {
  const rows = new Map();
  const rowFor = (func) => {
    let row = rows.get(func);
    if (row === undefined) rows.set(func, (row = { func, selfBefore: 0, selfAfter: 0, totalBefore: 0, totalAfter: 0 }));
    return row;
  };
  for (const { func, self, total } of sumFunctions(profile, before)) Object.assign(rowFor(func), { selfBefore: self, totalBefore: total });
  for (const { func, self, total } of sumFunctions(profile, after)) Object.assign(rowFor(func), { selfAfter: self, totalAfter: total });
  for (const row of rows.values()) {
    row.selfChange = row.selfAfter - row.selfBefore;
    row.totalChange = row.totalAfter - row.totalBefore;
  }
  return [...rows.values()];
}

export class ChangeTable {
  #profile;
  #state;
  #sides;
  #order = { key: "selfChange", down: true };
  #rows = null;
  #shown = FIRST_ROWS;

  // sides: shares by node, before and after.
  constructor(profile, state, sides) {
    this.#profile = profile;
    this.#state = state;
    this.#sides = sides;
    byId("function-more").addEventListener("click", () => {
      this.#shown *= 5;
      this.#fill();
    });
  }

  update() {
    this.#rows ??= rowsOf(this.#profile, this.#sides);
    this.#shown = FIRST_ROWS;
    this.#fill();
  }

  // Changes by how large they are, whichever way they went.
  #sorted(rows) {
    const { key, down } = this.#order;
    const { functions } = this.#profile;
    const sign = down ? -1 : 1;
    if (key in functions) return rows.sort((a, b) => sign * functions[key](a.func).localeCompare(functions[key](b.func)));
    const size = key.endsWith("Change") ? Math.abs : (share) => share;
    return rows.sort((a, b) => sign * (size(a[key]) - size(b[key])) || Math.abs(b.totalChange) - Math.abs(a.totalChange) || a.func - b.func);
  }

  #fill() {
    const { functions } = this.#profile;
    const search = matchFunctions(functions, this.#state.get("search"));
    const rows = this.#sorted(this.#rows.filter(({ func }) => search.isEmpty || search.matches[func] === 1));
    const number = (text, className = "") => element("td", { class: `number ${className}` }, text);
    const difference = (change) => number(differenceText(change), change > 0 ? "more" : change < 0 ? "less" : "");
    const body = element("tbody");
    for (const row of rows.slice(0, this.#shown)) {
      body.append(
        element(
          "tr",
          {},
          difference(row.selfChange),
          number(shareText(row.selfBefore)),
          number(shareText(row.selfAfter)),
          difference(row.totalChange),
          number(shareText(row.totalBefore)),
          number(shareText(row.totalAfter)),
          ...functionCells(functions, row.func, this.#state),
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
}
