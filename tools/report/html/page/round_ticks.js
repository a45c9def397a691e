// Ticks of an axis at round numbers.

// About `count` ticks in [from, to], from < to. Their distance is 1, 2 or 5 times a power of ten, or with base 2 a power of
// two. Returns {step, ticks}.
export function roundTicks([from, to], count, base = 10) {
  const least = (to - from) / Math.max(1, count);
  const step = base === 2 ? 2 ** Math.ceil(Math.log2(least)) : decimalStep(least);
  const ticks = [];
  // Whole multiples: a sum of steps would collect errors of rounding.
  for (let i = Math.ceil(from / step); i <= Math.floor(to / step); i++) ticks.push(step < 1 ? i / Math.round(1 / step) : i * step);
  return { step, ticks };
}

function decimalStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = least / power;
  // The limits lie in the geometric middle between two steps.
  return power * (factor < Math.SQRT2 ? 1 : factor < Math.sqrt(10) ? 2 : factor < Math.sqrt(50) ? 5 : 10);
}
