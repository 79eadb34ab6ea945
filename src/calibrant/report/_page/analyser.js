"use strict";
// The cost-benefit analyser: costs to enter, a cut to move; the numbers come from analyser_numbers.js.
(() => {
  const N = calibrant.numbers;
  const MOST_POINTS = 300; // of a curve, the best point among them
  const MOST_HOVERED = 120; // of its points that the pointer finds
  const CELLS = ["tp", "fn", "fp", "tn"];
  const TERMS = { tp: "true positives", fn: "false negatives", fp: "false positives", tn: "true negatives" };
  const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const digits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
  const money = (value) => cents.format(Math.round(value * 100) / 100 + 0);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const score = (value) => (Number.isFinite(value) ? digits.format(value) : "none");

  /** Return an element with properties, attributes (those that are no property) and children. */
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  /** The models at the costs that are entered: tables, profits and best points, computed again where they change. */
  class Analysis {
    constructor(payload) {
      this.payload = payload;
      this.cells = { ...payload.cells };
      this.rows = payload.rows && N.unpackRows(payload.rows);
      this.models = payload.models.map((model) => ({
        ...model,
        proba: N.unpack(model.proba),
        again: model.recalibrated === "same" ? null : N.unpack(model.recalibrated),
        table: model.table && N.unpackTable(model.table),
        tableAgain: model.again && model.again !== "same" ? N.unpackTable(model.again) : null,
        isSame: model.recalibrated === "same" || model.again === "same",
      }));
    }

    /** Change the costs; what depends on them is computed when it is needed, the ranking only where it changes. */
    enter(cells) {
      const isNew = CELLS.some((cell) => cells[cell] !== this.cells[cell]);
      this.cells = { ...cells };
      if (!isNew) return;
      for (const model of this.models) {
        model.profit = null;
        if (this.rows && this.payload.byGain) model.table = null;
      }
    }

    /** Return a model with its table, profits and best step at the present costs. */
    model(index) {
      const model = this.models[index];
      if (!model.table) {
        model.table = N.cumulate(this.payload.byGain ? N.expectedGains(model.proba, this.rows, this.cells) : model.proba, this.rows);
        model.steps = null;
      }
      if (!model.profit) {
        model.profit = N.profits(model.table, this.cells);
        model.best = N.best(model.profit, model.table, this.cells);
      }
      return model;
    }

    at(index, by, value) {
      const { table, profit } = this.model(index);
      return N.at(table, profit, N.locate(table, by, value - (by === "threshold" ? this.slack(index) : 0)));
    }

    /** How far rounding moves probabilities: a threshold typed as a row's own probability selects the row. */
    slack(index) {
      return (!this.payload.byGain && this.payload.models[index].proba?.slack) || 0;
    }

    bestPoint(index) {
      const { table, profit, best } = this.model(index);
      return N.at(table, profit, best);
    }

    interval(index, { position, fraction }) {
      const { table, clusters } = this.model(index);
      const effect = N.designEffect(clusters, this.cells, fraction);
      return N.interval(N.powers(table, this.cells, position), table.total, this.payload.z, effect);
    }

    isUnchanged() {
      return CELLS.every((cell) => this.cells[cell] === this.payload.cells[cell]);
    }

    /** Return the probability above which selecting a row pays; null where there is none such. */
    threshold() {
      const { tp, fp, fn, tn } = this.cells;
      const slope = tp - fn - (fp - tn);
      return this.payload.byGain || !(slope > 0) ? null : (tn - fp) / slope;
    }

    /** Return what deciding by recalibrated probabilities gains: {value, low, high, shown}; null where unknown. */
    recalibration(index) {
      const model = this.model(index);
      if (this.isUnchanged() && model.own) return { ...model.own, shown: model.own.low > 0 };
      if (model.isSame) return { value: 0, shown: false };
      if (this.rows && model.again) {
        const { z, selectsTies } = this.payload;
        return N.recalibration(model.proba, model.again, this.rows, this.cells, z, model.designEffect, selectsTies);
      }
      const threshold = this.threshold();
      if (!model.tableAgain || threshold === null) return null;
      const [now, then] = [model.table, model.tableAgain].map((table) =>
        N.profits(table, this.cells)[N.locate(table, "threshold", threshold)]);
      return { value: then - now };
    }

    /** Return the steps of a model's curve that are drawn. */
    steps(index) {
      const model = this.model(index);
      const { fraction, last } = model.table;
      if (!model.steps) {
        const found = new Set([0, last]);
        for (let k = 1; k < MOST_POINTS - 2; k++) found.add(N.locate(model.table, "fraction", k / (MOST_POINTS - 2)));
        model.steps = [...found].map(Math.ceil);
      }
      return [...new Set([...model.steps, model.best])].sort((a, b) => fraction[a] - fraction[b] || a - b);
    }
  }

  const columnsOf = (points) => ({
    "x": points.map((point) => point.x), "y": points.map((point) => point.y),
    "Threshold": points.map((point) => (Number.isFinite(point.threshold) ? point.threshold : null)),
    "Number of rows": points.map((point) => point.selected),
  });

  /** Return at most so many points for the pointer to find, the last among them. */
  const thinned = (rows) => rows.filter((_, row) => (rows.length - 1 - row) % Math.ceil(rows.length / MOST_HOVERED) === 0);

  /** The two charts; they follow the analysis where they are drawn. */
  class Charts {
    constructor(payloads, name) {
      this.payloads = payloads;
      this.views = payloads.map(() => null);
      this.places = payloads.map((payload) => make("div", { className: "chart", role: "img", "aria-label": payload.title }));
      this.figures = payloads.map((payload, i) => {
        const tool = (label, save) => make("button", { type: "button", textContent: label, onclick: save, "aria-label": `${label}: ${payload.title}`, "data-save": label.endsWith("CSV") ? "csv" : "svg" });
        return make("figure", { className: "figure" },
          make("figcaption", {}, make("p", { className: "figure-title", textContent: payload.title }), make("p", { textContent: payload.caption || "" })),
          this.places[i],
          make("div", { className: "figure-tools" },
            tool("Save as SVG", async () => calibrant.saveSvg(await this.draw(i), `${name}-${i + 1}`)),
            tool("Save data as CSV", () => calibrant.saveCsv(payload, `${name}-${i + 1}`))));
      });
      this.drawings = payloads.map(() => null);
      this.changed = payloads.map(() => new Set());
      const near = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) {
          if (isIntersecting) this.draw(this.figures.indexOf(target));
        }
      }, { rootMargin: "600px 0px" });
      this.figures.forEach((figure) => near.observe(figure));
      addEventListener("beforeprint", () => this.figures.forEach((_, i) => this.draw(i)));
    }

    draw(i) {
      this.drawings[i] = this.drawings[i] || calibrant.embed(this.places[i], this.payloads[i]).then((view) => {
        this.views[i] = view;
        this.payloads[i].data.forEach((_, layer) => this.changed[i].add(layer)); // since the drawing began
        this.flush();
        return view;
      });
      return this.drawings[i];
    }

    /** Set the points of a layer: the curve of a model by its index, the others by their label. */
    set(i, which, points) {
      const layer = this.payloads[i].data.findIndex(({ model, label }) => (model >= 0 ? model : label) === which);
      this.payloads[i].data[layer].columns = columnsOf(points);
      this.changed[i].add(layer);
      this.frame = this.frame || requestAnimationFrame(() => this.flush());
    }

    rows(i, layer) {
      const { columns, model } = this.payloads[i].data[layer];
      const fields = Object.keys(columns);
      return columns.x.map((_, row) => Object.fromEntries([...fields.map((field) => [field, columns[field][row]]), ["layer", layer], ["model", model]]));
    }

    /** Draw what has changed, once a frame. */
    flush() {
      this.frame = null;
      this.views.forEach((view, i) => {
        if (!view) return;
        for (const layer of this.changed[i]) view.data(this.payloads[i].data[layer].name, this.rows(i, layer));
        this.changed[i].clear();
        view.runAsync();
      });
      this.renewHover();
    }

    /** Hand the pointer the new points, once the reader pauses: dividing the plane among them takes a while. */
    renewHover() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.views.forEach((view, i) => {
        const { hover, data } = this.payloads[i];
        if (view && hover) view.data("hover", data.flatMap(({ name }, layer) => (hover.includes(name) ? thinned(this.rows(i, layer)) : []))).runAsync();
      }), 250);
    }

    describe(descriptions) {
      descriptions.forEach((description, i) => this.places[i].setAttribute("aria-label", description));
    }
  }

  calibrant.Analysis = Analysis;
  calibrant.AnalyserCharts = Charts;
  calibrant.analyserTools = { CELLS, TERMS, make, money, percent, score, whole };
})();
