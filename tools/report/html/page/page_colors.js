// Colours of the page: those of the style sheet for what is drawn on a canvas, those of categories and libraries.

// The viewer's names of colours: hue, saturation.
const CATEGORY_HUES = {
  transparent: [220, 4],
  grey: [220, 6],
  gray: [220, 6],
  darkgray: [220, 10],
  darkgrey: [220, 10],
  purple: [275, 50],
  yellow: [48, 75],
  orange: [28, 80],
  lightblue: [200, 65],
  blue: [215, 65],
  green: [135, 42],
  lightgreen: [95, 45],
  brown: [25, 32],
  magenta: [315, 55],
  red: [2, 65],
  lightred: [355, 60],
};
const LIBRARY_HUES = [215, 28, 135, 275, 190, 48, 330, 95, 245, 10, 165, 300];

export const isDark = () => document.documentElement.dataset.theme === "dark";

let cached = null;
export function themeColors() {
  if (cached !== null) return cached;
  const style = getComputedStyle(document.documentElement);
  const names = ["ink", "dim", "line", "paper", "raised", "accent", "focus", "match", "faded", "cpu", "cpu-line", "chosen", "marker", "shade"];
  cached = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return cached;
}

export function forgetColors() {
  cached = null;
}

const shade = ([hue, saturation]) => (isDark() ? `hsl(${hue} ${saturation}% 30%)` : `hsl(${hue} ${saturation}% 82%)`);

export const categoryColor = (color) => shade(CATEGORY_HUES[color] ?? CATEGORY_HUES.grey);

// Stronger: for bars and lines.
export function strongColor(color) {
  const [hue, saturation] = CATEGORY_HUES[color] ?? CATEGORY_HUES.grey;
  return isDark() ? `hsl(${hue} ${saturation}% 62%)` : `hsl(${hue} ${saturation}% 42%)`;
}

// Of a share that became larger (red) or smaller (blue), the stronger the more, beside the change that is the most.
export function changeColor(change, most) {
  const part = most > 0 ? Math.sqrt(Math.min(1, Math.abs(change) / most)) : 0;
  if (part < 0.05) return shade(CATEGORY_HUES.grey);
  const hue = change > 0 ? 4 : 214;
  return isDark() ? `hsl(${hue} ${20 + 50 * part}% ${26 + 16 * part}%)` : `hsl(${hue} ${40 + 50 * part}% ${92 - 26 * part}%)`;
}

// Always the same one for a name.
export function libraryColor(name) {
  if (name === "") return shade(CATEGORY_HUES.grey);
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  return shade([LIBRARY_HUES[hash % LIBRARY_HUES.length], 52]);
}
