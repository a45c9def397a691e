// TimeLine: all threads over time. Threads are chosen and a range of time is marked here; everything else follows.
//
// Pointer: dragging marks a range, a click chooses a thread (with Ctrl or Shift: one more or less). Keys: in the list
// of threads arrows, Enter (only this one), Space (one more or less), Ctrl+A; the two ends of the range are sliders.

import { hideCard, showCard, valueList } from "./hover_card.js";
import { durationText, percentText, timeText, viewText } from "./number_format.js";
import { anyOf } from "./page_state.js";
import { byId, element, fitCanvas, onceAFrame } from "./page_elements.js";
import { drawAxis } from "./time_axis.js";
import { processText, programsInTree } from "./thread_order.js";
import { ThreadTrack, TRACK_HEIGHT } from "./thread_track.js";

const DRAG_PIXELS = 4;
const AXIS_HEIGHT = 22;
const MOST_STEPS = 12; // of the indentation

export class TimeLine {
  #profile;
  #state;
  #tracks = [];
  #headers = [];
  #active = 0;
  #isFolded = true;
  #list = byId("tracks");
  #axis = byId("axis");
  #draw = onceAFrame(() => this.#drawAll());

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    const programs = programsInTree(profile);
    const busy = programs.filter(({ isQuiet }) => !isQuiet);
    const quiet = busy.length > 0 ? programs.filter(({ isQuiet }) => isQuiet) : [];
    for (const program of busy.length > 0 ? busy : programs) this.#addProgram(program, false);
    if (quiet.length > 0) this.#addFold(quiet.length);
    for (const program of quiet) this.#addProgram(program, true);
    if (this.#headers.length === 1) this.#headers[0].header.title = "all threads are of this process";
    this.#listen();
    state.subscribe((changed) => {
      if (changed.has("threads")) this.#showChosen();
      if (anyOf(changed, "range", "view", "colors")) this.#showRange();
      if (anyOf(changed, "view", "colors", "threads")) this.#draw();
    });
    this.#filter();
    this.#showChosen();
    this.#showRange();
  }

