// Rows of the marker chart: which markers stand where.
//
//   group   a thread (or a type)
//   row     markers of one name in a group, in lanes, so that none covers another one
//
// The last of the lanes takes what fits nowhere.

export const MOST_LANES = 6;

// [{label, rows: [{label, count, leftOut, lanes: [[{thread, at}]]}]}]; `matches(thread, at)` says what is shown.
export function markerGroups(profile, { threads, span, byType }, matches) {
  const groups = new Map();
  for (const index of threads) {
    const thread = profile.threads[index];
    const { markers } = thread;
    for (let at = 0; at < markers.start.length && markers.start[at] <= span[1]; at++) {
      if (markers.end[at] < span[0] || !matches(thread, at)) continue;
      const name = profile.strings[markers.name[at]];
      const type = profile.strings[markers.type[at]] ?? "(no type)";
      const key = byType ? type : index;
      let group = groups.get(key);
      if (group === undefined) {
        group = { label: byType ? type : thread.name, thread: byType ? null : thread, rows: new Map() };
        groups.set(key, group);
      }
      let row = group.rows.get(name);
      if (row === undefined) {
        row = { label: name, count: 0, leftOut: 0, from: new Set(), lanes: [], ends: [] };
        group.rows.set(name, row);
      }
      row.from.add(index);
      row.count++;
      putIntoLane(row, { thread: index, at }, markers.start[at], markers.end[at]);
    }
  }
  return [...groups.values()].map((group) => ({
    label: group.label,
    thread: group.thread,
    rows: [...group.rows.values()].sort((a, b) => startOf(profile, a) - startOf(profile, b)).map((row) => finish(profile, row)),
  }));
}

export const startOf = (profile, row) => {
  const [first] = row.lanes[0];
  return profile.threads[first.thread].markers.start[first.at];
};

function putIntoLane(row, marker, start, end) {
  let lane = row.ends.findIndex((last) => last <= start);
  if (lane < 0 && row.lanes.length < MOST_LANES) {
    lane = row.lanes.length;
    row.lanes.push([]);
    row.ends.push(-Infinity);
  }
  if (lane < 0) lane = MOST_LANES - 1;
  row.lanes[lane].push(marker);
  row.ends[lane] = Math.max(row.ends[lane], end);
}

// What PageMarkers left out, of the threads that the row is of.
function finish(profile, { label, count, from, lanes }) {
  let leftOut = 0;
  for (const index of from) {
    for (const [name, left] of profile.threads[index].markers.leftOut) {
      if (profile.strings[name] === label) leftOut += left;
    }
  }
  // Markers of several threads come thread by thread.
  const start = ({ thread, at }) => profile.threads[thread].markers.start[at];
  for (const lane of lanes) if (from.size > 1) lane.sort((a, b) => start(a) - start(b));
  return { label, count, leftOut, lanes };
}
