// CounterGraphs: a graph a counter, drawn by uPlot; marking a range in one marks it everywhere.

import uPlot from "uplot";
import { lowerBound } from "./call_weights.js";
import { bytesText, countText, durationText, timeText } from "./number_format.js";
import { strongColor, themeColors } from "./page_colors.js";
import { byId, element } from "./page_elements.js";
import { axisTicks } from "./time_axis.js";
import { processText } from "./thread_order.js";

const HEIGHT = 120;
const VALUE_WIDTH = 70; // of the axis; the graph then begins where those of the time line do
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, i) => 2 ** i);

const valueText = (value, unit) => {
  if (value === null || value === undefined) return "";
  if (unit === "bytes") return bytesText(value);
  if (unit === "%" || unit === "percentage") return `${countText(value * 100)} %`;
  return unit ? `${countText(value)} ${unit}` : countText(value);
};

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
      const graph = element("div", { class: "counter-graph" });
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
        graph,
      );
      this.#cards.push({ counter, box, facts, value, graph, plot: null, isSeen: false, isOld: true });
      this.#place.append(box);
      seen.observe(box);
    }
    new ResizeObserver(() => this.update(true)).observe(this.#place);
  }

  // Those on the screen at once, the others when they come there. `anew`: colours or the width are other ones.
  update(anew = false) {
    for (const card of this.#cards) {
      card.isOld = true;
      if (anew && card.plot !== null) {
        card.plot.destroy();
        card.plot = null;
      }
      if (card.isSeen) this.#show(card);
    }
  }

  #show(card) {
    if (!card.isOld) return;
    const width = card.graph.clientWidth;
    if (width === 0) return;
    card.isOld = false;
    if (card.plot === null) card.plot = this.#plot(card, width);
    const [from, to] = this.#state.span;
    card.plot.setScale("x", { min: from, max: to });
    card.facts.textContent = this.#facts(card.counter, from, to);
  }

  #facts({ time, value, unit, isRate }, from, to) {
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
    if (isRate) return `adds ${span} at a time`;
    const change = value[end - 1] - value[begin];
    return `${span}; ${change >= 0 ? "+" : "-"}${valueText(Math.abs(change), unit)} over ${durationText(to - from)}`;
  }

  #plot({ counter, graph, value: shown }, width) {
    const colors = themeColors();
    const color = strongColor(counter.color || "blue");
    const axis = { stroke: colors.dim, font: "11px system-ui, sans-serif", grid: { stroke: colors.line, width: 1 }, ticks: { show: false } };
    const unit = counter.unit;
    return new uPlot(
      {
        width,
        height: HEIGHT,
        padding: [8, 0, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: true, y: false, setScale: false }, sync: { key: "counters" } },
        scales: { x: { time: false }, y: { range: (plot, least, most) => paddedRange(least, most) } },
        axes: [
          {
            ...axis,
            size: 22,
            splits: (plot) => axisTicks([plot.scales.x.min, plot.scales.x.max], plot.bbox.width / devicePixelRatio).map(({ time }) => time),
            values: (plot, splits) => {
              const ticks = axisTicks([plot.scales.x.min, plot.scales.x.max], plot.bbox.width / devicePixelRatio);
              return splits.map((split) => ticks.find(({ time }) => time === split)?.text ?? "");
            },
          },
          { ...axis, size: VALUE_WIDTH, ...(unit === "bytes" ? { incrs: POWERS_OF_TWO } : {}), values: (plot, splits) => splits.map((split) => valueText(split, unit)) },
        ],
        series: [
          {},
          {
            stroke: color,
            fill: color.replace(")", " / 0.18)"),
            width: 1.5,
            paths: counter.isRate ? uPlot.paths.linear() : uPlot.paths.stepped({ align: 1 }),
            points: { show: counter.time.length === 1 },
          },
        ],
        hooks: {
          setCursor: [
            (plot) => {
              const at = plot.cursor.idx;
              const step = (plot.scales.x.max - plot.scales.x.min) / width;
              shown.textContent =
                at === null || at === undefined || plot.cursor.left < 0
                  ? ""
                  : `${valueText(counter.value[at], unit)} at ${timeText(counter.time[at], step)}`;
            },
          ],
          setSelect: [
            (plot) => {
              if (plot.select.width < 4) return;
              const { left, width: selected } = plot.select;
              this.#state.setRange(plot.posToVal(left, "x"), plot.posToVal(left + selected, "x"));
              plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            },
          ],
        },
      },
      [Array.from(counter.time), Array.from(counter.value)],
      graph,
    );
  }
}

function paddedRange(least, most) {
  if (least === null || most === null) return [0, 1];
  const low = Math.min(0, least);
  const high = Math.max(0, most);
  return low === high ? [0, 1] : [low - (low < 0 ? (high - low) * 0.08 : 0), high + (high - low) * 0.08];
}
