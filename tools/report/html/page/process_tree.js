// ProcessTree: processes of the system, the programs that each ran one after the other, and their threads, with when
// they lived and what they used.

import { countText, durationText, timeText } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { processesOf, samplesOf, threadStart } from "./thread_order.js";

const MOST_OPEN = 12; // processes
const MOST_STEPS = 20; // of the indentation
const MOST_QUIET = 3; // children without samples that have rows of their own

const countOf = (processes) => processes.reduce((count, { children }) => count + 1 + countOf(children), 0);

const indent = (depth) => `${12 + 18 * Math.min(depth, MOST_STEPS)}px`;

export function threadEnd(thread) {
  if (thread.endMs !== undefined) return thread.endMs;
  const lasts = [thread.active.time, thread.idle.time].filter((times) => times.length > 0).map((times) => times[times.length - 1]);
  for (const end of thread.markers.end) lasts.push(end);
  return lasts.reduce((a, b) => Math.max(a, b), -Infinity);
}

function sum(numbers) {
  let result = 0;
  for (const number of numbers) result += number;
  return result;
}

export class ProcessTree {
  #profile;
  #state;
  #body = element("tbody");
  #hasWaits;
  #open;

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    this.#hasWaits = profile.threads.some(({ waitMs }) => waitMs !== undefined);
    const numbers = ["pid, tid", "CPU", ...(this.#hasWaits ? ["For a core", "Waiting"] : []), "Samples", "Markers"];
    const head = ["Process, thread", ...numbers, "Lived", ""].map((label) =>
      element("th", { scope: "col", class: numbers.includes(label) ? "number" : label === "Lived" ? "life" : "" }, label),
    );
    const processes = processesOf(profile);
    this.#open = countOf(processes) <= MOST_OPEN;
    this.#body.append(...this.#rowsOf(processes, 0));
    const table = element("table", { "aria-label": "Processes and their threads" }, element("thead", {}, element("tr", {}, ...head)), this.#body);
    byId("process-place").append(table);
  }

  // Siblings and all below them. Many without samples are folded into one row behind the others.
  #rowsOf(processes, depth) {
    const quiet = processes.filter(({ isQuiet }) => isQuiet);
    const isFolded = quiet.length > MOST_QUIET && quiet.length < processes.length;
    const shown = isFolded ? processes.filter(({ isQuiet }) => !isQuiet) : processes;
    const rows = shown.flatMap((process) => this.#rowsOfProcess(process, depth));
    if (isFolded) rows.push(this.#foldRow(quiet, depth));
    return rows;
  }

  #foldRow(processes, depth) {
    let rows = null; // made when they are looked at
    const toggle = () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!isOpen));
      rows ??= processes.flatMap((process) => this.#rowsOfProcess(process, depth));
      if (isOpen) rows.forEach((row) => row.remove());
      else fold.after(...rows);
    };
    const label = `${countText(countOf(processes))} processes without samples`;
    const button = element("button", { type: "button", class: "name twisty dim", "aria-expanded": "false", onclick: toggle }, label);
    const cell = element("td", { colspan: this.#hasWaits ? 9 : 7 }, button);
    cell.style.paddingLeft = indent(depth);
    const fold = element("tr", { class: "row-fold" }, cell);
    return fold;
  }

  #rowsOfProcess({ pid, programs, children }, depth) {
    const threads = programs.flatMap(({ threads }) => threads);
    const name = [...new Set(programs.map(({ process }) => process.name || "(no name)"))].join(" → ");
    const rows = [];
    const toggle = () => {
      const closed = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!closed));
      for (const row of rows) row.hidden = closed;
    };
    const facts = threads.length === 1 ? "1 thread" : `${countText(threads.length)} threads`;
    const button = element("button", { type: "button", class: "name twisty", "aria-expanded": String(this.#open), onclick: toggle }, name);
    const head = this.#row("process", depth, [button, element("span", { class: "dim" }, facts)], pid, threads, name);
    for (const { process, threads: own } of programs) {
      if (programs.length > 1) rows.push(this.#row("program", depth + 1, [process.name || "(no name)"], process.pid, own, process.name));
      const inner = programs.length > 1 ? depth + 2 : depth + 1;
      for (const thread of own) rows.push(this.#row("thread", inner, [thread.name], String(thread.tid), [thread], thread.name));
    }
    for (const row of rows) row.hidden = !this.#open;
    return [head, ...rows, ...this.#rowsOf(children, depth + 1)];
  }

  // Of a thread, or of all threads of a program or process.
  #row(kind, depth, label, id, threads, name) {
    const time = (key) => {
      const known = threads.map((thread) => thread[key]).filter((ms) => ms !== undefined);
      return element("td", { class: "number" }, known.length > 0 ? durationText(sum(known)) : "–");
    };
    const sampled = threads.filter(({ unit }) => unit === "samples");
    const markers = ({ markers: { start, leftOut } }) => start.length + sum(leftOut.values());
    const first = element("td", {}, ...label);
    first.style.paddingLeft = indent(depth);
    return element(
      "tr",
      { class: `row-${kind}` },
      first,
      element("td", { class: "number dim" }, id),
      time("cpuMs"),
      ...(this.#hasWaits ? [time("coreWaitMs"), time("waitMs")] : []),
      element("td", { class: "number" }, sampled.length > 0 ? countText(sum(sampled.map(samplesOf))) : "–"),
      element("td", { class: "number" }, countText(sum(threads.map(markers)))),
      element("td", {}, this.#life(Math.min(...threads.map(threadStart)), Math.max(...threads.map(threadEnd)))),
      element("td", {}, this.#only(threads, name)),
    );
  }

  #life(start, end) {
    if (!(end >= start) || start === Infinity) return "";
    const [first, last] = this.#profile.range;
    const bar = element("span", { class: "life-bar" });
    bar.style.left = `${(100 * Math.max(0, start - first)) / (last - first)}%`;
    bar.style.width = `${Math.max(0.5, (100 * (Math.min(end, last) - Math.max(start, first))) / (last - first))}%`;
    const text = `${timeText(start)} to ${timeText(end)}`;
    return element("span", { class: "life-track", role: "img", "aria-label": text, title: text }, bar);
  }

  #only(threads, name) {
    const choose = () => this.#state.set({ threads: new Set(threads.map(({ index }) => index)) });
    return element("button", { type: "button", class: "small", onclick: choose, "aria-label": `Look at ${name} only` }, "only this");
  }
}
