// The plot of both densities, with the threshold and its four areas. Below the axis, people are dots.
import { CLASS_KEYS, createDataMarks, createDotMarks } from "./dot_marks.js";
import { createSvgElement, setAttributes } from "./elements.js";
import { clamp, truncateName } from "./format.js";
import { interpolateLinear } from "./model.js";
import { ACCENT_COLOR, CLASS_STYLES, CONTROL_COLOR, MUTED_COLOR, PAPER_COLOR, TEXT_COLOR } from "./svg.js";
import { addPointerListeners, createGrip, createLayers, createLine, createOutlinedText, createPlot } from "./svg.js";
import { createScale, createStroke, createText, createTickMarks, moveGrip, resizePlot } from "./svg.js";
import { toDiamondPathData, toPathData, updateLayer } from "./svg.js";

const MARGIN = 10, MOMENT_FIELDS = ["mean0", "std0", "mean1", "std1"];
const MIN_AREA = 0.005;
export const AREAS = [
  { name: "tn", rate: "tnr", classKey: "negative", isCalledPositive: false, row: 0 },
  { name: "tp", rate: "tpr", classKey: "positive", isCalledPositive: true, row: 0 },
  { name: "fn", rate: "fnr", classKey: "positive", isCalledPositive: false, row: 1 },
  { name: "fp", rate: "fpr", classKey: "negative", isCalledPositive: true, row: 1 },
];

export function createDensityPlot(page) {
  const { words: { page: words } } = page, { svg, element } = createPlot("densities", words.densities);
  const [dataLayer, areaLayer, lineLayer, dotLayer, tickLayer, markerLayer] = createLayers(6);
  let layout = { range: [0, 1], toValue: () => 0 };
  const grips = Object.fromEntries(MOMENT_FIELDS.map((name) => [name, createGrip(page, name)]));
  const threshold = createThresholdMark(page), dots = createDotMarks(dotLayer);
  svg.append(createSvgElement("defs", {}, ...CLASS_KEYS.map((key) => createHatchPattern(page, key))), dataLayer,
    areaLayer, lineLayer, dotLayer, tickLayer, markerLayer, threshold.mark);
  element.append(...Object.values(grips), threshold.grip);
  addPointerListeners(element, page, "threshold", (name, x) => dragGrip(page, layout, name, x));

  function draw(viewModel) {
    const { observations, state } = viewModel, { clientWidth, clientHeight } = element;
    layout = computeDensityLayout(page, viewModel, clientWidth || 280, clientHeight || 200);
    resizePlot(svg, layout.width, layout.height);
    updateLayer(dataLayer, [observations, state.empirical, ...layout.key], () => createDataMarks(viewModel, layout));
    areaLayer.replaceChildren(...AREAS.map((area) => createArea(page, area, state, layout)));
    updateLayer(lineLayer, layout.key, () => createDensityLines(page, layout));
    updateLayer(tickLayer, layout.key, () => createTickMarks(page, layout.x, layout.range, layout.tickY,
      layout.fontSize, layout.width - 60));
    dots.draw(viewModel, layout);
    markerLayer.replaceChildren(...createCrossingMarkers(page, viewModel, layout),
      ...createAreaLabels(page, viewModel, [...placeMomentGrips(grips, viewModel, layout),
        ...placeClassLabels(page, layout).map(({ box }) => box)], layout));
    threshold.draw(viewModel, layout);
    for (const tick of tickLayer.children) tick.toggleAttribute("hidden", tick.dataset.tick > layout.unitX
      || Math.abs(tick.dataset.tick - layout.pillX) < layout.pillWidth / 2 + 18);
    lineLayer.lastChild.toggleAttribute("hidden", layout.pillX + layout.pillWidth / 2 > layout.unitX);
  }
  return { element, svg, draw };
}

