// The tables of locks, allocations, and input and output, with the texts that `geckoprof report --by` prints.

import { countText } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { stackCell } from "./stack_cell.js";

const VIEWS = ["lock", "allocation", "io"];

function cell(value, { kind }) {
  if (value === null) return element("td", { class: kind === "number" ? "number" : "dim" }, "–");
  if (kind === "stack") return stackCell(value);
  return element("td", { class: kind === "number" ? "number" : "" }, value);
}

// Columns that no row has are left out.
function tableOf({ title, columns, rows }) {
  const used = columns.map((column, at) => ({ ...column, at })).filter(({ at }) => rows.some((row) => row[at] !== null));
  const head = used.map(({ label, kind }) => element("th", { scope: "col", class: kind === "number" ? "number" : "" }, label));
  const body = rows.map((row) => element("tr", {}, ...used.map((column) => cell(row[column.at], column))));
  return element("table", { "aria-label": title }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
}

// Tabs of views that the profile has nothing of are hidden.
export function showReportTables({ tables }) {
  for (const view of VIEWS) {
    const table = tables.find((one) => one.view === view);
    byId(`tab-${view}`).hidden = table === undefined;
    if (table === undefined) continue;
    const left = table.rowCount - table.rows.length;
    const notes = [
      ...(left > 0 ? [`${countText(left)} more rows are not on this page.`] : []),
      ...table.notes,
    ];
    byId(`panel-${view}`).replaceChildren(
      element("h2", {}, table.title),
      element("p", { class: "dim" }, "This table does not follow the chosen threads and the marked time."),
      tableOf(table),
      ...notes.map((note) => element("p", { class: "dim" }, note)),
    );
  }
}