  #addProgram({ process, threads, depth }, isQuiet) {
    const header = element("div", { class: "process-header", role: "presentation" }, processText(process));
    header.style.paddingLeft = `${12 + 12 * Math.min(depth, MOST_STEPS)}px`;
    const tracks = threads.map((thread) => new ThreadTrack(this.#profile, thread));
    this.#headers.push({ header, tracks, isQuiet });
    this.#tracks.push(...tracks);
    this.#list.append(header, ...tracks.map(({ row }) => row));
  }

  // The processes behind it are hidden until it is pressed. A filter finds them all the same.
  #addFold(count) {
    const toggle = () => {
      this.#isFolded = !this.#isFolded;
      button.setAttribute("aria-expanded", String(!this.#isFolded));
      this.#filter();
    };
    const label = count === 1 ? "1 process without samples" : `${count} processes without samples`;
    const button = element("button", { type: "button", class: "name twisty", id: "quiet-processes", "aria-expanded": "false", onclick: toggle }, label);
    this.#list.append(element("div", { class: "process-header", role: "presentation" }, button));
  }

  #listen() {
    new ResizeObserver(() => {
      this.#draw();
      this.#showRange();
    }).observe(this.#list);
    this.#list.addEventListener("scroll", this.#draw);
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("pointerdown", (event) => this.#onDown(event));
    this.#list.addEventListener("pointermove", (event) => this.#onHover(event));
    this.#list.addEventListener("pointerleave", hideCard);
    this.#list.addEventListener("focus", () => this.#setActive(this.#active));
    this.#axis.addEventListener("pointerdown", (event) => this.#onDown(event));
    byId("all-threads").addEventListener("click", () => this.#choose(this.#visible().map(({ thread }) => thread.index)));
    byId("thread-filter").addEventListener("input", () => this.#filter());
    byId("zoom-in").addEventListener("click", () => this.#zoomIn());
    byId("zoom-out").addEventListener("click", () => this.#state.set({ view: this.#profile.range, range: this.#state.get("range") }));
    byId("clear-range").addEventListener("click", () => this.#state.set({ range: null }));
    for (const [id, end] of [["range-start", 0], ["range-end", 1]]) {
      byId(id).addEventListener("keydown", (event) => this.#onSlider(event, end));
      byId(id).addEventListener("pointerdown", (event) => this.#onSliderDown(event, end));
    }
  }

  #visible() {
    return this.#tracks.filter(({ row }) => !row.hidden);
  }

  #filter() {
    const text = byId("thread-filter").value.trim().toLowerCase();
    for (const { header, tracks, isQuiet } of this.#headers) {
      for (const { row, thread } of tracks) {
        const names = `${thread.name} ${thread.tid} ${header.textContent}`.toLowerCase();
        row.hidden = !names.includes(text) || (isQuiet && this.#isFolded && text === "");
      }
      header.hidden = tracks.every(({ row }) => row.hidden);
    }
    this.#draw();
  }

  #choose(indices) {
    if (indices.length === 0) return;
    this.#state.set({ threads: new Set(indices) });
  }

  #toggle(index) {
    const threads = new Set(this.#state.get("threads"));
    if (threads.has(index)) threads.delete(index);
    else threads.add(index);
    this.#choose([...threads]);
  }

  #showChosen() {
    const threads = this.#state.get("threads");
    for (const track of this.#tracks) track.setChosen(threads.has(track.thread.index));
    const all = threads.size === this.#tracks.length;
    const count = this.#tracks.length;
    byId("chosen-threads").textContent = count === 1 ? "1 thread" : all ? `all ${count} threads` : `${threads.size} of ${count} threads`;
    byId("all-threads").disabled = all && byId("thread-filter").value === "";
  }

  #zoomIn() {
    const range = this.#state.get("range");
    if (range !== null) this.#state.set({ view: range, range: null });
  }

  // Where the graphs are: the same columns in the axis and in each row.
  #graph() {
    const box = this.#axis.getBoundingClientRect();
    return { left: box.left, width: box.width };
  }

  #timeAt(clientX) {
    const { left, width } = this.#graph();
    const [from, to] = this.#state.get("view");
    return from + Math.max(0, Math.min(1, (clientX - left) / width)) * (to - from);
  }

  #showRange() {
    const { width } = this.#graph();
    const [first, last] = this.#state.get("view");
    const range = this.#state.get("range");
    const [from, to] = range ?? [first, last];
    const scale = width / (last - first);
    const overlay = byId("range-overlay");
    overlay.classList.toggle("has-range", range !== null);
    byId("shade-before").style.width = `${(from - first) * scale}px`;
    byId("shade-after").style.left = `${(to - first) * scale}px`;
    const step = (last - first) / 1000;
    for (const [id, value] of [["range-start", from], ["range-end", to]]) {
      const slider = byId(id);
      slider.style.left = `${(value - first) * scale}px`;
      slider.setAttribute("aria-valuemin", first.toFixed(3));
      slider.setAttribute("aria-valuemax", last.toFixed(3));
      slider.setAttribute("aria-valuenow", value.toFixed(3));
      slider.setAttribute("aria-valuetext", timeText(value, step));
    }
    const whole = this.#profile.range;
    const zoomed = first !== whole[0] || last !== whole[1];
    byId("range-text").textContent =
      range !== null
        ? `${timeText(from, step)} to ${timeText(to, step)} (${durationText(to - from)})`
        : viewText([first, last], whole, this.#profile.meta.durationMs);
    byId("zoom-in").disabled = range === null;
    byId("clear-range").disabled = range === null;
    byId("zoom-out").disabled = !zoomed;
  }

  #drawAll() {
    const { width } = this.#graph();
    if (width <= 0) return;
    const view = this.#state.get("view");
    const context = fitCanvas(byId("axis-canvas"), width, AXIS_HEIGHT);
    context.clearRect(0, 0, width, AXIS_HEIGHT);
    drawAxis(context, view, width, AXIS_HEIGHT);
    const { top, bottom } = this.#list.getBoundingClientRect();
    for (const track of this.#visible()) {
      const box = track.row.getBoundingClientRect();
      if (box.bottom >= top - TRACK_HEIGHT && box.top <= bottom + TRACK_HEIGHT) track.draw(view, width);
    }
  }

  #trackOf(event) {
    const row = event.target.closest?.(".track");
    return row ? this.#tracks.find((track) => track.row === row) : undefined;
  }

  #isOnGraph(event) {
    const { left, width } = this.#graph();
    return event.clientX >= left && event.clientX <= left + width;
  }

  #onDown(event) {
    if (event.button !== 0 || event.target.closest?.("button")) return;
    const track = this.#trackOf(event);
    const header = this.#headers.find((group) => group.header === event.target);
    if (header) return this.#choose(header.tracks.map(({ thread }) => thread.index));
    if (!this.#isOnGraph(event)) return track && this.#onTrackClick(event, track);
    const startX = event.clientX;
    const start = this.#timeAt(startX);
    let dragged = false;
    this.#drag(event, (move) => {
      dragged = dragged || Math.abs(move.clientX - startX) >= DRAG_PIXELS;
      if (dragged) this.#state.setRange(start, this.#timeAt(move.clientX));
    }, () => !dragged && track && this.#onTrackClick(event, track));
  }

  #onTrackClick(event, track) {
    this.#setActive(this.#visible().indexOf(track));
    if (event.ctrlKey || event.metaKey || event.shiftKey) this.#toggle(track.thread.index);
    else this.#choose([track.thread.index]);
  }

