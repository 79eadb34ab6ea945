"use strict";
// The controls and outputs of the cost-benefit analyser.
(() => {
  const { CELLS, TERMS, make, money, percent, score, whole } = calibrant.analyserTools;
  const CUTS = ["fraction", "threshold", "recall"];
  const quoted = (text) => `“${text}”`;

  class View {
    constructor(place, payload) {
      this.place = place;
      this.payload = payload;
      this.analysis = new calibrant.Analysis(payload);
      this.charts = new calibrant.AnalyserCharts(payload.charts, payload.id);
      this.model = payload.start;
      this.inputs = {};
      this.outputs = {};
      this.build();
      this.toBest();
      this.drawCurves();
      calibrant.onHidden((hidden) => this.leaveHidden(hidden));
    }

    id(name) { return `${this.payload.id}-${name}`; }

    input(name, properties) {
      this.inputs[name] = make("input", { name, id: this.id(name), ...properties });
      return this.inputs[name];
    }

    output(name, properties = {}) { // aria-live is off: one sentence is read out, not every number
      this.outputs[name] = make("output", { name, "aria-live": "off", ...properties });
      return this.outputs[name];
    }

    build() {
      const { payload } = this;
      const plain = make("details", {}, make("summary", { textContent: `The best cut of each model at the ${payload.hasCosts ? "costs of the report" : "placeholders"}` }), ...this.place.childNodes);
      this.summary = make("p", { className: "analyser-summary", "aria-live": "polite" });
      this.advice = make("p", { className: "analyser-advice" });
      const notes = [payload.note, payload.storage].filter(Boolean);
      this.place.replaceChildren(
        ...notes.map((textContent) => make("p", { className: "note", textContent })),
        this.modelSelect(),
        make("div", { className: "figures" }, ...this.charts.figures),
        make("div", { className: `analyser-panels${Object.values(payload.parts).some(Boolean) ? " has-parts" : ""}` }, this.cutPanel(), this.costPanel(), this.countPanel(), this.resultPanel()),
        ...(payload.recalibrates ? [this.advice] : []), plain);
    }

    modelSelect() {
      const select = make("select", { name: "model", id: this.id("model"), onchange: () => { this.model = Number(select.value); this.drawCurves(); this.show(); } },
        ...this.payload.names.map((name, value) => make("option", { value: String(value), textContent: name })));
      select.value = String(this.model);
      this.select = select;
      const label = make("label", { htmlFor: select.id, textContent: "Numbers of the model" });
      return make("div", { className: "analyser-model", hidden: this.payload.names.length < 2 }, label, select);
    }

    cutPanel() {
      const { byGain } = this.payload;
      const words = {
        fraction: ["Rows selected", "share of all rows"],
        threshold: byGain ? ["Expected gain at least", "threshold"] : ["Probability at least", "threshold"],
        recall: ["Positives reached", "recall"],
      };
      const rows = CUTS.map((name) => {
        const range = this.input(name, { type: "range", min: "0", max: "1", step: "any", oninput: () => this.cut(name, range.value) });
        const number = this.input(`${name}_value`, { type: "number", step: "any", "aria-label": `${words[name][0]} (${words[name][1]}), as a number`, oninput: () => this.cut(name, number.value), onchange: () => this.show() }); // what is left there is the cut itself
        if (name !== "threshold") Object.assign(number, { min: "0", max: "1" });
        const label = make("label", { htmlFor: range.id }, words[name][0], " ", make("small", { textContent: words[name][1] }));
        return make("div", { className: "analyser-cut" }, label, range, number);
      });
      const best = make("button", { type: "button", name: "best", className: "button", textContent: "Go to the best cut", onclick: () => { this.toBest(); this.show(); } });
      return this.panel("How many to select", "analyser-cuts", ...rows, make("div", { className: "analyser-told" }, best, this.summary));
    }

    panel(title, className, ...content) {
      return make("fieldset", { className: `analyser-panel ${className}` }, make("legend", { textContent: title }), ...content);
    }

    grid(caption, cellOf) {
      const { select, leave, positive, negative } = this.payload;
      const row = (name, cells) => make("tr", {}, make("th", { scope: "row" }, "is ", quoted(name)), ...cells.map((cell) => make("td", {}, cellOf(cell))));
      return make("table", { className: "analyser-grid" },
        make("caption", { textContent: caption }),
        make("thead", {}, make("tr", {}, make("td"), ...[select, leave].map((name) => make("th", { scope: "col", textContent: quoted(name) })))),
        make("tbody", {}, row(positive, ["tp", "fn"]), row(negative, ["fp", "tn"])));
    }

    costPanel() {
      const { cells, labels, parts } = this.payload;
      const grid = this.grid("Benefit of a row; a cost has a minus sign", (name) => {
        const field = this.input(name, { type: "number", step: "any", value: String(cells[name]), "aria-label": labels[name] + (parts[name] ? `, ${parts[name]}` : ""), oninput: () => this.enter() });
        return make("div", {}, field, make("small", { textContent: [TERMS[name].slice(0, -1), parts[name]].filter(Boolean).join(", ") }));
      });
      const reset = make("button", { type: "button", name: "reset", className: "button", textContent: this.payload.hasCosts ? "Back to the costs of the report" : "Back to these placeholders", onclick: () => this.reset() });
      return this.panel("What an outcome earns", "analyser-costs", grid, reset);
    }

    countPanel() {
      const grid = this.grid("Number of rows (confusion matrix)", (name) =>
        make("div", {}, this.output(`count_${name}`), make("small", { textContent: TERMS[name] })));
      return this.panel("What happens to the rows", "analyser-counts", grid);
    }

    resultPanel() {
      const { confidence } = this.payload;
      const interval = make("span", {}, this.output("low"), " to ", this.output("high"));
      const pairs = [
        ["Rows selected", this.output("selected")],
        ["Profit", this.output("profit", { className: "analyser-profit" })],
        [`${100 * confidence} % interval`, interval],
        ["As many at random", this.output("random")],
        ["Gain by the ranking", this.output("gain")],
        ["Best profit", this.output("best_profit")],
        ["… at a share of", this.output("best_fraction")],
        [this.payload.byGain ? "… gain at least" : "… probability at least", this.output("best_threshold")],
        ...(this.payload.recalibrates ? [["Recalibrating gains", this.output("recalibration")]] : []),
      ];
      const list = make("dl", {}, ...pairs.map(([term, value]) => make("div", {}, make("dt", { textContent: term }), make("dd", {}, value))));
      const note = make("p", { className: "note", textContent: "The best of many cuts is optimistic: on other rows it earns less." });
      return this.panel("What it earns", "analyser-results", list, note);
    }

    /** Move the cut to what was typed or dragged; what is not a number changes nothing. */
    cut(by, text) {
      if (text === "" || !Number.isFinite(Number(text))) return;
      const value = Number(text);
      this.state = { by, value: by === "threshold" ? value : Math.min(Math.max(value, 0), 1) };
      this.show(document.activeElement);
    }

    toBest() {
      this.state = { by: "fraction", value: this.analysis.bestPoint(this.model).fraction };
    }

    enter() {
      const cells = Object.fromEntries(CELLS.map((name) => [name, Number(this.inputs[name].value)]));
      const isNumber = (name) => this.inputs[name].value !== "" && Number.isFinite(cells[name]);
      for (const name of CELLS) this.inputs[name].setAttribute("aria-invalid", String(!isNumber(name)));
      if (!CELLS.every(isNumber)) return;
      this.analysis.enter(cells);
      this.show(document.activeElement); // the numbers of one model at once, the curves of all when the browser is idle
      clearTimeout(this.curves);
      this.curves = setTimeout(() => this.drawCurves());
    }

    reset() {
      for (const name of CELLS) this.inputs[name].value = String(this.payload.cells[name]);
      this.enter();
    }

    leaveHidden(hidden) {
      const shown = this.payload.names.map((_, index) => index).filter((index) => !hidden.includes(index));
      for (const option of this.select.options) option.disabled = hidden.includes(Number(option.value));
      if (!shown.length || shown.includes(this.model)) return;
      this.select.value = String(shown[0]);
      this.model = shown[0];
      this.drawCurves();
      this.show();
    }

    set(name, value, text) {
      this.outputs[name].dataset.value = String(value);
      this.outputs[name].textContent = text;
    }

    /** Show the numbers at the current cut; the control in use keeps what was typed. */
    show(used = null) {
      const { analysis, model } = this;
      const point = analysis.at(model, this.state.by, this.state.value);
      const best = analysis.bestPoint(model);
      const [low, high] = analysis.interval(model, point);
      this.showControls(point, used);
      for (const name of CELLS) this.set(`count_${name}`, point[name], whole.format(point[name]));
      for (const [name, value] of Object.entries({ profit: point.profit, low, high, random: point.random, gain: point.gain, best_profit: best.profit })) this.set(name, value, money(value));
      const { total } = analysis.model(model).table;
      this.set("selected", point.selected, `${whole.format(point.selected)} of ${whole.format(total)} (${percent(point.fraction)})`);
      this.set("best_fraction", best.fraction, percent(best.fraction));
      this.set("best_threshold", best.threshold, score(best.threshold));
      this.outputs.profit.classList.toggle("is-loss", point.profit < 0);
      this.showRecalibration();
      this.sayLater(point, low, high);
      this.drawCut(point, best);
    }

    showControls(point, used) {
      const { threshold, last } = this.analysis.model(this.model).table;
      const range = this.inputs.threshold;
      range.min = String(threshold[last]);
      range.max = String(threshold[Math.min(1, last)]);
      for (const name of CUTS) {
        const value = name === this.state.by ? this.state.value : point[name];
        const shown = Number.isFinite(value) ? value : threshold[Math.min(1, last)];
        if (this.inputs[name] !== used) this.inputs[name].value = String(shown);
        const number = this.inputs[`${name}_value`];
        if (number !== used) number.value = Number.isFinite(value) ? String(Number(value.toPrecision(6))) : "";
        this.inputs[name].setAttribute("aria-valuetext", name === "threshold" ? score(value) : percent(value));
      }
    }

    showRecalibration() {
      if (!this.payload.recalibrates) return;
      const found = this.analysis.recalibration(this.model);
      this.set("recalibration", found ? found.value : "", found ? money(found.value) : "cannot tell");
      this.advice.textContent = found ? this.adviceOf(found) : "Cannot tell what recalibrating would gain at these costs: this takes the rows, which the report does not hold, and enough of either class.";
    }

    adviceOf({ value, low, high, shown }) {
      const threshold = this.analysis.threshold();
      const { byGain, confidence, select } = this.payload;
      const where = byGain ? ` (${quoted(select)} where the expected gain is above 0)` : threshold === null ? "" : ` (${quoted(select)} above a probability of ${score(threshold)})`;
      const amount = value === 0 ? "as much as" : `${money(Math.abs(value))} ${value < 0 ? "less" : "more"} than`;
      const interval = low === undefined || low === null ? "" : ` What miscalibration loses is between ${money(low)} and ${money(high)} (${100 * confidence} % interval).`;
      const verdict = shown === undefined ? " That is computed at stored cuts, so only about right, and without a test against chance." : shown ? " That is more than chance explains." : " That is not shown to be a gain.";
      return `At the decision that these costs make best${where}, recalibrated probabilities would have earned ${amount} the present ones.${verdict}${interval}`;
    }

    sayLater(point, low, high) {
      const text = `${this.payload.names[this.model]}: selecting ${whole.format(point.selected)} rows (${percent(point.fraction)}) earns ${money(point.profit)} (${100 * this.payload.confidence} % interval ${money(low)} to ${money(high)}); as many at random earn ${money(point.random)}.`;
      clearTimeout(this.timer);
      if (!this.summary.textContent) this.summary.textContent = text;
      else this.timer = setTimeout(() => { this.summary.textContent = text; }, 300);
    }

    drawCurves() {
      const { analysis, charts, payload } = this;
      payload.names.forEach((_, index) => {
        const { table, profit } = analysis.model(index);
        const points = analysis.steps(index).map((step) => ({ x: table.fraction[step], recall: table.recall[step], profit: profit[step], threshold: table.threshold[step], selected: table.tp[step] + table.fp[step] }));
        // Without amounts by row the ranking, and so the left chart, does not depend on the costs
        if (payload.byGain || !this.isDrawn) charts.set(0, index, points.map((point) => ({ ...point, y: point.recall })));
        charts.set(1, index, points.map((point) => ({ ...point, y: point.profit })));
      });
      this.isDrawn = true;
      const { table, profit } = analysis.model(this.model);
      const line = (first, last) => [{ x: 0, y: first, threshold: Infinity, selected: 0 }, { x: 1, y: last, threshold: NaN, selected: table.total }];
      charts.set(0, "at random", line(0, 1));
      charts.set(1, "at random", line(profit[0], profit[table.last]));
    }

    drawCut(point, best) {
      const marker = (one, y) => [{ x: one.fraction, y, threshold: one.threshold, selected: one.selected }];
      this.charts.set(0, "this cut", marker(point, point.recall));
      this.charts.set(1, "this cut", marker(point, point.profit));
      this.charts.set(1, "best cut", marker(best, best.profit));
      const where = `${percent(point.fraction)} of the rows selected`;
      this.charts.describe([`Positives reached: ${percent(point.recall)} with ${where}.`, `Total profit: ${money(point.profit)} with ${where}; best ${money(best.profit)} with ${percent(best.fraction)}.`]);
    }
  }

  const payloads = new Map(calibrant.data.analysers.map((payload) => [payload.id, payload]));
  const built = new Set();
  function build(place) {
    if (built.has(place)) return;
    built.add(place);
    new View(place, payloads.get(place.dataset.analyser)).show();
  }

  // Those of the pages of classes are built when they are first seen: there may be thirty
  const places = [...document.querySelectorAll("[data-analyser]")];
  const near = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && build(target)), { rootMargin: "600px 0px" });
  const main = document.querySelector(".page");
  places.forEach((place) => (main?.contains(place) ? build(place) : near.observe(place)));
  addEventListener("beforeprint", () => places.forEach(build));
})();
