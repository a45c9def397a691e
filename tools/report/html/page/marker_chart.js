// MarkerChart: the rows of marker_rows.js on a canvas, of which only what is to be seen is drawn.
//
// Pointer: hovering shows a marker, a click keeps it below. Keys: up and down from row to row, left and right from
// marker to marker, Enter marks the marker's time as the range.

import { hideCard, showCard, valueList } from "./hover_card.js";
import { markerGroups } from "./marker_rows.js";
import { barText, fieldRows, markerTitle, searchText } from "./marker_text.js";
import { countText, durationText, timeText } from "./number_format.js";
import { strongColor, categoryColor, themeColors } from "./page_colors.js";
import { byId, element, fitCanvas, fitText, onceAFrame } from "./page_elements.js";
import { drawAxis } from "./time_axis.js";

const LANE = 17;
const HEADER = 24;
const AXIS_HEIGHT = 22;
const LABEL_WIDTH = 230;
const RIGHT_EDGE = 1; // the scroll bar's column is beside it, as in the time line
const NEAR_PIXELS = 4;
const MOST_CALLERS = 12;
const FONT = "12px system-ui, sans-serif";

export class MarkerChart {
  #profile;
  #state;
  #lines = []; // {top, height, label, row or null}
  #focus = null; // {line, lane, place}
  #place = byId("marker-place");
  #canvas = byId("marker-canvas");
  draw = onceAFrame(() => this.#draw());

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    const place = this.#place;
    place.addEventListener("scroll", this.draw);
    place.addEventListener("keydown", (event) => this.#onKey(event));
    place.addEventListener("focus", this.draw);
    place.addEventListener("blur", this.draw);
    place.addEventListener("mousemove", (event) => this.#onMove(event));
    place.addEventListener("mouseleave", hideCard);
    place.addEventListener("click", (event) => this.#onClick(event));
    byId("marker-filter").addEventListener("input", () => this.update());
    byId("marker-by-type").addEventListener("change", () => this.update());
    new ResizeObserver(this.draw).observe(place);
  }

  update() {
    const words = byId("marker-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (thread, at) => {
      if (words.length === 0) return true;
      const text = searchText(this.#profile, thread.markers, at);
      return words.every((word) => text.includes(word));
    };
    const byType = byId("marker-by-type").value === "type";
    const groups = markerGroups(this.#profile, { threads: this.#state.get("threads"), span: this.#state.span, byType }, matches);
    this.#lines = [];
    let top = AXIS_HEIGHT;
    let shown = 0;
    const add = (label, row, height) => {
      this.#lines.push({ top, height, label, row });
      top += height;
    };
    for (const group of groups) {
      const tid = group.thread ? ` (tid ${group.thread.tid})` : "";
      add(`${group.label}${tid}`, null, HEADER);
      for (const row of group.rows) {
        shown += row.count;
        add(row.label, row, row.lanes.length * LANE + 3);
      }
    }
    byId("marker-spacer").style.height = `${top}px`;
    byId("marker-count").textContent = `${countText(shown)} of ${countText(this.#profile.meta.markers)} markers`;
    byId("marker-empty").hidden = shown > 0;
    this.#focus = null;
    this.#describe();
    this.draw();
  }

  // What is on the screen, for tests: [{name, x, y, width}], in CSS pixels of the window.
  visibleMarkers() {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const list = [];
    this.#eachVisible((marker, x, y, width) => {
      const { markers } = this.#profile.threads[marker.thread];
      list.push({ name: this.#profile.strings[markers.name[marker.at]], x: left + x, y: top + y, width });
    });
    return list;
  }

  #scale() {
    const [from, to] = this.#state.span;
    const width = Math.max(10, this.#place.clientWidth - LABEL_WIDTH - RIGHT_EDGE);
    return { from, to, width, perMs: width / (to - from) };
  }

  #eachLine(visit) {
    const { scrollTop, clientHeight } = this.#place;
    for (const line of this.#lines) {
      if (line.top + line.height < scrollTop + AXIS_HEIGHT) continue;
      if (line.top > scrollTop + clientHeight) break;
      visit(line, line.top - scrollTop);
    }
  }

  #box(marker, { from, width, perMs }) {
    const { markers } = this.#profile.threads[marker.thread];
    const x = Math.max(0, (markers.start[marker.at] - from) * perMs);
    const end = Math.min(width, (markers.end[marker.at] - from) * perMs);
    return { x: LABEL_WIDTH + x, width: Math.max(markers.isPoint[marker.at] ? 0 : 2, end - x) };
  }

  #eachVisible(visit) {
    const scale = this.#scale();
    this.#eachLine(({ row }, y) => {
      row?.lanes.forEach((lane, number) => {
        let drawnTo = -Infinity;
        for (const marker of lane) {
          const { x, width } = this.#box(marker, scale);
          if (x + width < drawnTo + 0.7) continue; // nothing new would be seen
          drawnTo = x + width;
          visit(marker, x, y + number * LANE + 1, width);
        }
      });
    });
  }

