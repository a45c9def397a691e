// FlameGraph: the boxes of flame_layout.js on a canvas, of which only what is to be seen is drawn.
//
// Pointer: a click zooms to a box, on its callers out again. Keys: arrows go from box to box, Enter zooms, Escape
// zooms out. The line below the graph says what the box is that has the focus, for whoever cannot see it.

import { changeOf, changeText, mostChanged } from "./box_changes.js";
import { boxAt, findPath, firstBoxFrom, layoutFromCallees, layoutFromRoots, pathOf } from "./flame_layout.js";
import { matchBoxes, matchFunctions } from "./function_search.js";
import { hideCard, showCard, valueList } from "./hover_card.js";
import { countText, durationText, percentText, weightText } from "./number_format.js";
import { categoryColor, changeColor, libraryColor, themeColors } from "./page_colors.js";
import { byId, element, fitCanvas, fitText, onceAFrame } from "./page_elements.js";

const ROW = 20; // pixels
const FONT = "12px system-ui, sans-serif";

export class FlameGraph {
  #profile;
  #state;
  #boxes = null;
  #weights = null;
  #zoom = -1; // box, -1: all
  #focus = -1;
  #mostChanged = 0;
  #found = { boxes: [], weight: 0 };
  #search;
  #place = byId("flame-place");
  #canvas = byId("flame-canvas");
  #spacer = byId("flame-spacer");
  draw = onceAFrame(() => this.#draw());

  constructor(profile, state) {
    this.#profile = profile;
    this.#state = state;
    this.#search = matchFunctions(profile.functions, "");
    const place = this.#place;
    place.addEventListener("scroll", this.draw);
    place.addEventListener("keydown", (event) => this.#onKey(event));
    place.addEventListener("focus", () => {
      if (this.#focus < 0 && this.#boxes?.count > 0) this.#setFocus(Math.max(0, this.#zoom));
      this.draw();
    });
    place.addEventListener("blur", this.draw);
    place.addEventListener("mousemove", (event) => this.#onMove(event));
    place.addEventListener("mouseleave", hideCard);
    place.addEventListener("click", (event) => this.#onClick(event));
    byId("flame-reset").addEventListener("click", () => this.zoomTo(-1));
    byId("search-next").addEventListener("click", () => this.goToMatch(1));
    byId("search-previous").addEventListener("click", () => this.goToMatch(-1));
    new ResizeObserver(this.draw).observe(place);
  }

  // New sums: the box that was looked at stays, if there is one of its kind.
  update(weights) {
    const path = this.#funcs(this.#zoom);
    const focusPath = this.#funcs(this.#focus);
    this.#weights = weights;
    const { nodes } = this.#profile;
    const layout = this.#state.get("inverted") ? layoutFromCallees : layoutFromRoots;
    this.#boxes = layout(nodes, weights.self, weights.sides);
    this.#mostChanged = mostChanged(this.#boxes);
    this.#zoom = path.length > 0 ? findPath(this.#boxes, path) : -1;
    this.#focus = focusPath.length > 0 ? findPath(this.#boxes, focusPath) : -1;
    this.#spacer.style.height = `${(this.#boxes.rows.length - 1) * ROW}px`;
    this.search(this.#state.get("search"));
    this.#describe();
    this.#showZoom();
    byId("flame-empty").hidden = this.#boxes.count > 0;
    byId("flame-faint").textContent =
      this.#boxes.faint > 0 ? `${countText(this.#boxes.faint)} boxes are too light to show their callers` : "";
    this.draw();
  }

  turn() {
    this.#zoom = this.#focus = -1;
    this.#place.scrollTop = 0;
  }

  search(text) {
    this.#search = matchFunctions(this.#profile.functions, text);
    const result = byId("search-result");
    if (this.#search.isEmpty || this.#boxes === null) {
      this.#found = { boxes: [], weight: 0 };
      result.textContent = "";
    } else {
      this.#found = matchBoxes(this.#boxes, this.#search.matches);
      const { boxes, weight } = this.#found;
      result.textContent =
        boxes.length === 0
          ? "no match"
          : `${countText(boxes.length)} ${boxes.length === 1 ? "box" : "boxes"}, ${percentText(weight, this.#boxes.sum)}`;
    }
    this.draw();
  }

  // To the next or previous box that matches.
  goToMatch(step) {
    const { boxes } = this.#found;
    if (boxes.length === 0) return;
    const at = boxes.indexOf(this.#focus);
    const next = at < 0 ? (step > 0 ? 0 : boxes.length - 1) : (at + step + boxes.length) % boxes.length;
    const box = boxes[next];
    if (!this.#isInView(box)) this.zoomTo(-1);
    this.#setFocus(box);
  }

  zoomTo(box) {
    this.#zoom = box;
    if (box >= 0) this.#setFocus(box);
    this.#showZoom();
    this.draw();
  }

  // What is on the screen, for tests: [{name, x, y, width, weight, isMatch}], in CSS pixels of the window.
  visibleBoxes() {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const list = [];
    this.#eachVisible(0.6, (box, x, y, width) => {
      const name = this.#profile.functions.name(this.#boxes.func[box]);
      const isMatch = this.#search.matches[this.#boxes.func[box]] === 1;
      list.push({ name, x: left + x, y: top + y, width, depth: this.#boxes.depth[box], weight: this.#boxes.total[box], isMatch });
    });
    return list;
  }

  #funcs(box) {
    return box < 0 ? [] : pathOf(this.#boxes, box).reverse().map((at) => this.#boxes.func[at]);
  }

  #window() {
    if (this.#zoom < 0) return [0, this.#boxes.sum];
    return [this.#boxes.start[this.#zoom], this.#boxes.total[this.#zoom]];
  }

  #isInView(box) {
    const [from, length] = this.#window();
    const { start, total } = this.#boxes;
    return start[box] < from + length && start[box] + total[box] > from;
  }

  #eachVisible(least, visit) {
    const boxes = this.#boxes;
    if (boxes === null || boxes.count === 0) return;
    const width = this.#place.clientWidth;
    const [from, length] = this.#window();
    const scale = width / length;
    const { scrollTop, clientHeight } = this.#place;
    const lastRow = Math.min(boxes.rows.length - 2, Math.floor((scrollTop + clientHeight) / ROW));
    for (let depth = Math.floor(scrollTop / ROW); depth <= lastRow; depth++) {
      let drawnTo = -Infinity;
      for (let box = firstBoxFrom(boxes, depth, from); box < boxes.rows[depth + 1]; box++) {
        if (boxes.start[box] >= from + length) break;
        const x = Math.max(0, (boxes.start[box] - from) * scale);
        const end = Math.min(width, (boxes.start[box] + boxes.total[box] - from) * scale);
        if (end - x < least && end - drawnTo < least) continue; // what is thinner than a pixel is drawn a pixel at a time
        drawnTo = Math.max(end, x + least);
        visit(box, x, depth * ROW - scrollTop, Math.max(end - x, least));
      }
    }
  }

  #color(box) {
    const { categories, functions } = this.#profile;
    if (this.#state.get("color") === "change") return changeColor(changeOf(this.#boxes, box), this.#mostChanged);
    if (this.#state.get("color") === "library") return libraryColor(functions.library(this.#boxes.func[box]));
    return categoryColor(categories[this.#boxes.category[box]]?.color);
  }

  #draw() {
    const width = this.#place.clientWidth;
    const height = this.#place.clientHeight;
    if (width === 0 || this.#boxes === null) return;
    const context = fitCanvas(this.#canvas, width, height);
    const colors = themeColors();
    context.clearRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    const searching = !this.#search.isEmpty;
    this.#eachVisible(0.6, (box, x, y, boxWidth) => {
      const isMatch = this.#search.matches[this.#boxes.func[box]] === 1;
      const isCaller = this.#zoom >= 0 && this.#boxes.depth[box] < this.#boxes.depth[this.#zoom];
      context.globalAlpha = isCaller ? 0.55 : 1;
      context.fillStyle = searching ? (isMatch ? colors.match : colors.faded) : this.#color(box);
      context.fillRect(x, y, boxWidth > 3 ? boxWidth - 1 : boxWidth, ROW - 1);
      context.fillStyle = searching && !isMatch ? colors.dim : colors.ink;
      const name = fitText(context, this.#profile.functions.name(this.#boxes.func[box]), boxWidth - 9);
      if (name !== "") context.fillText(name, x + 4, y + ROW / 2);
      context.globalAlpha = 1;
      if (box === this.#focus) this.#drawFocus(context, x, y, boxWidth);
    });
  }

  #drawFocus(context, x, y, width) {
    context.strokeStyle = themeColors()[document.activeElement === this.#place ? "focus" : "dim"];
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, Math.max(2, width - 3), ROW - 3);
  }

  #boxUnder(event) {
    if (this.#boxes === null || this.#boxes.count === 0) return -1;
    const { left, top, width } = this.#canvas.getBoundingClientRect();
    const [from, length] = this.#window();
    const depth = Math.floor((event.clientY - top + this.#place.scrollTop) / ROW);
    return boxAt(this.#boxes, depth, from + ((event.clientX - left) / width) * length);
  }

  #onMove(event) {
    const box = this.#boxUnder(event);
    if (box < 0) return hideCard();
    showCard(event.clientX, event.clientY, element("strong", {}, this.#profile.functions.name(this.#boxes.func[box])), valueList(this.#values(box)));
  }

  #onClick(event) {
    const box = this.#boxUnder(event);
    if (box < 0) return;
    hideCard();
    this.zoomTo(box === this.#zoom ? -1 : box);
  }

  #amount(weight) {
    return this.#state.get("measure") === "cpu" ? `${durationText(weight)} CPU` : weightText(weight, this.#state.get("unit"));
  }

  #values(box) {
    const { functions, categories } = this.#profile;
    const boxes = this.#boxes;
    const func = boxes.func[box];
    const rows = boxes.sides.length > 0 ? this.#sideValues(box) : this.#ownValues(box);
    if (functions.library(func)) rows.push(["library", functions.library(func)]);
    if (functions.source(func)) rows.push(["source", functions.source(func)]);
    const category = categories[boxes.category[box]]?.name;
    if (category) rows.push(["category", category]);
    return rows;
  }

  #totalLabel(box) {
    return this.#state.get("inverted") && this.#boxes.depth[box] > 0 ? "calls to what is above" : "total";
  }

  // Of a comparison: shares of each side's own samples.
  #sideValues(box) {
    const rows = [];
    const [before, after] = this.#boxes.sides;
    const add = (label, figure) =>
      rows.push([label, changeText(before[figure][box], after[figure][box])]);
    add(this.#totalLabel(box), "total");
    if (!this.#state.get("inverted")) add("self", "self");
    return rows;
  }

  #ownValues(box) {
    const boxes = this.#boxes;
    const share = (weight) => `${this.#amount(weight)} (${percentText(weight, boxes.sum)})`;
    const rows = [[this.#totalLabel(box), share(boxes.total[box])]];
    if (!this.#state.get("inverted")) rows.push(["self", share(boxes.self[box])]);
    if (this.#zoom >= 0 && box !== this.#zoom) rows.push(["of the zoomed", percentText(boxes.total[box], boxes.total[this.#zoom])]);
    return rows;
  }

  #setFocus(box) {
    this.#focus = box;
    const top = this.#boxes.depth[box] * ROW;
    const { scrollTop, clientHeight } = this.#place;
    if (top < scrollTop) this.#place.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.#place.scrollTop = top + ROW - clientHeight;
    this.#describe();
    this.draw();
  }

  #describe() {
    const line = byId("flame-details");
    if (this.#boxes === null || this.#focus < 0) {
      line.textContent = "";
      return;
    }
    const name = this.#profile.functions.name(this.#boxes.func[this.#focus]);
    line.replaceChildren(
      element("strong", {}, name),
      ...this.#values(this.#focus).map(([label, value]) => element("span", {}, `${label}: ${value}`)),
    );
  }

  #showZoom() {
    const path = this.#zoom < 0 ? [] : pathOf(this.#boxes, this.#zoom);
    byId("flame-reset").disabled = path.length === 0;
    const text = path.length === 0 ? "all" : this.#profile.functions.name(this.#boxes.func[this.#zoom]);
    byId("flame-zoomed").textContent = `Zoomed to: ${text}`;
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#boxes === null || this.#boxes.count === 0) return;
    const moves = {
      ArrowDown: () => this.#below(),
      ArrowUp: () => this.#boxes.parent[this.#focus],
      ArrowLeft: () => this.#beside(-1),
      ArrowRight: () => this.#beside(1),
      Home: () => 0,
    };
    if (event.key in moves) {
      event.preventDefault();
      const next = moves[event.key]();
      if (next === undefined || next < 0) return;
      if (!this.#isInView(next)) this.#zoom = -1;
      this.#setFocus(next);
      this.#showZoom();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.#focus >= 0) this.zoomTo(this.#focus === this.#zoom ? -1 : this.#focus);
    } else if ((event.key === "Escape" || event.key === "Backspace") && this.#zoom >= 0) {
      event.preventDefault();
      event.stopPropagation();
      this.zoomTo(event.key === "Escape" ? -1 : this.#boxes.parent[this.#zoom]);
    }
  }

  // The heaviest box that hangs on the focused one; in a row below a caller of the zoomed box, the one on the path.
  #below() {
    const { rows, parent, depth, start } = this.#boxes;
    if (this.#focus < 0) return 0;
    const onPath = this.#zoom < 0 ? undefined : pathOf(this.#boxes, this.#zoom).find((box) => parent[box] === this.#focus);
    if (onPath !== undefined) return onPath;
    const row = depth[this.#focus] + 1;
    if (row + 1 >= rows.length) return -1;
    const box = firstBoxFrom(this.#boxes, row, start[this.#focus]);
    return box < rows[row + 1] && parent[box] === this.#focus ? box : -1;
  }

  #beside(step) {
    const { rows, depth } = this.#boxes;
    const next = this.#focus + step;
    const row = depth[this.#focus];
    return next >= rows[row] && next < rows[row + 1] && this.#isInView(next) ? next : -1;
  }
}
