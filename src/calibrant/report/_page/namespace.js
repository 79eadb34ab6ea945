"use strict";
// What the scripts of the page share: the data, the theme and which models are hidden.
window.calibrant = (() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("calibrant-data").textContent);
  const hiddenModels = new Set();
  const listeners = { hidden: [], theme: [] };
  const themes = ["auto", "light", "dark"];
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");

  const hidden = () => [...hiddenModels].sort((a, b) => a - b);
  const isHidden = (models) => models.size > 0 && [...models].every((model) => hiddenModels.has(model));
  const chosen = () => root.dataset.theme;
  const theme = () => (chosen() === "auto" ? (prefersDark.matches ? "dark" : "light") : chosen());

  function setTheme(name) {
    root.dataset.theme = name;
    button.textContent = `Theme: ${name}`;
    listeners.theme.forEach((listener) => listener(theme()));
  }

  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(chosen()) + 1) % themes.length];
    setTheme(next);
    try { localStorage.setItem("calibrant-theme", next); } catch { /* not every browser stores for files */ }
  });
  prefersDark.addEventListener("change", () => setTheme(chosen()));
  try {
    const stored = localStorage.getItem("calibrant-theme");
    if (themes.includes(stored)) setTheme(stored);
  } catch { /* as above */ }

  function toggle(model) {
    if (!hiddenModels.delete(model)) hiddenModels.add(model);
    for (const element of document.querySelectorAll(`[data-model="${model}"]`)) element.hidden = hiddenModels.has(model);
    listeners.hidden.forEach((listener) => listener(hidden()));
  }

  for (const control of document.querySelectorAll("[data-model-switch]")) {
    const model = Number(control.dataset.modelSwitch);
    control.addEventListener("click", () => {
      toggle(model);
      control.setAttribute("aria-pressed", String(!hiddenModels.has(model)));
    });
  }

  return {
    data, hidden, isHidden, theme,
    onHidden: (listener) => listeners.hidden.push(listener),
    onTheme: (listener) => listeners.theme.push(listener),
  };
})();
