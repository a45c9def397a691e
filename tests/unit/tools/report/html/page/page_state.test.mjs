import assert from "node:assert/strict";
import test from "node:test";
import { PAGE } from "./sample_profile.mjs";

const { anyOf, PageState } = await import(new URL("page_state.js", PAGE));

test("listeners hear of what changed, and only then", () => {
  const state = new PageState({ a: 1, b: 2, view: [0, 10], range: null });
  const heard = [];
  state.subscribe((changed) => heard.push([...changed]));
  state.set({ a: 1 });
  state.set({ a: 2, b: 2 });
  assert.deepEqual(heard, [["a"]]);
  assert.equal(anyOf(new Set(["a"]), "b", "a"), true);
  assert.equal(anyOf(new Set(["a"]), "b"), false);
});

test("a range stays in the view, in order, and not empty", () => {
  const state = new PageState({ view: [0, 10], range: null });
  assert.deepEqual(state.span, [0, 10]);
  state.setRange(7, -3);
  assert.deepEqual(state.get("range"), [0, 7]);
  assert.deepEqual(state.span, [0, 7]);
  state.setRange(4, 4);
  assert.equal(state.get("range"), null);
});
