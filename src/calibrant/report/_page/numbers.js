"use strict";
// The numbers of a figure as tables, made when a reader opens them: they would be a fifth of a report on ten models.
(() => {
  const MOST_ROWS = 50; // of a layer; all of them are in the CSV
  const { models } = calibrant.data;
  const labels = new Map();

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // No two regions of a page have the same label
  function unique(label) {
    labels.set(label, (labels.get(label) ?? 0) + 1);
    return labels.get(label) === 1 ? label : `${label} (${labels.get(label)})`;
  }

  // Positions of rows, evenly spread, the first and the last among them
  function spread(length) {
    if (length <= MOST_ROWS) return Array.from({ length }, (_, row) => row);
    return Array.from({ length: MOST_ROWS }, (_, k) => Math.round((k * (length - 1)) / (MOST_ROWS - 1)));
  }

  function table(source, fields, title, show) {
    const columns = fields.map(([field, name, format]) => ({ name, format, values: source.columns[field] }));
    const head = columns.map(({ name }) => make("th", { scope: "col", className: "right", textContent: name }));
    const cell = (row) => ({ values, format }, k) =>
      make(k ? "td" : "th", { className: "right", textContent: show(values[row], format), ...(k ? {} : { scope: "row" }) });
    const rows = spread(columns[0].values.length).map((row) => make("tr", {}, ...columns.map(cell(row))));
    return make("table", {}, make("caption", { textContent: title }), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  }

  function layer(source, fields, context, show) {
    const name = source.model >= 0 && models.length > 1 ? models[source.model].name : "";
    const title = [name, source.label].filter(Boolean).join(": ") || context;
    const scroller = make("div", { className: "table", tabIndex: 0 }, table(source, fields, title, show));
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", unique([...new Set([context, title])].join(", ")));
    const length = source.columns[fields[0][0]].length;
    const note = make("p", { className: "note", textContent: `${MOST_ROWS} of ${length.toLocaleString("en-US")} points; all are in the CSV.` });
    const whole = make("div", {}, scroller, ...(length > MOST_ROWS ? [note] : []));
    if (source.model >= 0) {
      whole.dataset.model = String(source.model);
      whole.hidden = calibrant.hidden().includes(source.model);
    }
    return whole;
  }

  // The tables of a payload's layers; context: what they are of; show: a value and a format as text
  calibrant.numbersOf = (payload, context, show) =>
    payload.data.flatMap((source, index) => (payload.tooltip[index].length && source.columns[payload.tooltip[index][0][0]].length
      ? [layer(source, payload.tooltip[index], context, show)] : []));
})();
