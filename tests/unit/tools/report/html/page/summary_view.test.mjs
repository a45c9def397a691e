import assert from "node:assert/strict";
import test from "node:test";
import { PAGE } from "./sample_profile.mjs";

const { factsOf, lossesOf } = await import(new URL("summary_view.js", PAGE));

test("losses are what is more than nothing, of the first section", () => {
  const entries = [["Lost: no-chunk", "3"], ["Lost: too-large", "0"], ["Lost: x", "0 each"], ["No stack: y", "4"]];
  assert.deepEqual(lossesOf([{ label: "", entries }, { label: "", entries: [["Lost: z", "1"]] }]), [["Lost: no-chunk", "3"]]);
  assert.deepEqual(lossesOf([]), []);
});

test("what the file does not say is not there", () => {
  const meta = { file: "f", command: "", product: "P", machine: "", startEpochMs: 0, durationMs: 1500, intervalMs: 0,
                 samples: 3, idleSamples: 4, markers: 5, processes: 1, format: "Gecko", version: 34 };
  const labels = factsOf({ meta, filters: [], threads: [] }).map(([label]) => label);
  assert.deepEqual(labels, ["File", "Program", "Duration", "Samples", "Markers", "Processes, threads", "Format"]);
});
