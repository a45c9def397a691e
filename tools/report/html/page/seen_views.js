// SeenViews: brings each tab's view up to date when it is seen, and not before.

import { byId, onceAFrame } from "./page_elements.js";

export class SeenViews {
  #state;
  #updates;
  #old;
  #refresh;

  // updates: {tab: function}; all are to be made first.
  constructor(state, updates) {
    this.#state = state;
    this.#updates = updates;
    this.#old = new Set(Object.keys(updates));
    this.#refresh = onceAFrame(() => {
      const tab = this.#state.get("tab");
      if (this.#old.delete(tab)) this.#updates[tab]();
      document.documentElement.dataset.ready = tab;
    });
  }

  // What `follow(changed)` marks as old is made anew.
  follow(flame, follow) {
    this.#state.subscribe((changed) => {
      delete document.documentElement.dataset.ready;
      follow(changed);
      this.#followFlame(flame, changed);
      this.#refresh();
    });
    this.#refresh();
  }

  markOld(...tabs) {
    for (const tab of tabs) this.#old.add(tab);
  }

  // What every page has of a flame graph and the table beside it.
  #followFlame(flame, changed) {
    if (changed.has("inverted")) {
      byId("inverted").checked = this.#state.get("inverted");
      flame.turn();
      this.markOld("flame");
    }
    if (changed.has("search")) {
      const text = this.#state.get("search");
      if (byId("search").value !== text) byId("search").value = text;
      flame.search(text);
      this.markOld("functions");
    }
    if (changed.has("color") || changed.has("colors")) flame.draw();
  }
}
