// The time axis: ticks at round times, drawn on a canvas.

import { themeColors } from "./page_colors.js";
import { roundTicks } from "./round_ticks.js";

const PIXELS_A_TICK = 110;

// [{time, text}]
export function axisTicks([from, to], width) {
  const { step, ticks } = roundTicks([from, to], Math.floor(width / PIXELS_A_TICK));
  return ticks.map((time) => ({ time, text: tickText(time, step, to) }));
}

// Short ones in ms.
function tickText(time, step, last) {
  const inMs = step < 1 || last < 1000;
  const shown = inMs ? step : step / 1000;
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(shown) - 1e-9)));
  return inMs ? `${time.toFixed(digits)} ms` : `${(time / 1000).toFixed(digits)} s`;
}

export function drawAxis(context, span, width, height) {
  const colors = themeColors();
  const scale = width / (span[1] - span[0]);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { time, text } of axisTicks(span, width)) {
    const x = Math.round((time - span[0]) * scale) + 0.5;
    context.strokeStyle = colors.line;
    context.beginPath();
    context.moveTo(x, height - 5);
    context.lineTo(x, height);
    context.stroke();
    context.fillStyle = colors.dim;
    context.textAlign = x < 25 ? "left" : x > width - 30 ? "right" : "center";
    context.fillText(text, Math.min(Math.max(x, 1), width - 1), height / 2 - 2);
  }
  context.textAlign = "left";
}
