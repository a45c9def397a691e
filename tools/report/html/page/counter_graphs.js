// CounterGraphs: one graph for each counter. A range that is selected in one is selected everywhere.

import { lowerBound } from "./call_weights.js";
import { LineGraph } from "./line_graph.js";
import { bytesText, countText, durationText, timeText } from "./number_format.js";
import { strongColor } from "./page_colors.js";
import { byId, element } from "./page_elements.js";
import { processText } from "./thread_order.js";

const VALUE_WIDTH = 70; // of the axis; the graph then begins where those of the time line do

const valueText = (value, unit) => {
  if (unit === "bytes") return bytesText(value);
  if (unit === "%" || unit === "percentage") return `${countText(value * 100)} %`;
  return unit ? `${countText(value)} ${unit}` : countText(value);
};

// Of a rate, for a second. J in a second are W.
const rateText = (value, unit) => (unit === "J" ? valueText(value, "W") : `${valueText(value, unit)}/s`);

export class CounterGraphs {
  #profile;
  #state;
  #cards = [];
  #place = byId("counter-place");

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    byId("counter-empty").hidden = profile.counters.length > 0;
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const card = this.#cards.find(({ box }) => box === target);
        card.isSeen = isIntersecting;
        if (isIntersecting) this.#show(card);
      }
    });
    for (const counter of profile.counters) {
      const facts = element("p", { class: "facts" });
      const value = element("p", { class: "facts counter-value" });
      const place = element("div", { class: "counter-graph" });
      const process = profile.processes[counter.process];
      const label = `${counter.name || "counter"}, ${processText(process)}`;
      const box = element(
        "section",
        { class: "counter", tabIndex: 0, "aria-label": label },
        element(
          "div",
          { title: counter.description },
          element("h3", {}, counter.name || "counter", element("small", { class: "dim" }, processText(process))),
          facts,
          value,
        ),
        place,
      );
      this.#cards.push({ counter, box, facts, value, place, graph: null, isSeen: false, isOld: true });
      this.#place.append(box);
      seen.observe(box);
    }
    new ResizeObserver(() => this.update(true)).observe(this.#place);
  }

  // Those on the screen at once, the others when they come there. `anew`: colours or the width are other ones.
  update(anew = false) {
    for (const card of this.#cards) {
      card.isOld = true;
      if (anew && card.graph !== null) {
        card.place.replaceChildren();
        card.graph = null;
      }
      if (card.isSeen) this.#show(card);
    }
  }

  #show(card) {
    if (!card.isOld) return;
    if (card.place.clientWidth === 0) return;
    card.isOld = false;
    card.graph ??= this.#graph(card);
    const [from, to] = this.#state.span;
    card.graph.show([from, to]);
    card.facts.textContent = this.#facts(card.counter, from, to);
  }

  #facts({ time, value, unit, isRate, peak }, from, to) {
    const begin = Math.max(0, lowerBound(time, from) - (isRate ? 0 : 1)); // a sum stays what it was
    const end = lowerBound(time, to + 1e-6);
    if (begin >= end) return "nothing in this time";
    let least = Infinity;
    let most = -Infinity;
    for (let i = begin; i < end; i++) {
      least = Math.min(least, value[i]);
      most = Math.max(most, value[i]);
    }
    const span = `${valueText(least, unit)} to ${valueText(most, unit)}`;
    if (isRate) return `adds ${span} at a time${peak === undefined ? "" : `; peak of the whole profile: ${rateText(peak, unit)}`}`;
    const change = value[end - 1] - value[begin];
    return `${span}; ${change >= 0 ? "+" : "-"}${valueText(Math.abs(change), unit)} over ${durationText(to - from)}`;
  }

  #graph({ counter, place }) {
    const { time, value, isRate, unit } = counter;
    const series = {
      time,
      value,
      isRate,
      isBinary: unit === "bytes",
      color: strongColor(counter.color || "blue"),
      text: (amount) => valueText(amount, unit),
    };
    return new LineGraph(place, VALUE_WIDTH, series, {
      onCursor: (ms) => this.#showValues(ms),
      onSelect: (from, to) => this.#state.setRange(from, to),
    });
  }

  // Of all counters at one time; null: of none.
  #showValues(ms) {
    const [from, to] = this.#state.span;
    for (const { counter, graph, value } of this.#cards) {
      if (graph === null) continue;
      graph.showCursor(ms);
      const row = ms === null ? -1 : graph.rowAt(ms);
      const step = (to - from) / Math.max(1, this.#place.clientWidth);
      value.textContent = row < 0 ? "" : `${valueText(counter.value[row], counter.unit)} at ${timeText(counter.time[row], step)}`;
    }
  }
}
