import assert from "node:assert/strict";
import test from "node:test";
import { PAGE, sampleData } from "./sample_profile.mjs";

const { callersOf, sumWaits } = await import(new URL("wait_rows.js", PAGE));
const { decodeProfile } = await import(new URL("data_decoder.js", PAGE));

const profile = decodeProfile(sampleData());
const sums = (threads, span, of = profile) => sumWaits(of, { threads: new Set(threads), span });

test("waits of the chosen threads are added up, and short ones have no number", () => {
  assert.deepEqual(sums([0, 1], profile.range), [
    { row: 0, total: 6.5, count: 3, longest: 4 },
    { row: 1, total: 0.5, count: 0, longest: 0 },
  ]);
  assert.deepEqual(sums([0], profile.range), [
    { row: 0, total: 1.5, count: 1, longest: 1.5 },
    { row: 1, total: 0.5, count: 0, longest: 0 },
  ]);
  assert.deepEqual(sums([], profile.range), []);
});

test("a wait counts with its part in the span", () => {
  // The second thread waits from 2 ms to 3 ms and from 4 ms to 8 ms.
  assert.deepEqual(sums([1], [2.5, 5]), [{ row: 0, total: 1.5, count: 2, longest: 1 }]);
  assert.deepEqual(sums([1], [3, 4]), []);
});

test("waits that were put together count as a whole", () => {
  const data = sampleData();
  data.threads[1].waits = { t: [2000], d: [9000], r: [0], c: [7], m: [3000] };
  const together = decodeProfile(data);
  assert.deepEqual(sums([1], together.range, together), [{ row: 0, total: 9, count: 7, longest: 3 }]);
  assert.deepEqual(sums([1], [2.5, 5], together), [{ row: 0, total: 9, count: 7, longest: 3 }]);
});

test("a stack from its innermost function outwards", () => {
  assert.deepEqual(callersOf(profile, profile.waits.node[0]), ["work", "work", "main"]);
  assert.deepEqual(callersOf(profile, profile.waits.holderNode[0]), ["other"]);
  assert.deepEqual(callersOf(profile, -1), []);
});
