// Dark or light: as the system says, or as the switch says, which is kept where the browser allows it.

import { forgetColors } from "./page_colors.js";
import { byId } from "./page_elements.js";

const KEY = "geckoprof-theme";

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a page of a file may have no storage
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // it lasts as long as the page, then
  }
}

// onChange is called when colours are other ones, and not at first.
export function startTheme(onChange) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const choice = byId("theme");
  const apply = () => {
    document.documentElement.dataset.theme = choice.value === "auto" ? (system.matches ? "dark" : "light") : choice.value;
    forgetColors();
  };
  if (["light", "dark"].includes(stored())) choice.value = stored();
  apply();
  choice.addEventListener("change", () => {
    keep(choice.value);
    apply();
    onChange();
  });
  system.addEventListener("change", () => {
    apply();
    onChange();
  });
}
