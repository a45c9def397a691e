// Numbers as a reader wants them.

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const BINARY_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export const countText = (number) => GROUPED.format(number);

export function percentText(part, whole) {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return `${percent.toFixed(Math.abs(percent) >= 99.95 ? 0 : 1)} %`;
}

// A duration of ms.
export function durationText(ms) {
  const size = Math.abs(ms);
  if (size === 0) return "0 ms";
  if (size < 1e-3) return `${(ms * 1e6).toFixed(0)} ns`;
  if (size < 1) return `${(ms * 1e3).toFixed(size < 1e-2 ? 1 : 0)} µs`;
  if (size < 1000) return `${ms.toFixed(size < 10 ? 2 : 1)} ms`;
  if (size < 60e3) return `${(ms / 1e3).toFixed(size < 10e3 ? 3 : 2)} s`;
  const tenths = Math.round(size / 100);
  return `${ms < 0 ? "-" : ""}${countText(Math.floor(tenths / 600))} min ${((tenths % 600) / 10).toFixed(1)} s`;
}

// A point in time, exact enough to tell it from one `step` ms beside it.
export function timeText(ms, step = 1) {
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(step, 1e-6)))));
  return `${(ms / 1e3).toFixed(Math.min(digits, 6))} s`;
}

// How long the part [first, last] of the graphs is. The whole of it is the recording, which has begun before the first
// sample and ended after the last one.
export function viewText([first, last], whole, recordedMs) {
  if (first !== whole[0] || last !== whole[1]) return durationText(last - first);
  return `whole time, ${durationText(recordedMs)}`;
}

export function bytesText(bytes) {
  let size = Math.abs(bytes);
  let unit = 0;
  while (size >= 1024 && unit + 1 < BINARY_UNITS.length) {
    size /= 1024;
    unit++;
  }
  const text = `${unit === 0 ? countText(size) : size.toFixed(1)} ${BINARY_UNITS[unit]}`;
  return bytes < 0 ? `-${text}` : text;
}

// What the samples of a thread weigh.
export const UNIT_TEXTS = { samples: "samples", ms: "traced time", bytes: "allocated bytes" };

// A weight of samples: "12 samples", "1.5 MiB".
export function weightText(weight, unit) {
  if (unit === "bytes") return bytesText(weight);
  if (unit === "ms") return durationText(weight);
  return `${countText(weight)} ${weight === 1 ? "sample" : "samples"}`;
}
