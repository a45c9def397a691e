// The tabs, as the ARIA pattern wants them: arrows go from tab to tab, Tab goes into the panel.

import { byId } from "./page_elements.js";

export class PageTabs {
  #state;
  #tabs = [...byId("tabs").querySelectorAll("[role=tab]")];

  constructor(state) {
    this.#state = state;
    for (const tab of this.#tabs) tab.addEventListener("click", () => state.set({ tab: tab.dataset.tab }));
    byId("tabs").addEventListener("keydown", (event) => this.#onKey(event));
    state.subscribe((changed) => changed.has("tab") && this.#show());
    this.#show();
  }

  #show() {
    for (const tab of this.#tabs) {
      const chosen = tab.dataset.tab === this.#state.get("tab");
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      byId(`panel-${tab.dataset.tab}`).hidden = !chosen;
    }
  }

  #onKey(event) {
    const tabs = this.#tabs.filter((tab) => !tab.hidden);
    const now = tabs.indexOf(document.activeElement);
    const last = tabs.length - 1;
    const next = { ArrowRight: now === last ? 0 : now + 1, ArrowLeft: now === 0 ? last : now - 1, Home: 0, End: last }[event.key];
    if (next === undefined || now < 0) return;
    event.preventDefault();
    tabs[next].focus();
    this.#state.set({ tab: tabs[next].dataset.tab });
  }
}
