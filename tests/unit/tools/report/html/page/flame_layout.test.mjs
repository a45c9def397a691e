import assert from "node:assert/strict";
import test from "node:test";
import { PAGE } from "./sample_profile.mjs";

const { boxAt, findPath, firstBoxFrom, layoutFromCallees, layoutFromRoots, pathOf } = await import(new URL("flame_layout.js", PAGE));

// 0 > 1 > 2(self 2), 0 > 3(self 1), 4(self 5); functions a, b, b, c, b
const nodes = {
  count: 5,
  parent: Int32Array.of(-1, 0, 1, 0, -1),
  func: Int32Array.of(0, 1, 1, 2, 1),
  category: Int32Array.of(0, 0, 0, 0, 0),
};
const self = Float64Array.of(0, 0, 2, 1, 5);

test("boxes lie in their callers, the heaviest first", () => {
  const boxes = layoutFromRoots(nodes, self);
  assert.equal(boxes.sum, 8);
  assert.deepEqual(boxes.func, [1, 0, 1, 2, 1]);
  assert.deepEqual(boxes.start, [0, 5, 5, 7, 5]);
  assert.deepEqual(boxes.total, [5, 3, 2, 1, 2]);
  assert.deepEqual(boxes.parent, [-1, -1, 1, 1, 2]);
  assert.deepEqual(boxes.rows, [0, 2, 4, 5]);
});

test("inverted, the functions that samples end in are at the root", () => {
  const boxes = layoutFromCallees(nodes, self);
  assert.equal(boxes.sum, 8);
  assert.deepEqual(boxes.func.slice(0, 2), [1, 2]);
  assert.deepEqual(boxes.total.slice(0, 2), [7, 1]);
  // Callers of b: b (of 2 samples); of c: a. Those of 5 samples have no caller.
  assert.deepEqual(boxes.func.slice(2, 4), [1, 0]);
  assert.deepEqual(boxes.total.slice(2, 4), [2, 1]);
  assert.deepEqual(boxes.parent.slice(2, 4), [0, 1]);
  assert.equal(boxes.faint, 0);
});

test("boxes are found by place", () => {
  const boxes = layoutFromRoots(nodes, self);
  assert.equal(boxAt(boxes, 0, 4.9), 0);
  assert.equal(boxAt(boxes, 0, 5), 1);
  assert.equal(boxAt(boxes, 1, 2), -1); // nothing is called there
  assert.equal(boxAt(boxes, 1, 7.5), 3);
  assert.equal(boxAt(boxes, 1, 8), -1);
  assert.equal(boxAt(boxes, 9, 1), -1);
  assert.equal(boxAt(boxes, -1, 1), -1);
  assert.equal(firstBoxFrom(boxes, 1, 0), 2);
});

test("a path is found again in other sums", () => {
  const boxes = layoutFromRoots(nodes, self);
  const funcs = pathOf(boxes, 4).reverse().map((box) => boxes.func[box]);
  assert.deepEqual(funcs, [0, 1, 1]);
  const others = layoutFromRoots(nodes, Float64Array.of(0, 0, 9, 1, 5));
  assert.deepEqual(pathOf(others, findPath(others, funcs)).length, 3);
  const fewer = layoutFromRoots(nodes, Float64Array.of(0, 3, 0, 1, 5));
  assert.equal(fewer.depth[findPath(fewer, funcs)], 1);
  assert.equal(findPath(layoutFromRoots(nodes, Float64Array.of(0, 0, 0, 0, 1)), funcs), -1);
});

test("nothing, and negative sums, have no boxes", () => {
  assert.equal(layoutFromRoots(nodes, new Float64Array(5)).count, 0);
  assert.equal(layoutFromCallees(nodes, new Float64Array(5)).count, 0);
  assert.equal(layoutFromRoots(nodes, Float64Array.of(0, 0, 0, 0, -3)).count, 0);
});

test("a deep stack and a wide one are laid out", () => {
  const count = 50_000;
  const deep = { count, parent: Int32Array.from({ length: count }, (_, i) => i - 1), func: new Int32Array(count), category: new Int32Array(count) };
  const end = new Float64Array(count);
  end[count - 1] = 1;
  assert.equal(layoutFromRoots(deep, end).count, count);
  assert.equal(layoutFromCallees(deep, end).count, count);
  const wide = { ...deep, parent: new Int32Array(count).fill(-1), func: Int32Array.from({ length: count }, (_, i) => i) };
  assert.equal(layoutFromRoots(wide, new Float64Array(count).fill(1)).count, count);
});
