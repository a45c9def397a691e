// PageState: what is looked at. Views subscribe to it, and nobody else tells them anything.
//
//   threads   numbers of the threads that count        view     [from, to] ms that the time line shows
//   range     null, or [from, to] ms, in the view      unit     of the samples: samples, ms, bytes
//   measure   samples or cpu                           idle     whether idle samples count
//   inverted  flame graph from the callees up          search   text to be found in functions' names
//   color     category or library                      tab      which part is to be seen

export class PageState {
  #values;
  #listeners = [];

  constructor(values) {
    this.#values = { ...values };
  }

  get(key) {
    return this.#values[key];
  }

  // The time that counts.
  get span() {
    return this.#values.range ?? this.#values.view;
  }

  // listener(changed): a Set of keys.
  subscribe(listener) {
    this.#listeners.push(listener);
  }

  set(values) {
    const changed = new Set();
    for (const [key, value] of Object.entries(values)) {
      if (Object.is(this.#values[key], value)) continue;
      this.#values[key] = value;
      changed.add(key);
    }
    if (changed.size > 0) for (const listener of this.#listeners) listener(changed);
  }

  // Time that no view may leave: from < to, inside of `whole`.
  setRange(from, to, least = 1e-3) {
    const [first, last] = this.#values.view;
    const a = Math.max(first, Math.min(from, to));
    const b = Math.min(last, Math.max(from, to));
    this.set({ range: b - a < least ? null : [a, b] });
  }
}

export const anyOf = (changed, ...keys) => keys.some((key) => changed.has(key));
