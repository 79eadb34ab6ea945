"use strict";
// The page: one class at a time by the hash, charts when they come near the viewport, all of them for print.
(() => {
  const root = document.documentElement;
  const pages = [...document.querySelectorAll(".page")];
  const places = new Map([...document.querySelectorAll("[data-figure]")].map((place) => [place.id, place]));
  const drawn = new Map();

  async function draw(place, payload) {
    const chart = place.querySelector(".chart");
    try {
      const view = await calibrant.embed(chart, payload);
      chart.style.minHeight = "";
      return view;
    } catch (error) {
      chart.textContent = "This chart could not be drawn; its numbers stand below.";
      throw error;
    }
  }

  function drawOnce(payload) {
    if (!drawn.has(payload.id)) drawn.set(payload.id, draw(places.get(payload.id), payload));
    return drawn.get(payload.id);
  }

  async function openNumbers(details, place, payload) {
    const locale = (await drawOnce(payload)).locale();
    const context = [place.closest("[data-page]")?.dataset.page, payload.title].filter(Boolean).join(": ");
    const tables = document.createElement("div");
    tables.className = "numbers";
    tables.append(...calibrant.numbersOf(payload, context, (value, format) => calibrant.shown(value, format, locale)));
    details.append(tables);
  }

  const payloads = new Map(calibrant.data.figures.map((payload) => [payload.id, payload]));
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      drawOnce(payloads.get(target.id));
    }
    calibrant.settle();
  }, { rootMargin: "600px 0px" });

  for (const [id, place] of places) {
    const payload = payloads.get(id);
    const name = place.dataset.figure;
    place.querySelector(".chart").style.minHeight = `${payload.spec.height + 70}px`; // with axes; nothing moves much when drawn
    place.querySelector("details").addEventListener("toggle", ({ target }) => openNumbers(target, place, payload), { once: true });
    place.querySelector('[data-save="svg"]').addEventListener("click", async () => calibrant.saveSvg(await drawOnce(payload), name));
    place.querySelector('[data-save="csv"]').addEventListener("click", () => calibrant.saveCsv(payload, name));
  }

  calibrant.onHidden(() => {
    for (const [id, place] of places) place.hidden = calibrant.isHidden(calibrant.modelsOf(payloads.get(id)));
  });

  const pageOf = (target) => target?.closest(".page") ?? pages[0];

  // Charts take the width of their place, which is 0 while it is hidden
  const fit = () => dispatchEvent(new Event("resize"));

  function showPage(page) {
    pages.forEach((other) => { other.hidden = other !== page; });
    for (const list of document.querySelectorAll("[data-links-of]")) list.hidden = list.dataset.linksOf !== page.id;
    for (const link of document.querySelectorAll('nav[aria-label="Classes"] a')) {
      if (link.hash === `#${page.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    fit();
  }

  function follow() {
    const target = document.getElementById(location.hash.slice(1));
    const page = pageOf(target);
    if (page.hidden) {
      root.dataset.ready = "false";
      showPage(page);
      if (target === page) scrollTo({ top: 0, behavior: "instant" });
      else target?.scrollIntoView({ behavior: "instant" });
      page.querySelector(".page-title")?.focus({ preventScroll: true });
      requestAnimationFrame(() => requestAnimationFrame(calibrant.settle));
    }
  }

  // The link of the section that is being read
  const current = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const link = document.querySelector(`nav[aria-label="Sections"] a[href="#${target.id}"]`);
      if (isIntersecting) link?.setAttribute("aria-current", "true");
      else link?.removeAttribute("aria-current");
    }
  }, { rootMargin: "-30% 0px -69% 0px" });

  let shownBeforePrint = null;
  function beforePrint() {
    if (shownBeforePrint) return;
    shownBeforePrint = pages.find((page) => !page.hidden);
    pages.forEach((page) => { page.hidden = false; });
    fit();
    calibrant.data.figures.forEach(drawOnce);
  }
  function afterPrint() {
    if (shownBeforePrint) showPage(shownBeforePrint);
    shownBeforePrint = null;
  }

  showPage(pageOf(document.getElementById(location.hash.slice(1))));
  places.forEach((place) => near.observe(place));
  document.querySelectorAll(".section").forEach((section) => current.observe(section));
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", beforePrint);
  addEventListener("afterprint", afterPrint);
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? beforePrint() : afterPrint()));
  if (!places.size) calibrant.settle();
})();
