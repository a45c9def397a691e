import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { PAGE, sampleData } from "./sample_profile.mjs";

const { decodeProfile, unpack } = await import(new URL("data_decoder.js", PAGE));

test("base 64 of gzip of JSON", async () => {
  const text = "\u2028</script> \u{1f600}";
  const packed = gzipSync(JSON.stringify({ text })).toString("base64");
  assert.deepEqual(await unpack(`\n${packed}\n`), { text });
  await assert.rejects(unpack("AAAA"));
});

test("columns become times, nodes and names", () => {
  const profile = decodeProfile(sampleData());
  assert.deepEqual([...profile.threads[0].active.time], [1, 2, 3, 4]);
  assert.deepEqual([...profile.threads[0].active.node], [2, 2, 3, -1]);
  assert.deepEqual([...profile.threads[0].active.cpu], [0, 1, 0.5, 1]);
  assert.equal(profile.threads[0].active.weight, null);
  assert.equal(profile.threads[1].active.weight[0], 2.5);
  assert.equal(profile.threads[1].name, "(no name)");
  assert.deepEqual([...profile.nodes.parent], [-1, 0, 1, 0, -1]);
  assert.equal(profile.functions.name(3), "other");
  assert.equal(profile.functions.library(3), "");
  const { markers } = profile.threads[0];
  assert.deepEqual([...markers.start], [1, 1.5, 3]);
  assert.deepEqual([...markers.end], [3, 1.6, 3]);
  assert.deepEqual([...markers.isPoint], [0, 0, 1]);
  assert.equal(markers.leftOut.get(4), 10);
  assert.deepEqual(profile.range, [1, 10]);
});

test("a profile without anything has a time, too", () => {
  const data = { ...sampleData(), threads: [], counters: [], nodes: { parent: [], function: [], category: [] } };
  assert.deepEqual(decodeProfile(data).range, [0, 1]);
  data.counters = [{ process: 0, name: "c", t: [5000], v: [1] }];
  assert.deepEqual(decodeProfile(data).range, [5, 6]);
});