// ---- layout
function computeDensityLayout(page, { state, answer: { curve }, observations }, width, height) {
  const fontSize = page.getFontSize(), tickHeight = Math.round(1.9 * fontSize), range = page.getRange();
  const stripHeight = clamp(0.27 * height, [46, 120]);
  const tickY = height - tickHeight, base = tickY - stripHeight, top = 1.5 * fontSize;
  const weights = state.weighted ? [1 - state.prevalence, state.prevalence] : [1, 1];
  const weigh = (classKey, i) => [classKey, curve[classKey].map((density) => density * weights[i])];
  const densities = Object.fromEntries(CLASS_KEYS.map(weigh));
  const maxDensity = computeMaxDensity(densities, state.empirical && observations, weights);
  const x = createScale(range, [MARGIN, width - MARGIN]), y = createScale([0, 1.04 * maxDensity], [base, top]);
  const pillText = page.formatThreshold(state.threshold), pillWidth = fontSize * (0.64 * pillText.length + 1.4);
  const thresholdX = x(clamp(state.threshold, range)), half = pillWidth / 2;
  const unit = truncateName(page.getUnit(), 12), unitX = width - (0.62 * unit.length + 1) * fontSize;
  return {
    width, height, fontSize, top, unit, unitX, base, tickY, tickHeight, stripHeight, weights, densities, x, y, range,
    pillText, pillWidth, thresholdX, pillX: clamp(thresholdX, [half, width - half]),
    threshold: curve.threshold, xs: curve.threshold.map(x), maxDensity,
    ys: { negative: densities.negative.map(y), positive: densities.positive.map(y) },
    toValue: (pixel) => range[0] + (pixel - MARGIN) / (width - 2 * MARGIN) * (range[1] - range[0]),
    key: [curve, ...weights, maxDensity, width, height, fontSize, stripHeight, ...range, page.getFeatureName(),
      ...page.getClassNames()],
  };
}

// The largest density that must fit: that of curves and bars, at most 1.5 times that of the curves.
function computeMaxDensity({ negative, positive }, observations, weights) {
  const curveMax = Math.max(...negative, ...positive);
  const findMax = (bars) => Math.max(...bars.map(({ density }) => density));
  const barMaxima = observations
    ? CLASS_KEYS.map((classKey, i) => weights[i] * findMax(observations.histograms[classKey])) : [0];
  return Math.max(curveMax, Math.min(1.5 * curveMax, Math.max(...barMaxima)));
}

// ---- dragging: a threshold, a mean or an SD, in steps that the page shows
function dragGrip(page, { toValue, range }, name, x) {
  const { state } = page, value = clamp(toValue(x), range), step = page.getStep();
  const snap = (number, unit) => Number((Math.round(number / unit) * unit).toPrecision(12));
  if (name === "threshold") page.set({ threshold: clamp(snap(value, step), range) });
  else if (name.startsWith("mean")) page.set({ [name]: snap(value, 10 * step) });
  else {
    const mean = state[`mean${name.at(-1)}`], min = (range[1] - range[0]) / 50;
    page.set({ [name]: Math.max(min, snap(Math.abs(value - mean), step)) });
  }
}

function placeMomentGrips(grips, { state, answer: { locked } }, { x, y, range, weights }) {
  const isShown = !locked && state.family === "gaussian";
  return Object.entries(grips).flatMap(([name, grip]) => {
    const i = Number(name.at(-1)), mean = state[`mean${i}`], std = state[`std${i}`];
    const isLowerClass = mean < state[`mean${1 - i}`] || (mean === state[`mean${1 - i}`] && i === 0);
    const value = name.startsWith("mean") ? mean : mean + (isLowerClass ? -std : std);
    const density = weights[i] * Math.exp(-(((value - mean) / std) ** 2) / 2) / (std * Math.sqrt(2 * Math.PI));
    grip.hidden = !isShown || value < range[0] || value > range[1];
    moveGrip(grip, x(value), y(density));
    return grip.hidden ? [] : [[x(value), x(value), y(density)]];
  });
}

