// The data of the page as C++ wrote them (page_data.h) to tables that the views read.

const MS_PER_US = 1e-3;

export async function unpack(base64) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Differences in us to times in ms.
export function decodeTimes(deltas) {
  const times = new Float64Array(deltas.length);
  let now = 0;
  for (let i = 0; i < deltas.length; i++) {
    now += deltas[i];
    times[i] = now * MS_PER_US;
  }
  return times;
}

const toMs = (column) => (column ? Float64Array.from(column, (us) => us * MS_PER_US) : null);

function decodeEntries(columns) {
  const node = Int32Array.from(columns.n);
  for (let i = 0; i < node.length; i++) node[i] -= 1;
  return {
    time: decodeTimes(columns.t),
    node,
    weight: columns.w ? Float64Array.from(columns.w) : null,
    cpu: toMs(columns.c),
  };
}

function decodeMarkers(columns) {
  const start = decodeTimes(columns.t);
  const end = Float64Array.from(start);
  const isPoint = new Uint8Array(start.length);
  for (let i = 0; i < start.length; i++) {
    if (columns.d[i] < 0) isPoint[i] = 1;
    else end[i] += columns.d[i] * MS_PER_US;
  }
  const leftOut = new Map();
  for (let i = 0; i < columns.left.length; i += 2) leftOut.set(columns.left[i], columns.left[i + 1]);
  return {
    start,
    end,
    isPoint,
    name: Int32Array.from(columns.n),
    category: Int32Array.from(columns.g),
    type: Int32Array.from(columns.y),
    stack: Int32Array.from(columns.s, (node) => node - 1),
    fields: columns.f,
    leftOut,
  };
}

// count and longest: null if each entry is one wait.
function decodeWaits(columns) {
  return {
    begin: decodeTimes(columns.t),
    duration: toMs(columns.d),
    row: Int32Array.from(columns.r),
    count: columns.c ? Float64Array.from(columns.c) : null,
    longest: toMs(columns.m),
  };
}

const decodeWaitRows = (columns) => ({
  ...columns,
  node: Int32Array.from(columns.node, (node) => node - 1),
  holderNode: Int32Array.from(columns.holderNode, (node) => node - 1),
});

function decodeNodes(columns) {
  const parent = Int32Array.from(columns.parent, (back, i) => (back === 0 ? -1 : i - back));
  return { count: parent.length, parent, func: Int32Array.from(columns.function), category: Int32Array.from(columns.category) };
}

// [first, last] of everything that has a time; never empty.
function timeRange(profile) {
  let first = Infinity;
  let last = -Infinity;
  const add = (time) => {
    if (time < first) first = time;
    if (time > last) last = time;
  };
  const addEnds = (times) => {
    if (times.length === 0) return;
    add(times[0]);
    add(times[times.length - 1]);
  };
  for (const thread of profile.threads) {
    addEnds(thread.active.time);
    addEnds(thread.idle.time);
    addEnds(thread.markers.start);
    thread.markers.end.forEach(add);
  }
  for (const counter of profile.counters) addEnds(counter.time);
  if (first > last) return [0, 1];
  return first === last ? [first, first + 1] : [first, last];
}

export function decodeProfile(raw) {
  const { strings } = raw;
  const threads = raw.threads.map((thread, index) => ({
    ...thread,
    index,
    name: thread.name || "(no name)",
    active: decodeEntries(thread.active),
    idle: decodeEntries(thread.idle),
    markers: decodeMarkers(thread.markers),
    waits: decodeWaits(thread.waits),
  }));
  const counters = raw.counters.map((counter) => ({
    ...counter,
    time: decodeTimes(counter.t),
    value: Float64Array.from(counter.v),
  }));
  const profile = {
    meta: raw.meta,
    filters: raw.filters,
    notes: raw.notes,
    sections: raw.sections,
    strings,
    categories: raw.categories.map(([name, color]) => ({ name, color })),
    functions: {
      count: raw.functions.name.length,
      name: (func) => strings[raw.functions.name[func]],
      library: (func) => strings[raw.functions.library[func]] ?? "",
      source: (func) => strings[raw.functions.source[func]] ?? "",
    },
    nodes: decodeNodes(raw.nodes),
    waits: decodeWaitRows(raw.waits),
    processes: raw.processes,
    tables: raw.tables ?? [],
    threads,
    counters,
    schemas: new Map(raw.schemas.map((schema) => [schema.name, schema])),
  };
  profile.range = timeRange(profile);
  return profile;
}
