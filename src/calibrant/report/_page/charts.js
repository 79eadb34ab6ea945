"use strict";
// Charts: drawing, the tooltip, saving. Colours are CSS custom properties, so that the theme and print need no redrawing.
(() => {
  const root = document.documentElement;
  const { models, colors } = calibrant.data; // colours of the light theme: what is saved goes on paper
  const views = new Map(); // of each view the models it draws
  let pending = 0;

  // The chart is one image with a label; its numbers stand in a table
  const config = { ...calibrant.data.config, aria: false };

  const rowsOf = (source, layer) => {
    const columns = Object.entries(source.columns);
    const length = columns.length ? columns[0][1].length : 0;
    return Array.from({ length }, (_, row) =>
      Object.fromEntries([...columns.map(([name, values]) => [name, values[row]]), ["layer", layer], ["model", source.model]]));
  };

  // The rows of each layer, and of all that the pointer finds
  function datasetsOf(payload) {
    const found = Object.fromEntries(payload.data.map((source, layer) => [source.name, rowsOf(source, layer)]));
    if (payload.hover?.length) found.hover = payload.hover.flatMap((name) => found[name].map((row) => ({ ...row })));
    return found;
  }

  // d3's formats are reached by a view: the bundle has them, but no name for them
  const shown = (value, format, locale) => {
    if (value === null || value === undefined) return "";
    return format && typeof value === "number" ? locale.format(format)(value) : String(value);
  };

  const tooltip = {
    element: document.getElementById("tooltip"),
    show(event, title, pairs) {
      const list = document.createElement("dl");
      for (const [term, value] of pairs) {
        list.append(Object.assign(document.createElement("dt"), { textContent: term }));
        list.append(Object.assign(document.createElement("dd"), { textContent: value }));
      }
      const heading = Object.assign(document.createElement("strong"), { textContent: title });
      this.element.replaceChildren(...(title ? [heading] : []), list);
      this.element.hidden = false;
      const { width, height } = this.element.getBoundingClientRect();
      const left = event.clientX + 16 + width > root.clientWidth ? event.clientX - 16 - width : event.clientX + 16;
      const top = Math.min(event.clientY + 16, root.clientHeight - height - 8);
      this.element.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
    },
    hide() { this.element.hidden = true; },
  };
  addEventListener("scroll", () => tooltip.hide(), { passive: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") tooltip.hide(); });

  // The value that Vega-Lite hands over is ignored: with nearest points it lacks nominal fields
  const describe = (payload) => function (handler, event, item, value) {
    const datum = item && value !== null && (item.datum.datum ?? item.datum);
    const fields = datum && payload.tooltip[datum.layer];
    if (!fields) return tooltip.hide();
    const source = payload.data[datum.layer];
    const title = [source.model >= 0 && models.length > 1 ? models[source.model].name : "", source.label].filter(Boolean).join(": ");
    tooltip.show(event, title, fields.map(([field, name, format]) => [name, shown(datum[field], format, this.locale())]));
  };

  const settle = () => requestAnimationFrame(() => { if (pending === 0) root.dataset.ready = "true"; });

  async function embed(element, payload) {
    pending += 1;
    root.dataset.ready = "false";
    try {
      const drawing = document.createElement("div");
      drawing.setAttribute("aria-hidden", "true"); // the element has the label
      element.replaceChildren(drawing);
      const { view } = await vegaEmbed(drawing, { ...payload.spec, datasets: datasetsOf(payload) }, {
        ast: true, actions: false, defaultStyle: false, renderer: "svg", mode: "vega-lite", config, tooltip: describe(payload),
        logLevel: 1, // errors; a layer whose model is hidden has no extent, of which Vega warns
      });
      views.set(view, modelsOf(payload));
      view.logLevel(1); // errors only from here on: Vega warns of every layer that is empty as its model is hidden
      hide(view);
      await view.runAsync();
      return view;
    } finally {
      pending -= 1;
      settle();
    }
  }

  const modelsOf = (payload) => new Set(payload.data.map((source) => source.model).filter((model) => model >= 0));

  // A chart of which nothing is left stays as it is, as its axes would have no extent; the page hides it
  function hide(view) {
    if (!calibrant.isHidden(views.get(view)) && views.get(view).size) view.signal("hidden", calibrant.hidden());
  }

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const LEGEND = 22; // pixels of a row of the legend

  // Outside the page, whose switches name the models, a figure of several needs a legend
  function legend(view, height) {
    const drawn = models.map((model, index) => ({ ...model, index })).filter(({ index }) => views.get(view).has(index) && !calibrant.hidden().includes(index));
    const element = (tag, attributes, textContent = "") => {
      const made = Object.assign(document.createElementNS("http://www.w3.org/2000/svg", tag), { textContent });
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      return made;
    };
    return models.length < 2 ? [] : drawn.flatMap(({ name, color, dash, index }, row) => {
      const y = height + LEGEND * (row + 0.5);
      const line = { x1: 8, x2: 38, y1: y, y2: y, stroke: color.light, "stroke-width": 2, "stroke-dasharray": dash.join(" "), "data-model": index };
      return [element("line", line), element("text", { x: 46, y: y + 4, "font-family": "sans-serif", "font-size": 12, fill: colors.ink }, name)];
    });
  }

  async function saveSvg(view, name) {
    const drawing = (await view.toSVG()).replace(/var\(--([\w-]+)\)/g, (whole, property) => colors[property] ?? whole);
    const ground = `<rect width="100%" height="100%" fill="${colors.background}"/>`;
    const height = Number(/height="([\d.]+)"/.exec(drawing)[1]);
    const names = legend(view, height);
    const taller = height + (names.length / 2) * LEGEND;
    const start = (tag) => tag.replace(/height="[\d.]+"/, `height="${taller}"`).replace(/(viewBox="0 0 [\d.]+) [\d.]+"/, `$1 ${taller}"`);
    const text = names.map((each) => new XMLSerializer().serializeToString(each)).join("");
    save(`${name}.svg`, "image/svg+xml", drawing.replace(/^<svg[^>]*>/, (tag) => start(tag) + ground).replace(/<\/svg>\s*$/, () => `${text}</svg>`));
  }

  // A spreadsheet runs text that begins with one of =+-@ as a formula
  const cell = (value) => {
    if (typeof value === "number") return String(value);
    const text = String(value ?? "").replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };

  function csv(payload) {
    const names = [...new Set(payload.data.flatMap((source) => Object.keys(source.columns)))];
    const lines = [["layer", "model", ...names]];
    for (const source of payload.data) {
      const model = source.model >= 0 ? models[source.model].name : "";
      const columns = new Map(Object.entries(source.columns));
      const length = Math.max(0, ...[...columns.values()].map((values) => values.length));
      for (let row = 0; row < length; row += 1) lines.push([source.label, model, ...names.map((name) => columns.get(name)?.[row])]);
    }
    return lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
  }

  const saveCsv = (payload, name) => save(`${name}.csv`, "text/csv", csv(payload));

  calibrant.onHidden(() => { for (const view of views.keys()) { hide(view); view.runAsync(); } });
  Object.assign(calibrant, { embed, shown, modelsOf, tooltip, saveSvg, saveCsv, csv, settle });
})();