function createThresholdMark(page) {
  const line = createSvgElement("line", { ...createStroke(ACCENT_COLOR, 2.5), "data-line": "threshold" });
  const pill = createSvgElement("rect", { fill: ACCENT_COLOR });
  const text = createText(0, 0, "", 16, { "text-anchor": "middle", "font-weight": 700, fill: "var(--on-accent)" });
  const grip = createGrip(page, "threshold", page.words.page.threshold);

  function draw({ state }, { thresholdX, pillX, pillWidth, pillText, top, tickY, tickHeight, range, fontSize }) {
    const arrow = state.threshold < range[0] ? "‹ " : state.threshold > range[1] ? " ›" : "";
    setAttributes(line, { x1: thresholdX, x2: thresholdX, y1: top - fontSize * 0.8, y2: tickY });
    setAttributes(pill, {
      x: pillX - pillWidth / 2, y: tickY + 1, width: pillWidth, height: tickHeight - 2, rx: tickHeight / 2 - 1,
    });
    setAttributes(text, { x: pillX, y: tickY + 1.27 * fontSize, "font-size": fontSize });
    text.textContent = arrow === "‹ " ? arrow + pillText : pillText + arrow;
    const gripWidth = Math.max(44, pillWidth), gripHeight = Math.max(44, tickHeight);
    const margin = `${-gripHeight / 2}px ${-gripWidth / 2}px`;
    Object.assign(grip.style, { width: `${gripWidth}px`, height: `${gripHeight}px`, margin });
    moveGrip(grip, pillX, tickY + tickHeight - gripHeight / 2);
    setAttributes(grip, {
      "aria-valuemin": range[0], "aria-valuemax": range[1], "aria-valuenow": clamp(state.threshold, range),
      "aria-valuetext": page.describeThreshold(),
    });
  }
  return { mark: createSvgElement("g", {}, line, pill, text), grip, draw };
}

// ---- lines and areas
function createDensityLines(page, layout) {
  const { x, xs, ys, range, base, fontSize } = layout;
  const lines = CLASS_KEYS.map((classKey) => {
    const { color, dash } = CLASS_STYLES[classKey], d = toPathData(xs, ys[classKey]);
    return createSvgElement("path", { d, ...createStroke(color, 2.5, dash), "data-line": classKey });
  });
  const axis = createLine(x(range[0]), base, x(range[1]), base, createStroke(CONTROL_COLOR));
  const unitLabel = createText(layout.width, layout.tickY + 6 + fontSize, layout.unit, fontSize,
    { "text-anchor": "end", fill: MUTED_COLOR, "data-unit": "" });
  return [...lines, axis, ...createClassLabels(page, layout), unitLabel];
}

function createClassLabels(page, layout) {
  return placeClassLabels(page, layout).map(({ labelX, labelY, name, fullName, attributes }) => {
    const title = name === fullName ? [] : [createSvgElement("title", {}, fullName)];
    return createSvgElement("g", {}, ...title, createOutlinedText(labelX, labelY, name, layout.fontSize, attributes));
  });
}

// The names of the classes stand on the outer shoulders of their densities.
function placeClassLabels(page, { threshold, densities, x, y, width, fontSize, base }) {
  const modes = CLASS_KEYS.map((classKey) => {
    const values = densities[classKey], peak = values.indexOf(Math.max(...values));
    return { value: threshold[peak], peak, values };
  });
  return CLASS_KEYS.map((classKey, i) => {
    const { value, peak, values } = modes[i], other = modes[1 - i].value;
    const isLeft = value < other || (value === other && !i);
    const half = values[peak] * 0.85, fullName = page.getClassNames()[i];
    const most = Math.floor(width / fontSize / 2), name = truncateName(fullName, most);
    const index = isLeft
      ? values.findIndex((density) => density >= half) : values.findLastIndex((density) => density >= half);
    const shoulderX = x(threshold[Math.max(0, index)]) + (isLeft ? -12 : 12), length = name.length * fontSize * 0.65;
    const anchor = isLeft ? "end" : "start", fill = CLASS_STYLES[classKey].textColor;
    const attributes = { "text-anchor": anchor, fill, "font-weight": 700 };
    const labelX = clamp(shoulderX, isLeft ? [Math.min(length, width), width] : [0, Math.max(0, width - length)]);
    const labelY = Math.min(y(half), base - 40);
    const box = [isLeft ? labelX - length : labelX, isLeft ? labelX : labelX + length, labelY - fontSize / 3];
    return { labelX, labelY, name, fullName, attributes, box };
  });
}

function createHatchPattern(page, classKey) {
  const patternTransform = `rotate(${classKey === "negative" ? 45 : -45})`, size = { width: 8, height: 8 };
  const units = { patternUnits: "userSpaceOnUse", patternTransform }, { color } = CLASS_STYLES[classKey];
  return createSvgElement("pattern", { id: page.createId(`hatch-${classKey}`), ...size, ...units },
    createLine(0, 0, 0, 8, createStroke(color, 2.4), { "stroke-opacity": 0.6 }));
}