  #draw() {
    const width = this.#place.clientWidth;
    const height = this.#place.clientHeight;
    if (width === 0) return;
    const context = fitCanvas(this.#canvas, width, height);
    const colors = themeColors();
    context.clearRect(0, 0, width, height);
    context.textBaseline = "middle";
    this.#drawLabels(context, width, colors);
    context.save();
    context.beginPath();
    context.rect(LABEL_WIDTH - 4, AXIS_HEIGHT, width, height);
    context.clip();
    context.font = FONT;
    this.#eachVisible((marker, x, y, boxWidth) => this.#drawMarker(context, marker, x, y, boxWidth, colors));
    this.#drawFocus(context, colors);
    context.restore();
    const scale = this.#scale();
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, width, AXIS_HEIGHT);
    context.save();
    context.translate(LABEL_WIDTH, 0);
    drawAxis(context, [scale.from, scale.to], scale.width, AXIS_HEIGHT);
    context.restore();
  }

  #drawLabels(context, width, colors) {
    this.#eachLine(({ row, label, height }, y) => {
      if (row === null) {
        context.fillStyle = colors.raised;
        context.fillRect(0, y, width, height - 2);
        context.fillStyle = colors.ink;
        context.font = `600 ${FONT}`;
        context.fillText(fitText(context, label, width - 20), 8, y + height / 2);
        return;
      }
      context.font = FONT;
      context.fillStyle = colors.line;
      context.fillRect(0, y + height - 1, width, 1);
      const note = row.leftOut > 0 ? `${countText(row.count)} (+${countText(row.leftOut)} left out)` : countText(row.count);
      context.textAlign = "right";
      context.fillStyle = colors.dim;
      context.fillText(note, LABEL_WIDTH - 12, y + LANE / 2 + 1);
      context.textAlign = "left";
      context.fillStyle = colors.ink;
      context.fillText(fitText(context, label, LABEL_WIDTH - 32 - context.measureText(note).width), 14, y + LANE / 2 + 1);
    });
  }

  #drawMarker(context, marker, x, y, width, colors) {
    const { markers } = this.#profile.threads[marker.thread];
    const color = this.#profile.categories[markers.category[marker.at]]?.color;
    if (markers.isPoint[marker.at] || width < 3) {
      context.fillStyle = strongColor(color);
      if (!markers.isPoint[marker.at]) return context.fillRect(x, y + 1, Math.max(1.5, width), LANE - 3);
      context.beginPath();
      context.moveTo(x, y + 2);
      context.lineTo(x + 4, y + LANE / 2);
      context.lineTo(x, y + LANE - 3);
      context.lineTo(x - 4, y + LANE / 2);
      return context.fill();
    }
    context.fillStyle = categoryColor(color);
    context.fillRect(x, y + 1, width, LANE - 3);
    context.fillStyle = strongColor(color);
    context.fillRect(x, y + 1, 1.5, LANE - 3);
    if (width < 24) return undefined;
    context.fillStyle = colors.ink;
    return context.fillText(fitText(context, barText(this.#profile, markers, marker.at), width - 8), x + 5, y + LANE / 2);
  }

  #drawFocus(context, colors) {
    const marker = this.#focused();
    if (marker === null) return;
    const { x, width } = this.#box(marker, this.#scale());
    const y = this.#focus.line.top - this.#place.scrollTop + this.#focus.lane * LANE + 1;
    context.strokeStyle = document.activeElement === this.#place ? colors.focus : colors.dim;
    context.lineWidth = 2;
    context.strokeRect(x - 5, y, width + 10, LANE - 1);
  }

  #focused() {
    return this.#focus === null ? null : this.#focus.line.row.lanes[this.#focus.lane][this.#focus.place];
  }

  // {line, lane, place} or null.
  #under(event) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const x = event.clientX - left;
    const y = event.clientY - top + this.#place.scrollTop;
    if (x < LABEL_WIDTH - NEAR_PIXELS || event.clientY - top < AXIS_HEIGHT) return null;
    const line = this.#lines.find((candidate) => y >= candidate.top && y < candidate.top + candidate.height);
    if (!line?.row) return null;
    const lane = Math.min(line.row.lanes.length - 1, Math.floor((y - line.top - 1) / LANE));
    const scale = this.#scale();
    let best = null;
    let bestAway = NEAR_PIXELS + 1;
    line.row.lanes[Math.max(0, lane)].forEach((marker, place) => {
      const box = this.#box(marker, scale);
      const away = x < box.x ? box.x - x : Math.max(0, x - box.x - box.width);
      if (away < bestAway) {
        bestAway = away;
        best = { line, lane: Math.max(0, lane), place };
      }
    });
    return best;
  }

  #content({ thread: index, at }) {
    const thread = this.#profile.threads[index];
    const { markers } = thread;
    const name = this.#profile.strings[markers.name[at]];
    const title = markerTitle(this.#profile, markers, at);
    const [from, to] = this.#state.span;
    const rows = [["start", timeText(markers.start[at], (to - from) / 1000)]];
    if (!markers.isPoint[at]) rows.push(["duration", durationText(markers.end[at] - markers.start[at])]);
    rows.push(["thread", `${thread.name} (${thread.tid})`]);
    const category = this.#profile.categories[markers.category[at]]?.name;
    if (category) rows.push(["category", category]);
    rows.push(...fieldRows(this.#profile, markers, at));
    const callers = this.#callers(markers.stack[at]);
    if (callers) rows.push(["stack", callers]);
    return [element("strong", {}, title.startsWith(name) ? title : `${name}: ${title}`), valueList(rows)];
  }

  #callers(node) {
    const { nodes, functions } = this.#profile;
    const names = [];
    for (let at = node; at >= 0 && names.length < MOST_CALLERS; at = nodes.parent[at]) names.push(functions.name(nodes.func[at]));
    return names.join(" ← ");
  }

  #onMove(event) {
    const hit = this.#under(event);
    if (hit === null) return hideCard();
    showCard(event.clientX, event.clientY, ...this.#content(hit.line.row.lanes[hit.lane][hit.place]));
  }

  #onClick(event) {
    const hit = this.#under(event);
    if (hit === null) return;
    this.#focus = hit;
    this.#describe();
    this.draw();
  }

  #describe() {
    const marker = this.#focused();
    const details = byId("marker-details");
    details.hidden = marker === null;
    details.replaceChildren(...(marker === null ? [] : this.#content(marker)));
  }

  #onKey(event) {
    const rows = this.#lines.filter(({ row }) => row !== null);
    if (rows.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && this.#focus !== null) {
      const { markers } = this.#profile.threads[this.#focused().thread];
      const { at } = this.#focused();
      this.#state.setRange(markers.start[at], markers.end[at]);
      event.preventDefault();
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (this.#focus === null) this.#focus = { line: rows[0], lane: 0, place: 0 };
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.#moveInRow(step);
    else this.#moveToRow(rows, step);
    const { line } = this.#focus;
    const { scrollTop, clientHeight } = this.#place;
    if (line.top < scrollTop + AXIS_HEIGHT) this.#place.scrollTop = line.top - AXIS_HEIGHT;
    else if (line.top + line.height > scrollTop + clientHeight) this.#place.scrollTop = line.top + line.height - clientHeight;
    this.#describe();
    this.draw();
  }

  // In order of time, whatever the lane.
  #moveInRow(step) {
    const { line } = this.#focus;
    const all = line.row.lanes.flatMap((lane, number) => lane.map((marker, place) => ({ line, lane: number, place, marker })));
    const start = ({ marker }) => this.#profile.threads[marker.thread].markers.start[marker.at];
    all.sort((a, b) => start(a) - start(b) || a.lane - b.lane);
    const now = all.findIndex(({ lane, place }) => lane === this.#focus.lane && place === this.#focus.place);
    const next = all[now + step];
    if (next) this.#focus = { line, lane: next.lane, place: next.place };
  }

  #moveToRow(rows, step) {
    const next = rows[rows.indexOf(this.#focus.line) + step];
    if (next) this.#focus = { line: next, lane: 0, place: 0 };
  }
}
