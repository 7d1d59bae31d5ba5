// The two-by-two table of expected counts. Its cells show people as dots, and can be edited.
import { AREAS } from "./density_plot.js";
import { toBlockPathData } from "./dots.js";
import { createHtmlElement, createSvgElement, setAttributes } from "./elements.js";
import { CLASS_STYLES } from "./svg.js";
import { createTerm } from "./terms.js";

export function createConfusionTable(page) {
  const words = page.words.page, createHead = (scope, ...children) => createHtmlElement("th", { scope }, ...children);
  const createOutput = (name) => createHtmlElement("output", { "data-name": name });
  const cells = Object.fromEntries(AREAS.map((area) => [area.name, createCell(page, area)]));
  const sums = Object.fromEntries(["called", "uncalled", "positives", "negatives", "total", "precision", "npv"]
    .map((name) => [name, createOutput(name)]));
  const classHeads = ["negative", "positive"].map((classKey) =>
    createHead("col", createHtmlElement("div", { class: "head" }, createHtmlElement("i", { class: `key ${classKey}` }),
      createHtmlElement("b"), sums[`${classKey}s`])));
  const correctHead = createHead("col", words.correct), shareTerms = {
    precision: createTerm(page, "precision", ""), npv: createTerm(page, "npv", words.readouts["rates.npv"]),
  };
  const rowLabels = [createHtmlElement("b"), createHtmlElement("b")];
  const createRow = (label, sum, share, ...names) => createHtmlElement("tr", {},
    createHead("row", label, createHtmlElement("br"), sums[sum]),
    ...names.map((name) => cells[name].element), 
    createHtmlElement("td", { class: "correct" }, sums[share], shareTerms[share]));
  const perDotNote = createHtmlElement("td"), caption = createHtmlElement("caption", { class: "visually-hidden" });
  const message = createHtmlElement("p", {
    class: "box-error", role: "alert" });
  const table = createHtmlElement("table", { class: "counts" }, caption,
    createHtmlElement("thead", {}, createHtmlElement("tr", {}, perDotNote, classHeads[1], classHeads[0],
      correctHead)),
    createHtmlElement("tbody", {}, createRow(rowLabels[0], "called", "precision", "tp", "fp"),
      createRow(rowLabels[1], "uncalled", "npv", "fn", "tn")));
  const element = createHtmlElement("div", { class: "counts-box" }, table, message, sums.total);
  sums.total.hidden = true;
  for (const cell of Object.values(cells)) cell.input.addEventListener("change", () => applyCell(cell));

  // A count, or a percentage of the class, moves the threshold to where it holds.
  function applyCell({ area: { classKey, rate: rateName }, input }) {
    const text = input.value.trim(), isPercentage = text.endsWith("%"), { counts } = page;
    const value = page.formatter.parseTyped(text.replace("%", "")), total = counts[`${classKey}s`];
    const rate = isPercentage ? value / 100 : value / total;
    const tooMany = words.wrong.atmost.replace("{n}", isPercentage ? "100%" : page.formatter.formatCount(total));
    const error = !Number.isFinite(value) ? words.wrong.finite : rate < 0 || rate > 1 ? tooMany : "";
    const threshold = error ? NaN : page.findThreshold(rateName, rate);
    message.textContent = error || (Number.isFinite(threshold) ? "" : words.wrong.unreachable);
    input.toggleAttribute("data-invalid", !!message.textContent);
    input.setAttribute("aria-invalid", !!message.textContent);
    if (!message.textContent) page.set({ threshold });
  }

  function draw({ counts, dots, answer }) {
    page.counts = counts;
    const isStory = page.isStory();
    const values = { ...counts, called: counts.tp + counts.fp, uncalled: counts.fn + counts.tn };
    const shares = {
      precision: values.called ? answer.rates.precision : NaN, npv: values.uncalled ? answer.rates.npv : NaN,
    };
    shareTerms.precision.textContent = page.getRateNames().precision;
    for (const [name, output] of Object.entries(sums)) {
      const isShare = name in shares, value = isShare ? shares[name] : values[name];
      const text = isShare
        ? (Number.isNaN(value) ? "–" : page.formatter.formatPercent(value)) : page.formatter.formatCount(value);
      setAttributes(output, { "data-value": value }).textContent = text;
    }
    table.classList.toggle("large", counts.total > 1000);
    const pitch = drawBlocks(cells, dots, answer.rates);
    for (const { area: { name, isCalledPositive }, input, output, path, word, element: cell } of Object.values(cells)) {
      word.textContent = isStory ? words.cells[name] : words.areas[name];
      setAttributes(output, { "data-value": values[name] });
      if (document.activeElement !== input || !input.hasAttribute("data-invalid")) {
        input.value = page.formatter.formatCount(values[name]);
        setAttributes(input, { "data-invalid": null, "aria-invalid": null });
      }
      cell.style.setProperty("--pitch", `${pitch}px`);
      setAttributes(path, { "stroke-width": pitch * (isCalledPositive ? 0.88 : 0.46) });
    }
    if (!element.querySelector("[data-invalid]")) message.textContent = "";
    const calls = isStory ? [words.called, words.uncalled] : [words.ownpositive, words.ownnegative];
    rowLabels.forEach((label, i) => { label.textContent = calls[i]; });
    const perDot = counts.total / (dots.negative + dots.positive);
    caption.textContent = words.of.replace("{total}", page.formatter.formatCount(counts.total));
    const dotSize = `● ${Number.isInteger(perDot) ? "=" : "≈"} ${page.formatter.formatCount(Math.round(perDot))}`;
    perDotNote.textContent = `${answer.empirical ? words.expected : ""} ${perDot > 1 ? dotSize : ""}`.trim();
    classHeads.forEach((head, i) => { 
      const name = head.querySelector("b");
      name.textContent = name.title = page.getClassNames()[i];
    });
  }
  return { element, draw };
}

