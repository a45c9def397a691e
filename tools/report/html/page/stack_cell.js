// A stack in a cell of a table.

import { element } from "./page_elements.js";

const FRAMES_ON_A_LINE = 5;

export const frameList = (names) => element("ol", { class: "frames" }, ...names.map((name) => element("li", {}, name)));

// The innermost functions, which open to the whole stack. `names` begins with the innermost one, and `more` follows it.
export function stackCell(names, ...more) {
  const few = names.slice(0, FRAMES_ON_A_LINE).join(" < ");
  const line = names.length > FRAMES_ON_A_LINE ? `${few} < …` : few;
  return element("td", {}, element("details", {}, element("summary", {}, line), frameList(names), ...more));
}
