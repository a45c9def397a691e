// What a marker says: its schema's labels and the formats of its fields.

import { bytesText, countText, durationText, percentText, timeText } from "./number_format.js";

const SCALE_TO_MS = { seconds: 1e3, milliseconds: 1, microseconds: 1e-3, nanoseconds: 1e-6, duration: 1 };

// A list or table comes as JSON; whether it is one, nobody vouches for.
function partsText(json) {
  try {
    const parts = JSON.parse(json);
    const rowText = (row) => (Array.isArray(row) ? row.join(" | ") : String(row));
    return Array.isArray(parts) ? parts.map(rowText).join(parts.some(Array.isArray) ? "; " : ", ") : String(json);
  } catch {
    return String(json);
  }
}

export function fieldText(value, format) {
  if (format === "list" || format === "table") return partsText(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (format in SCALE_TO_MS) return durationText(value * SCALE_TO_MS[format]);
  switch (format) {
    case "time":
      return timeText(value);
    case "bytes":
      return bytesText(value);
    case "percentage":
      return percentText(value, 1);
    case "integer":
      return countText(Math.round(value));
    case "decimal":
      return countText(value);
    case "hexadecimal":
      return `0x${Math.trunc(value).toString(16)}`;
    default: // pid, tid, what has no format
      return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  }
}

// Map of a marker's values by key.
export function valuesOf(profile, markers, at) {
  const values = new Map();
  const list = markers.fields[at] || [];
  for (let i = 0; i < list.length; i += 2) {
    const value = list[i + 1];
    values.set(profile.strings[list[i]], Array.isArray(value) ? profile.strings[value[0]] : value);
  }
  return values;
}

const schemaOf = (profile, markers, at) => profile.schemas.get(profile.strings[markers.type[at]]);

// [[label, text]] as the schema orders them; behind them what it does not know.
export function fieldRows(profile, markers, at) {
  const values = valuesOf(profile, markers, at);
  const schema = schemaOf(profile, markers, at);
  const rows = [];
  for (const { key, label, format, hidden } of schema?.fields ?? []) {
    if (values.has(key) && !hidden) rows.push([label || key, fieldText(values.get(key), format)]);
    values.delete(key);
  }
  for (const [key, value] of values) rows.push([key, fieldText(value)]);
  return rows;
}

// A label like "{marker.name}: {marker.data.url}"; what is not there is empty.
function fill(template, profile, markers, at) {
  const values = valuesOf(profile, markers, at);
  const formats = new Map((schemaOf(profile, markers, at)?.fields ?? []).map(({ key, format }) => [key, format]));
  return template.replace(/\{marker\.([\w.]+)\}/g, (_, path) => {
    if (path === "name") return profile.strings[markers.name[at]];
    if (path === "start") return timeText(markers.start[at]);
    if (path === "end") return timeText(markers.end[at]);
    if (path === "duration") return durationText(markers.end[at] - markers.start[at]);
    if (path === "category") return profile.categories[markers.category[at]]?.name ?? "";
    const key = path.startsWith("data.") ? path.slice(5) : "";
    return values.has(key) ? fieldText(values.get(key), formats.get(key)) : "";
  });
}

// One line: the schema's own, or the name.
export function markerTitle(profile, markers, at) {
  const schema = schemaOf(profile, markers, at);
  const template = schema?.tooltipLabel || schema?.tableLabel || "";
  const name = profile.strings[markers.name[at]];
  return (template && fill(template, profile, markers, at).trim()) || name;
}

// What stands in a bar of the chart, where there is room.
export function barText(profile, markers, at) {
  const schema = schemaOf(profile, markers, at);
  const name = profile.strings[markers.name[at]];
  if (!schema?.chartLabel) return name;
  return fill(schema.chartLabel, profile, markers, at).trim() || name;
}

// All that a search may find a marker by, in lower case.
export function searchText(profile, markers, at) {
  const texts = [profile.strings[markers.name[at]], profile.strings[markers.type[at]] ?? ""];
  for (const [, value] of valuesOf(profile, markers, at)) texts.push(String(value));
  return texts.join("\n").toLowerCase();
}