  #onSliderDown(event, end) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    event.target.focus();
    const range = this.#state.get("range") ?? this.#state.get("view");
    const other = range[1 - end];
    this.#drag(event, (move) => this.#state.setRange(other, this.#timeAt(move.clientX)), () => {});
  }

  #drag(event, onMove, onEnd) {
    hideCard();
    const finish = (up) => {
      removeEventListener("pointermove", onMove);
      removeEventListener("pointerup", finish);
      removeEventListener("pointercancel", finish);
      document.body.classList.remove("dragging");
      onEnd(up);
    };
    document.body.classList.add("dragging");
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", finish);
    addEventListener("pointercancel", finish);
  }

  #onSlider(event, end) {
    const [first, last] = this.#state.get("view");
    const range = this.#state.get("range") ?? [first, last];
    const step = ((last - first) / 100) * (event.shiftKey ? 10 : 1);
    const targets = {
      ArrowLeft: range[end] - step,
      ArrowDown: range[end] - step,
      ArrowRight: range[end] + step,
      ArrowUp: range[end] + step,
      PageDown: range[end] - 10 * step,
      PageUp: range[end] + 10 * step,
      Home: end === 0 ? first : range[0] + step,
      End: end === 0 ? range[1] - step : last,
    };
    if (event.key === "Enter") {
      event.preventDefault();
      this.#zoomIn();
    }
    if (!(event.key in targets)) return;
    event.preventDefault();
    const least = (last - first) / 1000;
    let value = Math.max(first, Math.min(last, targets[event.key]));
    value = end === 0 ? Math.min(value, range[1] - least) : Math.max(value, range[0] + least);
    const next = end === 0 ? [value, range[1]] : [range[0], value];
    if (next[0] <= first && next[1] >= last) this.#state.set({ range: null });
    else this.#state.setRange(...next);
  }

  #setActive(position) {
    const rows = this.#visible();
    if (rows.length === 0) return;
    this.#active = Math.max(0, Math.min(rows.length - 1, position));
    const { row } = rows[this.#active];
    for (const track of this.#tracks) track.row.classList.toggle("is-active", track.row === row);
    this.#list.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "nearest" });
  }

  #onKey(event) {
    const rows = this.#visible();
    const moves = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, Home: 0, End: rows.length - 1 };
    if (event.key in moves) {
      this.#setActive(moves[event.key]);
    } else if (event.key === "Enter") {
      if (rows[this.#active]) this.#choose([rows[this.#active].thread.index]);
    } else if (event.key === " ") {
      if (rows[this.#active]) this.#toggle(rows[this.#active].thread.index);
    } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      this.#choose(rows.map(({ thread }) => thread.index));
    } else {
      return;
    }
    event.preventDefault();
  }

  #onHover(event) {
    const track = this.#trackOf(event);
    if (!track || !this.#isOnGraph(event) || event.buttons !== 0) return hideCard();
    const { left, width } = this.#graph();
    const view = this.#state.get("view");
    const bins = track.bins(view, Math.max(1, Math.floor(width)));
    const share = bins[Math.min(bins.length - 1, Math.max(0, Math.floor(event.clientX - left)))];
    const rows = [["time", timeText(this.#timeAt(event.clientX), (view[1] - view[0]) / width)]];
    if (track.thread.active.time.length > 0) {
      rows.push([track.thread.cpuMs === undefined ? "sampled" : "CPU", percentText(Math.min(share, 1), 1)]);
    }
    showCard(event.clientX, event.clientY, element("strong", {}, track.thread.name), valueList(rows));
  }
}
