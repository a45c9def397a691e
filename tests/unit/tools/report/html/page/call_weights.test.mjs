import assert from "node:assert/strict";
import test from "node:test";
import { PAGE, sampleData } from "./sample_profile.mjs";

const { addUp, lowerBound, rowsIn, sumFunctions, sumWeights } = await import(new URL("call_weights.js", PAGE));
const { decodeProfile } = await import(new URL("data_decoder.js", PAGE));

const profile = decodeProfile(sampleData());
const all = { threads: new Set([0, 1]), span: [0, 10], unit: "samples", measure: "samples", idle: false };

test("the first row that is not before a time", () => {
  assert.equal(lowerBound([1, 2, 2, 3], 2), 1);
  assert.equal(lowerBound([1, 2], 9), 2);
  assert.equal(lowerBound([], 1), 0);
});

test("a span has its beginning and not its end, but for the last moment of all", () => {
  assert.deepEqual(rowsIn([1, 2, 2, 3], [1, 2], 3), [0, 1]);
  assert.deepEqual(rowsIn([1, 2, 2, 3], [2, 3], 4), [1, 3]);
  assert.deepEqual(rowsIn([1, 2, 2, 3], [2, 3], 3), [1, 4]);
});

test("samples are summed up by node", () => {
  const { self, sum, noStack } = sumWeights(profile, all);
  assert.deepEqual([...self], [0, 0, 2, 1, 2.5]);
  assert.equal(sum, 6.5);
  assert.equal(noStack, 1);
  assert.deepEqual([...addUp(profile.nodes, self)], [3, 2, 2, 1, 2.5]);
});

test("of threads, time, measure and idle ones only what is chosen", () => {
  assert.deepEqual([...sumWeights(profile, { ...all, threads: new Set([1]) }).self], [0, 0, 0, 0, 2.5]);
  assert.deepEqual([...sumWeights(profile, { ...all, span: [2, 3] }).self], [0, 0, 1, 0, 2.5]);
  assert.deepEqual([...sumWeights(profile, { ...all, measure: "cpu" }).self], [0, 0, 1, 0.5, 0]);
  assert.deepEqual([...sumWeights(profile, { ...all, idle: true }).self], [0, 0, 2, 1, 3.5]);
  assert.deepEqual([...sumWeights(profile, { ...all, unit: "bytes" }).self], [0, 0, 0, 0, 0]);
});

test("recursion counts once in a function's total", () => {
  const { self } = sumWeights(profile, all);
  const rows = Object.fromEntries(sumFunctions(profile, self).map(({ func, self, total }) => [profile.functions.name(func), [self, total]]));
  assert.deepEqual(rows, { main: [0, 3], work: [2, 2], rest: [1, 1], other: [2.5, 2.5] });
});

test("a stack of 200,000 calls is summed up", () => {
  const count = 200_000;
  const nodes = { count, parent: Int32Array.from({ length: count }, (_, i) => i - 1), func: new Int32Array(count) };
  const self = new Float64Array(count);
  self[count - 1] = 1;
  assert.deepEqual(sumFunctions({ nodes, functions: { count: 1 } }, self), [{ func: 0, self: 1, total: 1 }]);
});
