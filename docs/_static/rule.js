// The rule on three arms: sliders for what is known, and where the next sample goes.  The formulas are those of
// varde.rule, varde.beliefs and varde.decisions; tests/docs/test_rule_picture.py compares the choices with Python's.
(function () {
  "use strict";
  const NAMES = ["A", "B", "C"];
  const FLOOR = 0.01; // of variances, in the paper's rule
  const PRIOR = 5; // of Pooled()

  const EXAMPLES = {
    "a noisy rival": { mean: [0.6, 0.55, 0.3], noise: [0.2, 0.5, 0.3], samples: [20, 20, 20], temperature: 0.1 },
    "the paper's three arms": {
      mean: [0.42, 0.59, 0.56], noise: [0.92, 0.01, 0.01], samples: [40, 40, 40], temperature: 0.1,
    },
    "a clear case": { mean: [0.9, 0.4, 0.2], noise: [0.3, 0.3, 0.3], samples: [30, 10, 10], temperature: 0.1 },
  };
  const SLIDERS = {
    mean: { words: "mean", min: 0, max: 1, step: 0.01 },
    noise: { words: "noise σ", min: 0.01, max: 1, step: 0.01 },
    samples: { words: "samples N", min: 2, max: 200, step: 1 },
  };

  function softMaximum(state) {
    const top = Math.max(...state.mean);
    const powers = state.mean.map((m) => Math.exp((m - top) / state.temperature));
    const total = powers.reduce((a, b) => a + b);
    return {
      square: powers.map((p) => (p / total) ** 2),
      variance: state.noise.map((s) => Math.max(s * s, FLOOR)),
    };
  }

  function regret(state) {
    const squares = state.noise.map((s, i) => s * s * (state.samples[i] - 1));
    const pooled = squares.reduce((a, b) => a + b) / state.samples.reduce((a, n) => a + n - 1, 0);
    const variance = squares.map((m2, i) => (PRIOR * pooled + m2) / (PRIOR - 1 + state.samples[i]));
    const leader = state.mean.indexOf(Math.max(...state.mean));
    const x = state.mean.map((m, i) =>
      i === leader
        ? Infinity
        : ((Math.PI / Math.sqrt(3)) * (state.mean[leader] - m)) /
          Math.sqrt(variance[leader] / state.samples[leader] + variance[i] / state.samples[i]),
    );
    const least = Math.min(...x);
    const square = x.map((own) => (Math.exp(least - own) / (1 + Math.exp(-own))) ** 2);
    square[leader] = square.reduce((a, b) => a + b);
    return { square, variance };
  }

  function judge(state) {
    const { square, variance } = state.decision === "regret" ? regret(state) : softMaximum(state);
    const decrement = square.map((w, i) => (w * variance[i]) / (state.samples[i] * (state.samples[i] + 1)));
    return { square, variance, decrement, choice: decrement.indexOf(Math.max(...decrement)) };
  }

  const times = (ratio) =>
    ratio > 9999 ? "more than 9,999" : ratio < 9.95 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString("en-GB");

  // Why the chosen arm comes before the runner-up, factor by factor.
  function explain(state, judged) {
    const first = judged.choice;
    const order = [0, 1, 2].filter((i) => i !== first).sort((a, b) => judged.decrement[b] - judged.decrement[a]);
    const second = order[0];
    const shrink = (n) => 1 / (n * (n + 1));
    const leader = state.mean.indexOf(Math.max(...state.mean));
    const factors = [
      [judged.square[first] / judged.square[second], "the decision depends on it more", "the decision depends on it less"],
      [judged.variance[first] / judged.variance[second], "it is noisier", "it is less noisy"],
      [shrink(state.samples[first]) / shrink(state.samples[second]), "it has fewer samples", "it has more samples"],
    ];
    const ratio = judged.decrement[first] / judged.decrement[second];
    const because = factors.filter(([r]) => r > 1.05).sort((a, b) => b[0] - a[0]);
    const despite = factors.filter(([r]) => r < 1 / 1.05).sort((a, b) => a[0] - b[0]);
    const who = `${NAMES[first]}${first === leader ? ", which leads," : ""}`;
    if (ratio < 1.005) return `The next sample goes to ${who} but one of ${NAMES[second]} would help as much.`;
    let text = `The next sample goes to ${who} since it lowers the variance of the decision ${times(ratio)} times as much as one of ${NAMES[second]}`;
    if (because.length) text += ": " + because.map(([r, words]) => `${words} (${times(r)} times)`).join(", and ");
    if (despite.length) text += `, although ${despite.map(([r, , words]) => `${words} (${times(1 / r)} times)`).join(", and ")}`;
    return text + ".";
  }

  const SVG = "http://www.w3.org/2000/svg";
  function shape(tag, attributes, words) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (words !== undefined) made.textContent = words;
    return made;
  }
  function element(tag, attributes = {}, ...inside) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...inside);
    return made;
  }

  const short = (x) => (x === 0 ? "0" : x >= 0.0995 ? x.toFixed(2) : x >= 1e-4 ? String(Number(x.toPrecision(2))) : x.toExponential(0));

  const percent = (share) => (share < 0.001 ? "< 0.1 %" : `${share < 0.0995 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`);

  // One row per arm: the estimate with its 95 % interval, and a bar for each factor and for their product.
  function draw(svg, state, judged) {
    svg.replaceChildren(shape("title", {}, "Estimates, influence, noise and decrement of three arms"));
    const narrow = svg.parentElement.clientWidth < 480; // a phone: the same in less space, so that letters stay legible
    svg.setAttribute("viewBox", narrow ? "0 0 330 140" : "0 0 570 140");
    const [reach, bar] = narrow ? [76, 34] : [150, 70]; // how wide intervals and bars are
    const columns = [
      [narrow ? "mean" : "mean, 95 % interval", 24, reach],
      [narrow ? "influence" : "influence w²", narrow ? 112 : 206, bar, judged.square],
      [narrow ? "variance" : "variance σ²", narrow ? 186 : 328, bar, judged.variance],
      ["decrement", narrow ? 254 : 450, bar, judged.decrement, (drop) => percent(drop / Math.max(...judged.decrement))],
    ];
    for (const [words, x] of columns) svg.append(shape("text", { x, y: 16, class: "head" }, words));
    NAMES.forEach((name, i) => {
      const y = 42 + 34 * i;
      const chosen = i === judged.choice ? " chosen" : "";
      svg.append(shape("text", { x: 0, y: y + 5, class: "arm" + chosen }, name));
      const place = (m) => 24 + reach * Math.min(Math.max(m, -0.1), 1.1);
      const half = (1.96 * state.noise[i]) / Math.sqrt(state.samples[i]);
      svg.append(shape("line", { x1: 24, x2: 24 + reach, y1: y, y2: y, class: "axis" }));
      const ends = { x1: place(state.mean[i] - half), x2: place(state.mean[i] + half), y1: y, y2: y };
      svg.append(shape("line", { ...ends, class: "interval" + chosen }));
      svg.append(shape("circle", { cx: place(state.mean[i]), cy: y, r: 5, class: "dot" + chosen }));
      for (const [, x, width, values, written = short] of columns.slice(1)) {
        const length = (width * values[i]) / Math.max(...values);
        svg.append(shape("rect", { x, y: y - 9, width: Math.max(length, 0.5), height: 18, class: "bar" + chosen }));
        svg.append(shape("text", { x: x + Math.max(length, 0.5) + 4, y: y + 5, class: "value" }, written(values[i])));
      }
    });
  }

  function build(root) {
    const state = { decision: "soft maximum", ...structuredClone(EXAMPLES["a noisy rival"]) };
    const inputs = { mean: [], noise: [], samples: [] };
    const sentence = element("p", { class: "sentence", "aria-live": "polite" });
    const svg = shape("svg", { viewBox: "0 0 570 140", role: "img", "aria-label": "see the sentence below" });

    function slider(key, at, words, range) {
      const input = element("input", { type: "range", ...range, "aria-label": words });
      const shown = element("output");
      input.addEventListener("input", () => {
        if (at === null) state[key] = Number(input.value);
        else state[key][at] = Number(input.value);
        update();
      });
      return { input, shown };
    }

    const arms = element("div", { class: "arms" });
    NAMES.forEach((name, i) => {
      const group = element("fieldset", {}, element("legend", {}, name));
      for (const [key, { words, ...range }] of Object.entries(SLIDERS)) {
        const made = slider(key, i, `${words.split(" ")[0]} of ${name}`, range);
        inputs[key].push(made);
        group.append(element("label", {}, element("span", {}, words), made.input, made.shown));
      }
      arms.append(group);
    });

    const decision = element("select", { "aria-label": "decision" });
    decision.append(
      element("option", { value: "soft maximum" }, "soft maximum (the paper)"),
      element("option", { value: "regret" }, "regret (the default)"),
    );
    decision.addEventListener("change", () => {
      state.decision = decision.value;
      update();
    });
    const temperature = slider("temperature", null, "temperature", { min: 0.01, max: 1, step: 0.01 });
    const rest = element(
      "div",
      { class: "rest" },
      element("label", {}, element("span", {}, "decision"), decision),
      element("label", { class: "temperature" }, element("span", {}, "temperature τ"), temperature.input, temperature.shown),
    );

    const buttons = element("div", { class: "buttons" });
    function button(words, act) {
      const made = element("button", { type: "button" }, words);
      made.addEventListener("click", () => {
        act();
        update();
      });
      buttons.append(made);
    }
    const take = () => (state.samples[judge(state).choice] = Math.min(state.samples[judge(state).choice] + 1, 200));
    button("take this sample", take);
    button("take 20", () => Array.from({ length: 20 }, take));
    for (const [words, example] of Object.entries(EXAMPLES)) button(words, () => Object.assign(state, structuredClone(example)));

    function update() {
      for (const key of Object.keys(SLIDERS))
        inputs[key].forEach(({ input, shown }, i) => {
          input.value = state[key][i];
          shown.value = key === "samples" ? state[key][i] : state[key][i].toFixed(2);
        });
      temperature.input.value = state.temperature;
      temperature.shown.value = state.temperature.toFixed(2);
      temperature.input.disabled = state.decision === "regret"; // it has none
      decision.value = state.decision;
      const judged = judge(state);
      draw(svg, state, judged);
      sentence.textContent = explain(state, judged);
      root.dataset.choice = NAMES[judged.choice];
    }

    root.append(svg, sentence, arms, rest, buttons);
    root.hidden = false;
    window.addEventListener("resize", update);
    document.documentElement.classList.add("rule-picture-works"); // the still picture is for paper only
    update();
  }

  const root = document.getElementById("rule-picture");
  if (root) build(root);
})();
