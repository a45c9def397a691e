// Elements of the page. Texts become text nodes, so nothing in them is markup.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

// Calls `work` once before the next frame, however often it was asked to.
export function onceAFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

// Fits a canvas to its place on the screen, in device pixels; returns its context, in CSS pixels.
export function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [x, y] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== x) canvas.width = x;
  if (canvas.height !== y) canvas.height = y;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// The text, cut to `width` pixels; "" where not even two letters fit.
const widths = new Map();
export function fitText(context, text, width) {
  if (width < 14) return "";
  const key = `${context.font}\n${text}`;
  let whole = widths.get(key);
  if (whole === undefined) {
    if (widths.size > 20_000) widths.clear();
    whole = context.measureText(text).width;
    widths.set(key, whole);
  }
  if (whole <= width) return text;
  let low = 0;
  let high = Math.min(text.length, Math.ceil(text.length * (width / whole)) + 4);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low < 2 ? "" : `${text.slice(0, low)}…`;
}