function createCell(page, area) {
  const { name, classKey, isCalledPositive } = area, isCorrect = isCalledPositive === (classKey === "positive");
  const words = page.words.page, { color, cap } = CLASS_STYLES[classKey];
  const word = createHtmlElement("span", { id: page.createId(`cell-${name}`) });
  const label = { "aria-label": words.areas[name], "aria-describedby": word.id };
  const input = createHtmlElement("input", { type: "text", inputmode: "decimal", ...label, class: "cell-input" });
  const output = createHtmlElement("output", { class: "visually-hidden", "data-name": name });
  const path = createSvgElement("path", { fill: "none", stroke: color, "stroke-linecap": cap, "data-block": name });
  const verdict = isCorrect ? "✓" : "✕";
  const element = createHtmlElement("td", { class: `${name} ${isCorrect ? "right" : "wrong"}` },
    createHtmlElement("div", { class: "cell" }, createHtmlElement("div", { class: "cell-text" }, input, output,
      createHtmlElement("span", { class: "cell-word" }, word, ` ${verdict}`)),
    createSvgElement("svg", { class: "block", "aria-hidden": "true" }, path)));
  return { area, element, input, output, path, word };
}

// One pitch and one number of rows for all four cells, so that the lengths of the blocks can be compared.
function drawBlocks(cells, dots, rates) {
  const sizes = Object.values(cells).map(({ path }) => path.parentNode.getBoundingClientRect());
  const width = Math.min(...sizes.map((box) => box.width)), height = Math.min(...sizes.map((box) => box.height));
  const called = { tp: Math.round(dots.positive * rates.tpr), fp: Math.round(dots.negative * rates.fpr) };
  const numbers = { ...called, fn: dots.positive - called.tp, tn: dots.negative - called.fp };
  const most = Math.max(...Object.values(numbers));
  let pitch = 7;
  while (pitch > 1 && Math.ceil(most / Math.max(1, Math.floor(height / pitch))) * pitch > width) pitch -= 0.25;
  const nRows = Math.max(1, Math.floor(height / pitch));
  for (const [name, { path }] of Object.entries(cells)) {
    setAttributes(path, { d: toBlockPathData(numbers[name], nRows, pitch), "data-count": numbers[name] });
  }
  return pitch;
}
