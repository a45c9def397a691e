// WaitTable: waiting time by cause and stack, as `geckoprof report --by wait` lists it.

import { countText, durationText, percentText } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { frameList, stackCell } from "./stack_cell.js";
import { callersOf, sumWaits } from "./wait_rows.js";

const FIRST_ROWS = 200;
const HEAD = ["Total", "", "Waits", "Longest", "Cause", "Lock", "Held by", "Where"];
const NUMBERS = 4;

export class WaitTable {
  #profile;
  #state;
  #rows = [];
  #sum = 0;
  #shown = FIRST_ROWS;

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    byId("tab-waits").hidden = profile.waits.cause.length === 0;
    byId("wait-more").addEventListener("click", () => {
      this.#shown *= 5;
      this.#fill();
    });
  }

  update() {
    this.#rows = sumWaits(this.#profile, { threads: this.#state.get("threads"), span: this.#state.span });
    this.#sum = this.#rows.reduce((sum, { total }) => sum + total, 0);
    this.#shown = FIRST_ROWS;
    this.#fill();
  }

  #fill() {
    const head = HEAD.map((label, at) => element("th", { scope: "col", class: at < NUMBERS ? "number" : "" }, label));
    const body = element("tbody", {}, ...this.#rows.slice(0, this.#shown).map((row) => this.#row(row)));
    byId("wait-table").replaceChildren(element("thead", {}, element("tr", {}, ...head)), body);
    byId("wait-empty").hidden = this.#rows.length > 0;
    const more = byId("wait-more");
    more.hidden = this.#rows.length <= this.#shown;
    more.textContent = `Show more (${countText(this.#rows.length - this.#shown)} are left)`;
  }

  #row({ row, total, count, longest }) {
    const { cause, lock, holder, node } = this.#profile.waits;
    const hasStack = node[row] >= 0;
    const number = (text) => element("td", { class: "number" }, text);
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.min(100, (100 * total) / (this.#sum || 1))}%`;
    return element(
      "tr",
      {},
      element("td", { class: "number" }, bar, percentText(total, this.#sum)),
      number(durationText(total)),
      number(hasStack ? countText(count) : "–"),
      number(hasStack ? durationText(longest) : "–"),
      element("td", { class: "word" }, cause[row]),
      element("td", { class: "dim word" }, lock[row]),
      element("td", {}, holder[row]),
      hasStack ? this.#where(row) : element("td", { class: "dim" }, "waits too short for a stack"),
    );
  }

  // The stack of the wait, with that of the holder below it.
  #where(row) {
    const { node, holder, holderNode } = this.#profile.waits;
    const names = callersOf(this.#profile, node[row]);
    if (holderNode[row] < 0) return stackCell(names);
    return stackCell(names, element("p", { class: "dim" }, `${holder[row]} held the lock at`), frameList(callersOf(this.#profile, holderNode[row])));
  }
}
