// The page: reads its data, makes the views, and lets them follow the state.

import { sumWeights } from "./call_weights.js";
import { comparisonState, isComparison, startComparison } from "./comparison_page.js";
import { CounterGraphs } from "./counter_graphs.js";
import { decodeProfile, unpack } from "./data_decoder.js";
import { FlameGraph } from "./flame_graph.js";
import { FunctionTable } from "./function_table.js";
import { hideCard } from "./hover_card.js";
import { MarkerChart } from "./marker_chart.js";
import { UNIT_TEXTS } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { anyOf, PageState } from "./page_state.js";
import { PageTabs } from "./page_tabs.js";
import { startTheme } from "./page_theme.js";
import { ProcessTree } from "./process_tree.js";
import { showReportTables } from "./report_tables.js";
import { SeenViews } from "./seen_views.js";
import { showSummary } from "./summary_view.js";
import { TimeLine } from "./time_line.js";
import { WaitTable } from "./wait_table.js";

function firstState(profile) {
  const units = [...new Set(profile.threads.map(({ unit }) => unit))];
  const hasSamples = profile.nodes.count > 0;
  const hasMarkers = profile.meta.markers > 0;
  const used = new Set(profile.nodes.category);
  return new PageState({
    threads: new Set(profile.threads.map(({ index }) => index)),
    view: profile.range,
    range: null,
    unit: units.includes("samples") ? "samples" : (units[0] ?? "samples"),
    measure: "samples",
    idle: profile.meta.withIdle,
    inverted: false,
    search: "",
    // Of a native program nearly all is of one category.
    color: used.size > 2 ? "category" : "library",
    tab: hasSamples ? "flame" : hasMarkers ? "markers" : profile.counters.length > 0 ? "counters" : "summary",
    colors: 0,
  });
}

// What is chosen by a select or a check box.
function bindControls(profile, state) {
  const units = [...new Set(profile.threads.map(({ unit }) => unit))];
  const measures = units.map((unit) => [unit, UNIT_TEXTS[unit] ?? unit]);
  if (profile.threads.some(({ active }) => active.cpu !== null)) measures.push(["cpu", "CPU time"]);
  const measure = byId("measure");
  measure.append(...measures.map(([value, text]) => element("option", { value }, text)));
  measure.value = state.get("unit");
  measure.addEventListener("change", () => {
    if (measure.value === "cpu") state.set({ measure: "cpu", unit: "samples" });
    else state.set({ measure: "samples", unit: measure.value });
  });
  byId("measure-label").hidden = measures.length < 2;
  byId("color").value = state.get("color");
  byId("color").addEventListener("change", (event) => state.set({ color: event.target.value }));
  byId("inverted").addEventListener("change", (event) => state.set({ inverted: event.target.checked }));
  byId("idle").checked = state.get("idle");
  byId("idle").addEventListener("change", (event) => state.set({ idle: event.target.checked }));
  const search = byId("search");
  search.addEventListener("input", () => state.set({ search: search.value }));
}

// Keys that hold on the whole page, but where something is typed.
function bindKeys(state, flame) {
  const help = byId("help");
  byId("help-open").addEventListener("click", () => help.showModal());
  byId("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    flame.goToMatch(event.shiftKey ? -1 : 1);
  });
  addEventListener("keydown", (event) => {
    hideCard();
    const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key === "/") {
      event.preventDefault();
      if (!["flame", "functions"].includes(state.get("tab"))) state.set({ tab: "flame" });
      byId("search").focus();
      byId("search").select();
    } else if (event.key === "i") {
      state.set({ inverted: !state.get("inverted"), tab: "flame" });
    } else if (event.key === "?") {
      help.showModal();
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      state.set({ range: null });
    }
  });
}

// Which changes make which view old.
function follow(profile, state, { flame, table, markers, counters, waits }) {
  let weights = null;
  let recolored = false;
  const sums = () => {
    if (weights !== null) return weights;
    const options = { threads: state.get("threads"), span: state.span };
    for (const key of ["unit", "measure", "idle"]) options[key] = state.get(key);
    weights = sumWeights(profile, options);
    return weights;
  };
  const views = new SeenViews(state, {
    flame: () => flame.update(sums()),
    functions: () => table.update(sums()),
    waits: () => waits.update(),
    markers: () => markers.update(),
    counters: () => {
      counters.update(recolored);
      recolored = false;
    },
  });
  views.follow(flame, (changed) => {
    if (anyOf(changed, "threads", "range", "view")) views.markOld("waits", "markers", "counters");
    if (anyOf(changed, "threads", "range", "view", "unit", "measure", "idle")) {
      weights = null;
      views.markOld("flame", "functions");
    }
    if (changed.has("colors")) {
      markers.draw();
      recolored = true;
      views.markOld("counters");
    }
  });
}

// What belongs to the tab.
function showTools(state) {
  hideCard();
  const tab = state.get("tab");
  byId("sample-tools").hidden = tab !== "flame" && tab !== "functions";
  for (const part of document.querySelectorAll(".flame-only")) part.classList.toggle("is-away", tab !== "flame");
}

// The views of one profile.
function startViews(profile, state) {
  new TimeLine(profile, state);
  new ProcessTree(profile, state);
  showReportTables(profile);
  const flame = new FlameGraph(profile, state);
  const markers = new MarkerChart(profile, state);
  const table = new FunctionTable(profile, state);
  follow(profile, state, { flame, markers, table, counters: new CounterGraphs(profile, state), waits: new WaitTable(profile, state) });
  return { flame, markers };
}

async function start() {
  let state = null;
  startTheme(() => state?.set({ colors: state.get("colors") + 1 }));
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old for the page: Chrome 90, Firefox 113 or Safari 16.4 are needed");
  }
  const profile = decodeProfile(await unpack(byId("profile-data").textContent));
  byId("profile-data").remove();
  showSummary(profile);
  byId("page").hidden = false;
  byId("loading").hidden = true;
  state = isComparison(profile) ? comparisonState(profile) : firstState(profile);
  bindControls(profile, state);
  new PageTabs(state);
  state.subscribe(() => showTools(state));
  showTools(state);
  const views = isComparison(profile) ? { flame: startComparison(profile, state) } : startViews(profile, state);
  bindKeys(state, views.flame);
  // For tests, and for whoever has the browser's console open.
  globalThis.geckoprofReport = { boxes: () => views.flame.visibleBoxes(), markers: () => views.markers?.visibleMarkers(), profile };
}

start().catch((error) => {
  byId("loading").textContent = `The page cannot be shown: ${error.message}`;
  document.documentElement.dataset.failed = "yes";
  throw error;
});
