// Where the boxes of a flame graph are. Boxes are ordered by depth, and from left to right in a row; the heaviest of
// their siblings is the first.
//
//   start, total   0 to sum: a box covers [start, start + total)
//   self           of what ends in the box; in an inverted graph all that the function itself did, in its first row
//   parent         number of the box it hangs on, -1 in the first row
//   rows           row d is [rows[d], rows[d + 1])
//   sides          of a comparison, for each side the boxes' totals and selves in its own weights

import { addUp, childLists } from "./call_weights.js";

// Boxes lighter than this part of all are not followed to their callers: no screen has as many pixels.
const FAINTEST = 1 / 50_000;

class Boxes {
  func = [];
  category = [];
  depth = [];
  parent = [];
  start = [];
  total = [];
  self = [];
  rows = [0];
  sum = 0;
  faint = 0; // boxes whose callers are left out
  sides = [];

  get count() {
    return this.func.length;
  }

  add(func, category, depth, parent, start, total, self) {
    this.func.push(func);
    this.category.push(category);
    this.depth.push(depth);
    this.parent.push(parent);
    this.start.push(start);
    this.total.push(total);
    this.self.push(self);
  }
}

// sides: of a comparison, the weights by node of each.
export function layoutFromRoots(nodes, self, sides = []) {
  const totals = addUp(nodes, self);
  const sideTotals = sides.map((side) => addUp(nodes, side));
  const { firstChild, nextSibling, roots } = childLists(nodes);
  const boxes = new Boxes();
  boxes.sides = sides.map(() => ({ total: [], self: [] }));
  const heaviestFirst = (a, b) => totals[b] - totals[a] || a - b;
  const place = (siblings, depth, parent, from) => {
    let start = from;
    for (const node of siblings.filter((node) => totals[node] > 0).sort(heaviestFirst)) {
      boxes.add(nodes.func[node], nodes.category[node], depth, parent, start, totals[node], Math.max(0, self[node]));
      boxes.sides.forEach((side, i) => {
        side.total.push(sideTotals[i][node]);
        side.self.push(sides[i][node]);
      });
      level.push(node);
      start += totals[node];
    }
    return start;
  };
  let level = [];
  boxes.sum = place(roots, 0, -1, 0);
  for (let depth = 1; level.length > 0; depth++) {
    const above = level;
    const first = boxes.rows[depth - 1];
    boxes.rows.push(boxes.count);
    level = [];
    for (let i = 0; i < above.length; i++) {
      const children = [];
      for (let child = firstChild[above[i]]; child >= 0; child = nextSibling[child]) children.push(child);
      if (children.length > 0) place(children, depth, first + i, boxes.start[first + i]);
    }
  }
  return boxes;
}

// From the functions that samples end in, to their callers.
export function layoutFromCallees(nodes, self, sides = []) {
  const boxes = new Boxes();
  boxes.sides = sides.map(() => ({ total: [], self: [] }));
  const place = (groups, depth, parent, from) => {
    let start = from;
    for (const group of [...groups.values()].sort((a, b) => b.total - a.total || a.func - b.func)) {
      boxes.add(group.func, group.category, depth, parent, start, group.total, depth === 0 ? group.total : 0);
      boxes.sides.forEach((side, i) => {
        side.total.push(group.sideTotals[i]);
        side.self.push(depth === 0 ? group.sideTotals[i] : 0);
      });
      level.push(group);
      start += group.total;
    }
    return start;
  };
  let level = [];
  const ends = [];
  for (let node = 0; node < nodes.count; node++) if (self[node] > 0) ends.push(node);
  const first = groupByFunction(nodes, ends, (i) => self[ends[i]], sides.map((side) => (i) => side[ends[i]]));
  boxes.sum = place(first, 0, -1, 0);
  for (let depth = 1; level.length > 0; depth++) {
    const above = level;
    const firstAbove = boxes.rows[depth - 1];
    boxes.rows.push(boxes.count);
    level = [];
    for (let i = 0; i < above.length; i++) {
      const { members, weights, sideWeights, total } = above[i];
      if (total < boxes.sum * FAINTEST) {
        boxes.faint++;
        continue;
      }
      const callers = members.map((node) => nodes.parent[node]);
      const groups = groupByFunction(nodes, callers, (at) => weights[at], sideWeights.map((side) => (at) => side[at]));
      place(groups, depth, firstAbove + i, boxes.start[firstAbove + i]);
    }
  }
  return boxes;
}

// Nodes (-1: none) put together by function: func -> {func, category, total, members, weights, and those of the sides}.
function groupByFunction(nodes, members, weightOf, sideWeightOf) {
  const groups = new Map();
  for (let i = 0; i < members.length; i++) {
    const node = members[i];
    if (node < 0) continue;
    const func = nodes.func[node];
    let group = groups.get(func);
    if (group === undefined) {
      const sides = { sideTotals: sideWeightOf.map(() => 0), sideWeights: sideWeightOf.map(() => []) };
      group = { func, category: nodes.category[node], total: 0, members: [], weights: [], ...sides };
      groups.set(func, group);
    }
    const weight = weightOf(i);
    group.total += weight;
    group.members.push(node);
    group.weights.push(weight);
    sideWeightOf.forEach((of, side) => {
      group.sideTotals[side] += of(i);
      group.sideWeights[side].push(of(i));
    });
  }
  return groups;
}

// The box of a row that covers `at`, or -1.
export function boxAt(boxes, depth, at) {
  if (depth < 0 || depth + 1 >= boxes.rows.length) return -1;
  let low = boxes.rows[depth];
  let high = boxes.rows[depth + 1];
  const end = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes.start[middle] + boxes.total[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low < end && boxes.start[low] <= at ? low : -1;
}

// The first box of a row that ends behind `at`.
export function firstBoxFrom(boxes, depth, at) {
  let low = boxes.rows[depth];
  let high = boxes.rows[depth + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes.start[middle] + boxes.total[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Functions' names from a box to the first row.
export function pathOf(boxes, box) {
  const path = [];
  for (let at = box; at >= 0; at = boxes.parent[at]) path.push(at);
  return path;
}

// The box with the same functions on its path, or as near to it as there is, -1 where not even the first is there:
// what was looked at is looked at again when the samples change.
export function findPath(boxes, funcs) {
  let found = -1;
  for (let depth = 0; depth < funcs.length && depth + 1 < boxes.rows.length; depth++) {
    let next = -1;
    const from = found < 0 ? boxes.rows[depth] : firstBoxFrom(boxes, depth, boxes.start[found]);
    for (let box = from; box < boxes.rows[depth + 1] && next < 0; box++) {
      if (found >= 0 && boxes.parent[box] !== found) break;
      if (boxes.func[box] === funcs[depth]) next = box;
    }
    if (next < 0) break;
    found = next;
  }
  return found;
}
