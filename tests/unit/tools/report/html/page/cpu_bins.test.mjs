import assert from "node:assert/strict";
import test from "node:test";
import { PAGE } from "./sample_profile.mjs";

const { cpuBins, markerBins } = await import(new URL("cpu_bins.js", PAGE));

const thread = (time, cpu, weight = null) => ({ unit: "samples", active: { time: Float64Array.from(time), cpu: cpu && Float64Array.from(cpu), weight } });
const exact = { intervalMs: 1, slotMs: 0 };

test("CPU time stands where it was used", () => {
  assert.deepEqual([...cpuBins(thread([1, 2, 4], [1, 0.5, 2]), [0, 4], 4, exact)], [1, 0.5, 1, 1]);
  // Half of it is before the span.
  assert.deepEqual([...cpuBins(thread([1], [2]), [0, 1], 1, exact)], [1]);
  assert.deepEqual([...cpuBins(thread([5, 6], [1, 1]), [0, 4], 2, exact)], [0, 0]);
});

test("without CPU times a sample is an interval", () => {
  assert.deepEqual([...cpuBins(thread([1, 2], null), [0, 4], 2, exact)], [1, 0]);
});

test("what was put together is spread over its slot", () => {
  assert.deepEqual([...cpuBins(thread([2], [2]), [0, 4], 4, { intervalMs: 1, slotMs: 4 })], [0.5, 0.5, 0.5, 0.5]);
});

test("nothing comes of nothing", () => {
  assert.deepEqual([...cpuBins(thread([], []), [0, 4], 2, exact)], [0, 0]);
  assert.deepEqual([...cpuBins(thread([1], [1]), [4, 4], 2, exact)], [0, 0]);
});

test("markers are counted where they begin", () => {
  const markers = { start: Float64Array.of(-1, 0, 0.1, 3, 4, 9) };
  assert.deepEqual([...markerBins(markers, [0, 4], 4)], [2, 0, 0, 2]);
});
