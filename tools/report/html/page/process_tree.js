// ProcessTree: processes of the system, the programs that each ran one after the other, and their threads, with when
// they lived and what they used.

import { countText, durationText, timeText } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { threadsByProcess, threadStart } from "./thread_order.js";

const MOST_OPEN = 12; // processes

// [{pid, programs: [{process, threads}]}] in order of start.
export function processesOf(profile) {
  const byPid = new Map();
  for (const program of threadsByProcess(profile)) {
    const pid = program.process.systemPid;
    if (!byPid.has(pid)) byPid.set(pid, { pid, programs: [] });
    byPid.get(pid).programs.push(program);
  }
  return [...byPid.values()];
}

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

function cpuText(threads) {
  const known = threads.filter(({ cpuMs }) => cpuMs !== undefined);
  return known.length > 0 ? `${durationText(sum(known.map(({ cpuMs }) => cpuMs)))} CPU` : "";
}

export class ProcessTree {
  #profile;
  #state;

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    const processes = processesOf(profile);
    byId("process-place").append(...processes.map((process) => this.#process(process, processes.length <= MOST_OPEN)));
  }

  #process({ pid, programs }, open) {
    const threads = programs.flatMap(({ threads }) => threads);
    const names = [...new Set(programs.map(({ process }) => process.name || "(no name)"))];
    return element(
      "details",
      { class: "process", open },
      element(
        "summary",
        {},
        element("strong", {}, names.join(" → ")),
        element("span", { class: "dim" }, `pid ${pid}`),
        element("span", {}, cpuText(threads)),
        element("span", { class: "dim" }, `${countText(threads.length)} ${threads.length === 1 ? "thread" : "threads"}`),
        this.#only(threads, names.join(" → ")),
      ),
      ...programs.map((program) => this.#program(program, programs.length > 1)),
    );
  }

  #program({ process, threads }, isOneOfMany) {
    const rows = threads.map((thread) => this.#thread(thread));
    const head = ["Thread", "tid", "CPU", "Samples", "Markers", "Lived", ""].map((label) => element("th", { scope: "col" }, label));
    return element(
      "section",
      { class: "program" },
      isOneOfMany ? element("h3", {}, `${process.name || "(no name)"}`, element("small", {}, `${process.pid} · ${cpuText(threads)}`)) : null,
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
    );
  }

  #thread(thread) {
    const weight = ({ time, weight: weights }) => (weights === null ? time.length : sum(weights));
    const start = threadStart(thread);
    const end = threadEnd(thread);
    const left = sum(thread.markers.leftOut.values());
    return element(
      "tr",
      {},
      element("td", {}, thread.isMain ? element("strong", {}, thread.name) : thread.name),
      element("td", { class: "number dim" }, String(thread.tid)),
      element("td", { class: "number" }, thread.cpuMs === undefined ? "–" : durationText(thread.cpuMs)),
      element("td", { class: "number" }, thread.unit === "samples" ? countText(weight(thread.active)) : "–"),
      element("td", { class: "number" }, countText(thread.markers.start.length + left)),
      element("td", { class: "life" }, this.#life(start, end)),
      element("td", {}, this.#only([thread], thread.name)),
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
    const choose = (event) => {
      event.preventDefault();
      this.#state.set({ threads: new Set(threads.map(({ index }) => index)) });
    };
    return element("button", { type: "button", class: "small", onclick: choose, "aria-label": `Look at ${name} only` }, "only this");
  }
}

