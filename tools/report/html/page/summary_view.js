// The summary: where the profile comes from, what the recording and the page say of themselves.

import { countText, durationText, UNIT_TEXTS } from "./number_format.js";
import { byId, element } from "./page_elements.js";
import { valueList } from "./hover_card.js";

// Entries that say that something is missing: "Lost: no-chunk" with more than "0".
export function lossesOf(sections) {
  const [first] = sections; // all of them added up, where there are several
  return (first?.entries ?? []).filter(([label, value]) => label.startsWith("Lost: ") && !/^0( each)?$/.test(value));
}

function startText(epochMs) {
  return epochMs > 0 ? new Date(epochMs).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC") : "";
}

// Of a comparison: whose samples there are.
function comparedFacts({ meta, filters }) {
  const side = (files) => `${files.join(", ")}${files.length > 1 ? ` (the mean of ${files.length})` : ""}`;
  return [["Before", side(meta.beforeFiles)], ["After", side(meta.afterFiles)], ["Only", filters.join(", ")]].filter(([, value]) => value);
}

export function factsOf({ meta, filters, threads }) {
  const rows = [
    ["File", meta.file],
    ["Program", meta.command || meta.product],
    ["Product", meta.command ? meta.product : ""],
    ["Machine", meta.machine],
    ["Recorded", startText(meta.startEpochMs)],
    ["End", meta.end],
    ["Duration", durationText(meta.durationMs)],
    ["Interval", meta.intervalMs > 0 ? durationText(meta.intervalMs) : ""],
    ["Samples", meta.samples + meta.idleSamples > 0 || !meta.allocations ? `${countText(meta.samples)}, and ${countText(meta.idleSamples)} idle` : ""],
    ["Allocations", meta.allocations],
    ["Markers", countText(meta.markers)],
    ["Processes, threads", `${countText(meta.processes)}, ${countText(threads.length)}`],
    ["Only", filters.join(", ")],
    ["Format", `${meta.format} ${meta.version}`],
  ];
  return rows.filter(([, value]) => value);
}

export function showSummary(profile) {
  const { meta, sections, notes } = profile;
  const isComparison = meta.beforeFiles !== undefined;
  const last = (files) => (files.length === 1 ? files[0].replace(/^.*\//, "") : `${files.length} profiles`);
  const title = isComparison ? `${last(meta.beforeFiles)} → ${last(meta.afterFiles)}` : meta.command || meta.product || meta.file;
  byId("page-title").title = title;
  byId("page-title").textContent = title;
  document.title = `${title} – geckoprof ${isComparison ? "compare" : "report"}`;
  const short = [meta.machine, startText(meta.startEpochMs), durationText(meta.durationMs)].filter(Boolean);
  byId("page-facts").textContent = isComparison ? `shares of each side's ${UNIT_TEXTS[profile.threads[0].unit]}` : short.join(" · ");
  const filters = byId("page-filters");
  filters.hidden = profile.filters.length === 0;
  filters.textContent = `only ${profile.filters.join(", ")}`;

  byId("facts").replaceChildren(valueList(isComparison ? comparedFacts(profile) : factsOf(profile)));
  const losses = lossesOf(sections);
  const warnings = [
    ...notes,
    ...losses.map(([label, value]) => `${label.slice("Lost: ".length)}: ${value} lost while recording`),
    ...(meta.hasStacks ? [] : [profile.filters.length > 0 ? "of what is selected no sample has a stack" : "no stack in this profile has a frame"]),
    ...(meta.hasCpuTimes || isComparison ? [] : ["this profile has no CPU times: the time line shows how many samples there are"]),
  ];
  byId("notes").replaceChildren(...warnings.map((note) => element("li", {}, note)));
  byId("notes-box").hidden = warnings.length === 0;
  const badge = byId("notes-badge");
  badge.hidden = warnings.length === 0;
  badge.textContent = String(warnings.length);
  badge.title = `${warnings.length} notes`;
  byId("sections").replaceChildren(
    ...sections.map(({ label, entries }, i) =>
      element("details", { open: i === 0 }, element("summary", {}, label || "The recording"), valueList(entries)),
    ),
  );
  byId("sections-empty").hidden = sections.length > 0;
}
