// ThreadTrack: one thread's row of the time line: its name, CPU use over time, and a tick where it has markers.

import { cpuBins, markerBins } from "./cpu_bins.js";
import { countText, durationText } from "./number_format.js";
import { themeColors } from "./page_colors.js";
import { element, fitCanvas } from "./page_elements.js";

export const TRACK_HEIGHT = 34;
const MARKER_HEIGHT = 4;

export class ThreadTrack {
  constructor(profile, thread) {
    this.profile = profile;
    this.thread = thread;
    this.canvas = element("canvas", {});
    this.row = element(
      "div",
      { class: "track", role: "option", id: `track-${thread.index}`, "aria-selected": "false" },
      element(
        "div",
        { class: "track-label", title: this.#title() },
        element("span", { class: "track-name" }, thread.name),
        element("span", { class: "track-facts" }, this.#facts()),
      ),
      element("div", { class: "track-graph" }, this.canvas),
    );
  }

  #title() {
    const { name, tid, cpuMs = 0, coreWaitMs, waitMs } = this.thread;
    const title = `${name}, thread ${tid}`;
    if (waitMs === undefined) return title;
    return `${title}: ran ${durationText(cpuMs)}, waited ${durationText(coreWaitMs)} for a core and ${durationText(waitMs)} otherwise`;
  }

  #facts() {
    const { thread } = this;
    const facts = [];
    if (thread.cpuMs !== undefined) facts.push(`${durationText(thread.cpuMs)} CPU`);
    else if (thread.active.time.length > 0) facts.push(`${countText(thread.active.time.length)} samples`);
    else if (thread.markers.start.length > 0) facts.push(`${countText(thread.markers.start.length)} markers`);
    if (thread.unit !== "samples") facts.push(thread.unit === "bytes" ? "allocations" : "tracing");
    facts.push(`tid ${thread.tid}`);
    return facts.join(" · ");
  }

  setChosen(chosen) {
    this.row.setAttribute("aria-selected", String(chosen));
  }

  bins(view, width) {
    const { intervalMs, slotMs } = this.profile.meta;
    return cpuBins(this.thread, view, width, { intervalMs, slotMs });
  }

  draw(view, width) {
    const count = Math.max(1, Math.floor(width));
    const context = fitCanvas(this.canvas, width, TRACK_HEIGHT);
    const colors = themeColors();
    context.clearRect(0, 0, width, TRACK_HEIGHT);
    const { markers } = this.thread;
    const graph = TRACK_HEIGHT - (markers.start.length > 0 ? MARKER_HEIGHT + 2 : 1);
    const bins = this.bins(view, count);
    context.fillStyle = colors.cpu;
    context.beginPath();
    context.moveTo(0, graph);
    for (let x = 0; x < count; x++) {
      const y = graph - Math.min(1, bins[x]) * (graph - 3);
      context.lineTo(x, y);
      context.lineTo(x + 1, y);
    }
    context.lineTo(count, graph);
    context.fill();
    this.#drawEdge(context, bins, graph, colors);
    this.#drawLife(context, view, width, graph, colors);
    context.fillStyle = colors.marker;
    const ticks = markerBins(markers, view, count);
    for (let x = 0; x < count; x++) {
      if (ticks[x] === 0) continue;
      context.globalAlpha = Math.min(1, 0.35 + 0.15 * Math.log2(ticks[x]));
      context.fillRect(x, TRACK_HEIGHT - MARKER_HEIGHT, 1, MARKER_HEIGHT - 1);
    }
    context.globalAlpha = 1;
  }

  // The upper edge, where there is anything.
  #drawEdge(context, bins, graph, colors) {
    context.strokeStyle = colors["cpu-line"];
    context.lineWidth = 1;
    context.beginPath();
    let before = 0;
    bins.forEach((share, x) => {
      const y = graph - Math.min(1, share) * (graph - 3);
      if (share > 0 && before === 0) context.moveTo(x + 0.5, graph);
      if (share > 0 || before > 0) context.lineTo(x + 0.5, y);
      before = share;
    });
    context.stroke();
  }

  // A line as long as the thread lived.
  #drawLife(context, [from, to], width, graph, colors) {
    const { startMs = from, endMs = to } = this.thread;
    const scale = width / (to - from);
    const start = Math.max(0, (startMs - from) * scale);
    const end = Math.min(width, (endMs - from) * scale);
    context.fillStyle = colors.line;
    if (end > start) context.fillRect(start, graph, end - start, 1);
  }
}
