// Read the curves off: mouse, finger or arrow keys choose a point; the table beside the chart shows its numbers.
"use strict";
for (const figure of document.querySelectorAll("figure.chart")) {
  const plot = figure.querySelector(".plot"), cursor = figure.querySelector(".cursor"), at = figure.querySelector(".at");
  const xs = figure.dataset.x.split(";").map(Number), last = xs.length - 1;
  const [left, right, bottom, top, log, wide] = figure.dataset.range.split(";").map(Number);
  const drawn = figure.querySelectorAll("svg > g");
  const curves = [...figure.querySelectorAll(".readout tbody tr")].map((row, i) => {
    const dot = document.createElement("b");
    dot.className = "dot " + drawn[i].getAttribute("class");
    plot.append(dot);
    const texts = (name) => (row.dataset[name] || "").split(";");
    return { row, dot, group: drawn[i], v: texts("v"), l: texts("l"), h: texts("h"), name: row.cells[0].textContent };
  });
  const across = (x) => wide ? Math.log(x / left) / Math.log(right / left) : (x - left) / (right - left);
  const up = (y) => log ? Math.log(y / bottom) / Math.log(top / bottom) : (y - bottom) / (top - bottom);
  const number = (x) => x.toLocaleString("en", { maximumSignificantDigits: 6 }).replace("-", "\u2212");
  const minus = (text) => text.replaceAll("-", "\u2212");

  const show = (i, nearest) => {
    at.textContent = number(xs[i]);
    cursor.style.left = 100 * across(xs[i]) + "%";
    const said = [];
    for (const curve of curves) {
      const text = curve.v[i], height = up(parseFloat(text));
      curve.row.cells[1].textContent = minus(text) || "\u2013";
      curve.row.cells[2].textContent = curve.l[i] && curve.h[i] ? minus(curve.l[i] + " \u2026 " + curve.h[i]) : "";
      curve.row.classList.toggle("near", curve === nearest);
      curve.group.classList.toggle("near", curve === nearest);
      curve.dot.hidden = !(height >= 0 && height <= 1);
      curve.dot.style.left = cursor.style.left;
      curve.dot.style.top = 100 * (1 - height) + "%";
      if (text) said.push(curve.name + " " + text);
    }
    figure.classList.toggle("near", Boolean(nearest));
    plot.setAttribute("aria-valuenow", i);
    plot.setAttribute("aria-valuetext", number(xs[i]) + ": " + said.join(", "));
  };
  const choose = (event) => {
    const box = plot.getBoundingClientRect();
    const to = (j) => Math.abs(across(xs[j]) - (event.clientX - box.left) / box.width);
    let i = 0;
    for (let j = 1; j <= last; j++) if (to(j) < to(i)) i = j;
    const height = 1 - (event.clientY - box.top) / box.height;
    let nearest = null, gap = 0.12;  // of the chart's height: further away, no curve is meant
    for (const curve of curves) {
      if (curve.row.classList.contains("off")) continue;
      const away = Math.abs(up(parseFloat(curve.v[i])) - height);
      if (away < gap) [nearest, gap] = [curve, away];
    }
    figure.classList.add("reading");
    show(i, nearest);
  };
  const rest = () => { figure.classList.remove("reading"); show(last, null); };

  plot.addEventListener("pointermove", choose);
  plot.addEventListener("pointerdown", choose);
  plot.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") rest(); });
  plot.addEventListener("blur", rest);
  plot.addEventListener("focus", () => figure.classList.add("reading"));
  plot.addEventListener("keydown", (event) => {
    const now = Number(plot.getAttribute("aria-valuenow")), leap = Math.max(1, Math.round(last / 10));
    const to = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1,
      PageDown: now - leap, PageUp: now + leap, Home: 0, End: last }[event.key];
    if (event.key === "Escape") plot.blur();
    if (to === undefined) return;
    event.preventDefault();
    figure.classList.add("reading");
    show(Math.min(Math.max(to, 0), last), null);
  });
  for (const curve of curves) {  // a line of the table lifts its curve out
    curve.row.addEventListener("pointerenter", () => show(Number(plot.getAttribute("aria-valuenow")), curve));
    curve.row.addEventListener("pointerleave", () => show(Number(plot.getAttribute("aria-valuenow")), null));
  }
  for (const curve of curves) {  // its name switches it off and on
    const button = document.createElement("button");
    button.type = "button";
    button.append(...curve.row.cells[0].childNodes);
    curve.row.cells[0].append(button);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      const off = curve.row.classList.toggle("off");
      curve.group.classList.toggle("off", off);
      curve.dot.classList.toggle("off", off);
      button.setAttribute("aria-pressed", String(!off));
    });
  }
  show(last, null);
}

// A link to a section opens it; the contents fold again where they cover the page.
const reveal = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  const fold = target && target.querySelector(":scope > details");
  if (fold) fold.open = true;
  if (fold) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  for (const one of document.querySelectorAll("nav details")) one.open = false;
  if (link.hash === location.hash) reveal();  // there already: no change of address
});
reveal();

// On paper nothing can be unfolded; what is spare is left out.
const folded = () => document.querySelectorAll("details:not([open], .spare)");
addEventListener("beforeprint", () => { for (const one of folded()) { one.open = true; one.dataset.unfolded = ""; } });
addEventListener("afterprint", () => {
  for (const one of document.querySelectorAll("details[data-unfolded]")) { one.open = false; delete one.dataset.unfolded; }
});
