// LineGraph: the values of a counter over time, on a canvas with two axes.
//
//   value | ____      |        |        the line, filled down to 0
//    axis |/    \_____|/////// |
//         +-----------|--------|-----
//          time axis  cursor   selection of a drag
//
// The user of the class says where the cursor is, so that several graphs show one time. Sizes are CSS pixels.

import { lowerBound } from "./call_weights.js";
import { themeColors } from "./page_colors.js";
import { element, fitCanvas, onceAFrame } from "./page_elements.js";
import { roundTicks } from "./round_ticks.js";
import { drawAxis } from "./time_axis.js";

const HEIGHT = 120;
const TIME_AXIS = 22;
const TOP = 8;
const PIXELS_A_VALUE = 30; // between two values of the axis
const LEAST_DRAG = 4;

export class LineGraph {
  #series;
  #listeners;
  #canvas = element("canvas");
  #span = [0, 1];
  #cursor = null; // ms
  #drag = null; // [from, to] in pixels
  #draw = onceAFrame(() => this.#drawAll());

  // The graph begins `left` pixels from the edge of `place`. series: {time, value, isRate, isBinary, color, text(value)}; time
  // ascends, in ms. A rate's points are joined by lines, other values hold until the next one.
  // listeners: onCursor(ms or null) and onSelect(from ms, to ms).
  constructor(place, left, series, listeners) {
    this.#series = { ...series, left };
    this.#listeners = listeners;
    const canvas = this.#canvas;
    canvas.addEventListener("pointerdown", (event) => this.#onDown(event));
    canvas.addEventListener("pointermove", (event) => this.#onMove(event));
    canvas.addEventListener("pointerup", () => this.#onUp());
    canvas.addEventListener("pointercancel", () => this.#endDrag());
    canvas.addEventListener("pointerleave", () => listeners.onCursor(null));
    place.append(canvas);
  }

  // Shows [from, to] ms, in the width and the colours of now.
  show(span) {
    this.#span = span;
    this.#drawAll();
  }

  showCursor(ms) {
    this.#cursor = ms;
    this.#draw();
  }

  // The row whose value holds at this time; -1: none.
  rowAt(ms) {
    const { time } = this.#series;
    const after = lowerBound(time, ms);
    return time[after] === ms ? after : after - 1;
  }

  get #width() {
    return Math.max(1, this.#canvas.parentElement.clientWidth - this.#series.left);
  }

  #timeAt(x) {
    const [from, to] = this.#span;
    return from + (Math.min(Math.max(x, 0), this.#width) / this.#width) * (to - from);
  }

  #onDown(event) {
    if (event.button !== 0) return;
    const x = event.offsetX - this.#series.left;
    this.#canvas.setPointerCapture(event.pointerId);
    this.#drag = [x, x];
  }

  #onMove(event) {
    const x = event.offsetX - this.#series.left;
    if (this.#drag !== null) this.#drag[1] = x;
    this.#listeners.onCursor(x < 0 || x > this.#width ? null : this.#timeAt(x));
    this.#draw();
  }

  #onUp() {
    const drag = this.#drag;
    this.#endDrag();
    if (drag !== null && Math.abs(drag[1] - drag[0]) >= LEAST_DRAG) {
      this.#listeners.onSelect(this.#timeAt(Math.min(...drag)), this.#timeAt(Math.max(...drag)));
    }
  }

  #endDrag() {
    this.#drag = null;
    this.#draw();
  }

  #drawAll() {
    const { left } = this.#series;
    const width = this.#width;
    const context = fitCanvas(this.#canvas, left + width, HEIGHT);
    context.clearRect(0, 0, left + width, HEIGHT);
    const bottom = HEIGHT - TIME_AXIS;
    const [first, last] = this.#rowsInView();
    const [low, high] = this.#valueRange(first, last);
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - TOP);
    this.#drawValueAxis(context, low, high, y, width);
    context.save();
    context.translate(left, 0);
    context.beginPath();
    context.rect(0, 0, width, bottom);
    context.clip();
    this.#drawLine(context, first, last, y, width);
    this.#drawPointer(context, bottom, width);
    context.restore();
    context.save();
    context.translate(left, bottom);
    drawAxis(context, this.#span, width, TIME_AXIS);
    context.restore();
  }

  // With the row before and after those in view, to which their lines lead.
  #rowsInView() {
    const { time } = this.#series;
    const [from, to] = this.#span;
    return [Math.max(0, lowerBound(time, from) - 1), Math.min(time.length, lowerBound(time, to) + 1)];
  }

  // With 0 in it, and room for the line's width.
  #valueRange(first, last) {
    let low = 0;
    let high = 0;
    for (let i = first; i < last; i++) {
      low = Math.min(low, this.#series.value[i]);
      high = Math.max(high, this.#series.value[i]);
    }
    if (low === high) return [0, 1];
    const room = (high - low) * 0.08;
    return [low < 0 ? low - room : 0, high + room];
  }

  #drawValueAxis(context, low, high, y, width) {
    const colors = themeColors();
    const { left, isBinary, text } = this.#series;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = colors.dim;
    context.strokeStyle = colors.line;
    const count = Math.floor((HEIGHT - TIME_AXIS - TOP) / PIXELS_A_VALUE);
    for (const value of roundTicks([low, high], count, isBinary ? 2 : 10).ticks) {
      const at = Math.round(y(value)) + 0.5;
      context.beginPath();
      context.moveTo(left, at);
      context.lineTo(left + width, at);
      context.stroke();
      context.fillText(text(value), left - 6, at, left - 6);
    }
    context.textAlign = "left";
  }

  #drawLine(context, first, last, y, width) {
    const { time, value, isRate, color } = this.#series;
    if (first >= last) return;
    const [from, to] = this.#span;
    const x = (ms) => ((ms - from) / (to - from)) * width;
    const line = new Path2D();
    line.moveTo(x(time[first]), y(value[first]));
    for (let i = first + 1; i < last; i++) {
      if (!isRate) line.lineTo(x(time[i]), y(value[i - 1]));
      line.lineTo(x(time[i]), y(value[i]));
    }
    const area = new Path2D(line);
    area.lineTo(x(time[last - 1]), y(0));
    area.lineTo(x(time[first]), y(0));
    context.fillStyle = color.replace(")", " / 0.18)");
    context.fill(area);
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.stroke(line);
    if (time.length === 1) {
      context.fillStyle = color;
      context.beginPath();
      context.arc(x(time[0]), y(value[0]), 3, 0, 2 * Math.PI);
      context.fill();
    }
  }

  #drawPointer(context, bottom, width) {
    const colors = themeColors();
    const [from, to] = this.#span;
    if (this.#drag !== null) {
      context.fillStyle = colors.shade;
      context.fillRect(this.#drag[0], 0, this.#drag[1] - this.#drag[0], bottom);
    }
    if (this.#cursor === null || this.#cursor < from || this.#cursor > to) return;
    const x = Math.round(((this.#cursor - from) / (to - from)) * width) + 0.5;
    context.strokeStyle = colors.dim;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, bottom);
    context.stroke();
    context.setLineDash([]);
  }
}
