import assert from "node:assert/strict";
import test from "node:test";
import { PAGE } from "./sample_profile.mjs";

const { bytesText, countText, durationText, percentText, timeText, viewText, weightText } = await import(new URL("number_format.js", PAGE));

test("numbers as a reader wants them", () => {
  assert.equal(countText(1234567.25), "1,234,567.3");
  assert.equal(percentText(1, 8), "12.5 %");
  assert.equal(percentText(1, 1), "100 %");
  assert.equal(percentText(0, 0), "0.0 %");
  assert.equal(bytesText(512), "512 B");
  assert.equal(bytesText(-1536), "-1.5 KiB");
  assert.equal(weightText(1, "samples"), "1 sample");
  assert.equal(weightText(2048, "bytes"), "2.0 KiB");
});

test("durations from ns to minutes", () => {
  assert.deepEqual([0, 1e-4, 0.0051, 0.34, 1.234, 12.34, 1500, 12345, 90000, 299999].map(durationText),
                   ["0 ms", "100 ns", "5.1 µs", "340 µs", "1.23 ms", "12.3 ms", "1.500 s", "12.35 s", "1 min 30.0 s", "5 min 0.0 s"]);
});

test("a time is as exact as is asked for", () => {
  assert.equal(timeText(1234.5678, 100), "1.2 s");
  assert.equal(timeText(1234.5678, 1), "1.235 s");
  assert.equal(timeText(1234.5678, 0.001), "1.234568 s");
});

test("the whole of the graphs is as long as the recording", () => {
  assert.equal(viewText([2, 7319], [2, 7319], 7322), "whole time, 7.322 s");
  assert.equal(viewText([100, 600], [2, 7319], 7322), "500.0 ms");
});
