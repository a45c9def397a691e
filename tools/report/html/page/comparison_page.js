// The page of a comparison: one flame graph of the call paths before and after, and the functions of both. What needs
// threads or a time is hidden.

import { sumWeights } from "./call_weights.js";
import { ChangeTable } from "./change_table.js";
import { FlameGraph } from "./flame_graph.js";
import { byId, element } from "./page_elements.js";
import { PageState } from "./page_state.js";
import { SeenViews } from "./seen_views.js";

export const isComparison = ({ meta }) => meta.beforeFiles !== undefined;

// The shares that a side's samples, or bytes, have in each node.
function sharesOf(profile, thread) {
  const { unit } = profile.threads[thread];
  const { self, sum } = sumWeights(profile, { threads: [thread], span: profile.range, unit, measure: "samples", idle: true });
  return sum > 0 ? self.map((weight) => weight / sum) : self;
}

const WIDTHS = {
  both: ([before, after]) => before.map((share, node) => (share + after[node]) / 2),
  before: ([before]) => before,
  after: ([, after]) => after,
};

export function comparisonState(profile) {
  const hasSamples = profile.nodes.count > 0;
  return new PageState({
    threads: new Set([0, 1]),
    view: profile.range,
    range: null,
    unit: profile.threads[0].unit,
    measure: "samples",
    idle: true,
    inverted: false,
    search: "",
    color: "change",
    width: "both",
    tab: hasSamples ? "flame" : "summary",
    colors: 0,
  });
}

// Of what the page has, only what a comparison can show.
function arrange() {
  for (const part of document.querySelectorAll(".profile-only")) part.hidden = true;
  byId("width-label").hidden = false;
  byId("change-legend").hidden = false;
  byId("color").prepend(element("option", { value: "change" }, "change"));
  byId("color").value = "change";
}

// Returns the flame graph.
export function startComparison(profile, state) {
  arrange();
  const sides = [sharesOf(profile, 0), sharesOf(profile, 1)];
  const flame = new FlameGraph(profile, state);
  const table = new ChangeTable(profile, state, sides);
  const width = byId("width");
  width.value = state.get("width");
  width.addEventListener("change", () => state.set({ width: width.value }));
  const views = new SeenViews(state, {
    flame: () => flame.update({ self: WIDTHS[state.get("width")](sides), sides }),
    functions: () => table.update(),
  });
  views.follow(flame, (changed) => {
    if (changed.has("width")) views.markOld("flame");
  });
  return flame;
}
