import assert from "node:assert/strict";
import test from "node:test";
import { PAGE, sampleData } from "./sample_profile.mjs";

const { markerGroups, MOST_LANES } = await import(new URL("marker_rows.js", PAGE));
const { decodeProfile } = await import(new URL("data_decoder.js", PAGE));

const profile = decodeProfile(sampleData());
const all = { threads: new Set([0, 1]), span: [0, 10], byType: false };
const everything = () => true;

test("a row a name, with what is left out", () => {
  const groups = markerGroups(profile, all, everything);
  assert.equal(groups.length, 1);
  assert.equal(groups[0].label, "main");
  assert.deepEqual(groups[0].rows.map(({ label, count, leftOut, lanes }) => [label, count, leftOut, lanes.length]), [["Load", 2, 10, 2], ["T", 1, 0, 1]]);
});

test("by type, and only what is in the time and matches", () => {
  assert.deepEqual(markerGroups(profile, { ...all, byType: true }, everything).map(({ label }) => label), ["Load", "(no type)"]);
  const late = markerGroups(profile, { ...all, span: [2, 2.5] }, everything);
  assert.deepEqual(late[0].rows.map(({ label, count }) => [label, count]), [["Load", 1]]);
  assert.deepEqual(markerGroups(profile, all, () => false), []);
  assert.deepEqual(markerGroups(profile, { ...all, threads: new Set([1]) }, everything), []);
});

test("markers that overlap are in lanes, the last of which takes the rest", () => {
  const data = sampleData();
  const count = 20;
  const fill = (value) => new Array(count).fill(value);
  data.threads[0].markers = { t: fill(0), d: fill(1000), n: fill(4), g: fill(0), y: fill(-1), s: fill(0), f: fill(0), left: [] };
  const [{ rows }] = markerGroups(decodeProfile(data), all, everything);
  assert.equal(rows[0].lanes.length, MOST_LANES);
  assert.equal(rows[0].lanes.flat().length, count);
});
