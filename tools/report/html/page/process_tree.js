// ProcessTree: processes of the system, the programs that each ran one after the other, and their threads, with when
// they lived and what they used.

import { countText, durationText, timeText } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { threadsByProcess, threadStart } from "./thread_order.js";

const MOST_OPEN = 12; // processes

// [{pid, programs: [{process, threads}], children: [...]}] in order of start: those whose parent is not in the profile.
export function processesOf(profile) {
  const byPid = new Map();
  for (const program of threadsByProcess(profile)) {
    const pid = program.process.systemPid;
    if (!byPid.has(pid)) byPid.set(pid, { pid, parentPid: program.process.parentPid, programs: [], children: [], parent: null });
    byPid.get(pid).programs.push(program);
  }
  const roots = [];
  for (const process of byPid.values()) {
    const parent = byPid.get(process.parentPid);
    if (parent === undefined || isBelow(parent, process)) {
      roots.push(process);
    } else {
      process.parent = parent;
      parent.children.push(process);
    }
  }
  return roots;
}

// Whatever a file says of parents, it must stay a tree.
function isBelow(process, other) {
  for (let at = process; at !== null; at = at.parent) if (at === other) return true;
  return false;
}

const countOf = (processes) => processes.reduce((count, { children }) => count + 1 + countOf(children), 0);

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

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    this.#hasWaits = profile.threads.some(({ waitMs }) => waitMs !== undefined);
    const numbers = ["pid, tid", "CPU", ...(this.#hasWaits ? ["For a core", "Waiting"] : []), "Samples", "Markers"];
    const head = ["Process, thread", ...numbers, "Lived", ""].map((label) =>
      element("th", { scope: "col", class: numbers.includes(label) ? "number" : label === "Lived" ? "life" : "" }, label),
    );
    const processes = processesOf(profile);
    const open = countOf(processes) <= MOST_OPEN;
    for (const process of processes) this.#addProcess(process, 0, open);
    const table = element("table", { "aria-label": "Processes and their threads" }, element("thead", {}, element("tr", {}, ...head)), this.#body);
    byId("process-place").append(table);
  }

  #addProcess({ pid, programs, children }, depth, open) {
    const threads = programs.flatMap(({ threads }) => threads);
    const name = [...new Set(programs.map(({ process }) => process.name || "(no name)"))].join(" → ");
    const rows = [];
    const toggle = () => {
      const closed = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!closed));
      for (const row of rows) row.hidden = closed;
    };
    const facts = threads.length === 1 ? "1 thread" : `${countText(threads.length)} threads`;
    const button = element("button", { type: "button", class: "name twisty", "aria-expanded": String(open), onclick: toggle }, name);
    this.#body.append(this.#row("process", depth, [button, element("span", { class: "dim" }, facts)], pid, threads, name));
    for (const { process, threads: own } of programs) {
      if (programs.length > 1) rows.push(this.#row("program", depth + 1, [process.name || "(no name)"], process.pid, own, process.name));
      const inner = programs.length > 1 ? depth + 2 : depth + 1;
      for (const thread of own) rows.push(this.#row("thread", inner, [thread.name], String(thread.tid), [thread], thread.name));
    }
    for (const row of rows) row.hidden = !open;
    this.#body.append(...rows);
    for (const child of children) this.#addProcess(child, depth + 1, open);
  }

  // Of a thread, or of all threads of a program or process.
  #row(kind, depth, label, id, threads, name) {
    const time = (key) => {
      const known = threads.map((thread) => thread[key]).filter((ms) => ms !== undefined);
      return element("td", { class: "number" }, known.length > 0 ? durationText(sum(known)) : "–");
    };
    const sampled = threads.filter(({ unit }) => unit === "samples");
    const samples = ({ time, weight }) => (weight === null ? time.length : sum(weight));
    const markers = ({ markers: { start, leftOut } }) => start.length + sum(leftOut.values());
    const first = element("td", {}, ...label);
    first.style.paddingLeft = `${12 + 18 * depth}px`;
    return element(
      "tr",
      { class: `row-${kind}` },
      first,
      element("td", { class: "number dim" }, id),
      time("cpuMs"),
      ...(this.#hasWaits ? [time("coreWaitMs"), time("waitMs")] : []),
      element("td", { class: "number" }, sampled.length > 0 ? countText(sum(sampled.map(({ active }) => samples(active)))) : "–"),
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
