// CPU use of a thread over time, in equal parts of a span.

import { lowerBound } from "./call_weights.js";

// What a sample says of a time: it ends there and is as long as the CPU time it counts, or one interval where that is
// longer. Samples that were put together are spread over their slot.
function sampleSpan(time, cpu, intervalMs, slotMs) {
  if (slotMs > 0) return [time - slotMs / 2, time + slotMs / 2];
  return [time - Math.max(cpu, intervalMs), time];
}

// Float64Array of CPU time by wall time: 1 is a whole core. Without CPU times a sample counts as its interval.
export function cpuBins(thread, [from, to], count, { intervalMs, slotMs }) {
  const bins = new Float64Array(count);
  const { time, cpu, weight } = thread.active;
  const width = (to - from) / count;
  if (!(width > 0) || time.length === 0) return bins;
  const step = intervalMs > 0 ? intervalMs : 1;
  for (let i = lowerBound(time, from - slotMs); i < time.length; i++) {
    const amount = cpu === null ? step * (thread.unit === "samples" && weight !== null ? weight[i] : 1) : cpu[i];
    const [start, end] = sampleSpan(time[i], amount, step, slotMs);
    if (start >= to) break;
    spread(bins, (start - from) / width, (end - from) / width, amount / width);
  }
  return bins;
}

// `amount` evenly over [start, end) of the bins; what lies outside is lost.
function spread(bins, start, end, amount) {
  if (!(end > start)) return;
  const density = amount / (end - start);
  const first = Math.max(0, Math.floor(start));
  const last = Math.min(bins.length - 1, Math.ceil(end) - 1);
  for (let bin = first; bin <= last; bin++) {
    bins[bin] += density * (Math.min(end, bin + 1) - Math.max(start, bin));
  }
}

// How many markers begin in each part.
export function markerBins(markers, [from, to], count) {
  const bins = new Uint32Array(count);
  const width = (to - from) / count;
  if (!(width > 0)) return bins;
  for (let i = lowerBound(markers.start, from); i < markers.start.length && markers.start[i] <= to; i++) {
    bins[Math.min(count - 1, Math.floor((markers.start[i] - from) / width))]++;
  }
  return bins;
}
