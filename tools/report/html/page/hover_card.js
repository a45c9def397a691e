// HoverCard: the one tooltip of the page; it follows the pointer and stays on the screen.

import { element } from "./page_elements.js";

const GAP = 14;
let card = null;

export function showCard(x, y, ...content) {
  if (card === null) {
    card = element("div", { class: "hover-card", id: "hover-card", role: "tooltip" });
    document.body.append(card);
  }
  card.replaceChildren(...content);
  card.hidden = false;
  const { width, height } = card.getBoundingClientRect();
  const left = x + GAP + width > innerWidth ? Math.max(4, x - GAP - width) : x + GAP;
  const top = y + GAP + height > innerHeight ? Math.max(4, y - GAP - height) : y + GAP;
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
}

export function hideCard() {
  if (card !== null) card.hidden = true;
}

// A list of names and values.
export function valueList(rows) {
  const list = element("dl", { class: "values" });
  for (const [name, value] of rows) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
}
