import assert from "node:assert/strict";
import test from "node:test";
import { PAGE } from "./sample_profile.mjs";

const { matchBoxes, matchFunctions } = await import(new URL("function_search.js", PAGE));

const names = ["std::Sort", "main", "resort"];
const functions = { count: 3, name: (func) => names[func], library: (func) => (func === 1 ? "libapp.so" : "") };

test("all words must be in the name or the library, in any case", () => {
  assert.deepEqual([...matchFunctions(functions, "SORT").matches], [1, 0, 1]);
  assert.deepEqual([...matchFunctions(functions, " sort std ").matches], [1, 0, 0]);
  assert.deepEqual([...matchFunctions(functions, "main libapp").matches], [0, 1, 0]);
  assert.equal(matchFunctions(functions, "none").count, 0);
  assert.equal(matchFunctions(functions, "  ").isEmpty, true);
});

test("samples below two matches count once", () => {
  const boxes = { count: 3, func: [0, 2, 1], parent: [-1, 0, -1], total: [5, 3, 2] };
  const found = matchBoxes(boxes, Uint8Array.of(1, 0, 1));
  assert.deepEqual(found, { boxes: [0, 1], weight: 5 });
});
