// What the threads that are looked at waited for in a time, added up by cause, stack and lock.

import { lowerBound } from "./call_weights.js";

// Returns [{row, total, count, longest}] with the largest total first; row is the number of one of the profile's waits.
// A wait counts with its part in the span. A number of waits is 0 if it is unknown.
export function sumWaits(profile, { threads, span: [from, to] }) {
  const sums = new Map();
  const last = profile.range[1];
  for (const index of threads) {
    const { waits } = profile.threads[index];
    const end = to >= last ? waits.begin.length : lowerBound(waits.begin, to);
    for (let i = 0; i < end; i++) {
      const begin = waits.begin[i];
      const whole = waits.duration[i];
      const inside = Math.min(begin + whole, to >= last ? Infinity : to) - Math.max(begin, from);
      if (inside <= 0) continue;
      const row = waits.row[i];
      let sum = sums.get(row);
      if (sum === undefined) sums.set(row, (sum = { row, total: 0, count: 0, longest: 0 }));
      // Waits that were put together lie anywhere in their slot.
      const part = waits.count === null ? inside : whole;
      sum.total += part;
      if (profile.waits.node[row] < 0) continue;
      sum.count += waits.count === null ? 1 : waits.count[i];
      sum.longest = Math.max(sum.longest, waits.longest === null ? part : waits.longest[i]);
    }
  }
  return [...sums.values()].sort((a, b) => b.total - a.total || a.row - b.row);
}

// The functions from a node outwards.
export function callersOf({ nodes, functions }, node) {
  const names = [];
  for (let at = node; at >= 0; at = nodes.parent[at]) names.push(functions.name(nodes.func[at]));
  return names;
}