// The areas beyond the threshold are hatched; the other ones are not.
function createArea(page, { name, classKey, isCalledPositive }, state, { xs, ys, thresholdX, base }) {
  const isUpper = isCalledPositive === (state.direction !== "lower");
  const thresholdY = interpolateLinear(xs, ys[classKey], thresholdX);
  const indices = xs.map((_, i) => i).filter((i) => isUpper ? xs[i] >= thresholdX : xs[i] <= thresholdX);
  const areaXs = indices.map((i) => xs[i]), areaYs = indices.map((i) => ys[classKey][i]);
  if (isUpper) [areaXs, areaYs].forEach((values, i) => values.unshift([thresholdX, thresholdY][i]));
  else [areaXs, areaYs].forEach((values, i) => values.push([thresholdX, thresholdY][i]));
  const d = `${toPathData([areaXs[0], ...areaXs, areaXs.at(-1)], [base, ...areaYs, base])}Z`;
  const area = { d, "data-area": name, fill: CLASS_STYLES[classKey].color, "fill-opacity": 0.13 };
  const fill = `url(#${page.createId(`hatch-${classKey}`)})`;
  const hatch = isCalledPositive ? createSvgElement("path", { d, fill }) : null;
  return createSvgElement("g", { class: name }, createSvgElement("path", area), hatch);
}

// The labels of the areas stand around the threshold like a table. With weights they are shares of all people.
function createAreaLabels(page, { state, answer: { rates } }, obstacles,
  { thresholdX, base, top, fontSize, weights, width }) {
  const words = page.words.page, names = page.getRateNames(), occupied = [...obstacles];
  return AREAS.toReversed().flatMap(({ name, rate, classKey, isCalledPositive, row }) => {
    const share = rates[rate] * weights[classKey === "negative" ? 0 : 1];
    if (!(share >= MIN_AREA)) return [];
    const isRight = isCalledPositive === (state.direction !== "lower"), labelX = thresholdX + (isRight ? 7 : -7);
    const text = page.formatter.formatRate(share);
    const measure = (label) => (0.7 * label.length - 0.33 * label.match(/[ ,.fijlt]/g).length) * fontSize;
    const label = [state.weighted ? `${words.areas[name]} ${text} ${words.ofall}` : `${names[rate]} ${text}`, text]
      .find((label) => measure(label) <= (isRight ? width - labelX : labelX));
    if (!label) return [];
    const length = measure(label);
    const attributes = {
      "text-anchor": isRight ? "start" : "end", "font-weight": 700, fill: CLASS_STYLES[classKey].textColor,
      "data-label": name, "data-share": share,
    };
    const start = isRight ? labelX : labelX - length, end = start + length;
    const isFree = (labelY) => occupied.every(([low, high, y]) =>
      high < start - 7 || low > end + 7 || Math.abs(y - labelY + fontSize / 3) > 0.9 * fontSize);
    const lowest = row ? base - 8 : Math.min(base - 8 - 1.5 * fontSize, base - 0.34 * (base - top));
    const heights = Array.from({ length: 24 }, (_, i) => lowest - i * fontSize / 6);
    const labelY = heights.find((height) => height > 0.8 * fontSize && isFree(height));
    occupied.push([start, end, labelY - fontSize / 3]);
    return labelY === undefined ? [] : [createOutlinedText(labelX, labelY, label, fontSize, attributes)];
  });
}

// ---- crossings of the densities; the marker of the best threshold is empty
function createCrossingMarkers(page, { state: { weighted }, answer }, { x, base, range }) {
  const words = page.words.page, crossings = weighted ? answer.weightedcrossings : answer.crossings;
  const label = weighted ? words.crossingweighted : words.crossing;
  const best = (weighted ? answer.accuracybest : answer.best).threshold;
  return crossings.filter((t) => t > range[0] && t < range[1]).map((value) => {
    const title = createSvgElement("title", {}, `${label} ${page.formatThreshold(value)}`);
    const style = { ...createStroke(TEXT_COLOR, 2), fill: value === best ? PAPER_COLOR : CONTROL_COLOR };
    const d = toDiamondPathData(x(value), base, 7, 6);
    return createSvgElement("path", { d, ...style, "data-crossing": value }, title);
  });
}
