import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { PAGE, sampleData } from "./sample_profile.mjs";

const { barText, fieldRows, fieldText, markerTitle, searchText } = await import(new URL("marker_text.js", PAGE));
const { decodeProfile } = await import(new URL("data_decoder.js", PAGE));

const profile = decodeProfile(sampleData());
const { markers } = profile.threads[0];

test("values as their format says", () => {
  assert.equal(fieldText(1536, "bytes"), "1.5 KiB");
  assert.equal(fieldText(0.5, "percentage"), "50.0 %");
  assert.equal(fieldText(2, "seconds"), "2.000 s");
  assert.equal(fieldText(12, "duration"), "12.0 ms");
  assert.equal(fieldText(255, "hexadecimal"), "0xff");
  assert.equal(fieldText(4711, "pid"), "4711");
  assert.equal(fieldText(12345.6, "integer"), "12,346");
  assert.equal(fieldText(true), "yes");
  assert.equal(fieldText("<b>", "bytes"), "<b>");
});

test("the page knows each format of a number", async () => {
  const { formats } = JSON.parse(await readFile(new URL("../../../../../../common/lists/marker_formats.json", import.meta.url)));
  for (const { name, stored } of formats) {
    if (!["number", "integer", "hexadecimal"].includes(stored)) continue;
    assert.notEqual(fieldText(12345.678, name), fieldText(12345.678), name);
  }
});

test("a marker's labels and fields", () => {
  assert.equal(markerTitle(profile, markers, 0), "Load: http://x");
  assert.equal(barText(profile, markers, 0), "http://x");
  assert.equal(barText(profile, markers, 1), "Load"); // it has no address
  assert.equal(markerTitle(profile, markers, 2), "T");
  assert.deepEqual(fieldRows(profile, markers, 0), [["Address", "http://x"]]);
  assert.deepEqual(fieldRows(profile, markers, 2), []);
  assert.match(searchText(profile, markers, 0), /http:\/\/x/);
});
