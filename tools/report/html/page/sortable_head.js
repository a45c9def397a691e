// The head of a table whose columns may be sorted by: a button each.

import { element } from "./page_elements.js";

// columns: [{key, label, isNumber, span}]; order: {key, down}. sort(order) is called with the new order, and is to make
// the head anew; the button that was pressed has the focus then.
export function sortableHead(table, columns, order, sort) {
  const cells = columns.map(({ key, label, isNumber, span }) => {
    const isKey = order.key === key;
    const press = () => {
      sort({ key, down: isKey ? !order.down : isNumber === true });
      table.querySelector(`button[data-key="${key}"]`).focus();
    };
    const mark = isKey ? (order.down ? " ▾" : " ▴") : "";
    const button = element("button", { type: "button", class: "sort", onclick: press, "data-key": key }, label + mark);
    const direction = isKey ? (order.down ? "descending" : "ascending") : "none";
    return element("th", { scope: "col", colSpan: span ?? 1, "aria-sort": direction, class: isNumber ? "number" : "" }, button);
  });
  return element("thead", {}, element("tr", {}, ...cells));
}
