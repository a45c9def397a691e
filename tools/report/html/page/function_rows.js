// What the tables of functions have in common, of one profile and of a comparison.

import { countText } from "./number_format.js";
import { byId, element } from "./page_elements.js";

// The last cells of a row: the name, which leads to the flame graph, and the library.
export function functionCells(functions, func, state) {
  const name = functions.name(func);
  const show = () => state.set({ search: name, tab: "flame" });
  return [
    element("td", {}, element("button", { type: "button", class: "name", onclick: show, title: `${name}: show in the flame graph` }, name)),
    element("td", { class: "dim" }, functions.library(func)),
  ];
}

// What stands below a table of which `shown` of `count` rows are shown.
export function showRest(count, shown) {
  const more = byId("function-more");
  more.hidden = count <= shown;
  more.textContent = `Show more (${countText(count - shown)} are left)`;
  byId("function-empty").hidden = count > 0;
}
