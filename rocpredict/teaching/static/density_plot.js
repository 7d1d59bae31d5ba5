// The plot of both densities, with the threshold, its four areas and the crossings of the densities.
import { AREAS, appendAreaLabels, interpolateLinear, isCorrectCall } from "./area_labels.js";
import { createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { CLASS_STYLES, TEXT_COLOR, chooseFontSize, createBottomAxis, createHandle, createLayers } from "./svg.js";
import { createLine, createOutlinedText, createPlot, createScale, createStroke, getPointerPosition } from "./svg.js";
import { resizePlot, toDiamondPathData, toPathData, updateLayer } from "./svg.js";

const MARGIN = 10, CLASS_KEYS = ["negative", "positive"];

export function createDensityPlot(page) {
  const { words: { page: words } } = page, element = createPlot("densities", words.densities);
  const [dataLayer, areaLayer, lineLayer, markerLayer] = createLayers(4);
  let layout = { range: [0, 1], toValue: () => 0 };
  const moveThreshold = (event) =>
    page.set({ threshold: clamp(layout.toValue(getPointerPosition(element, event)[0]), layout.range) });
  const handle = createThresholdHandle(page, words.threshold, moveThreshold);
  const patterns = createSvgElement("defs", {}, ...AREAS.map((area) => createHatchPattern(page, area)));
  element.append(patterns, dataLayer, areaLayer, lineLayer, markerLayer, handle.element);
  element.addEventListener("click", (event) => { if (!handle.element.contains(event.target)) moveThreshold(event); });

  function draw(viewModel) {
    const { observations, state } = viewModel;
    layout = computeDensityLayout(page, viewModel);
    resizePlot(element, layout.width, layout.height);
    updateLayer(dataLayer, [observations, state.empirical, ...layout.key], () => createDataMarks(viewModel, layout));
    areaLayer.replaceChildren(...AREAS.map((area) => createArea(page, area, state, layout)));
    updateLayer(lineLayer, layout.key, () => createDensityLines(page, layout));
    const crossings = locateCrossings(viewModel, layout);
    markerLayer.replaceChildren(...crossings.map((crossing) => createCrossingMarker(page, viewModel, crossing)));
    appendAreaLabels(markerLayer, page, viewModel, layout, crossings);
    handle.draw(viewModel, layout);
  }
  return { element, draw };
}

// The largest density that must fit: that of curves and bars, at most 1.5 times that of the curves.
function computeMaxDensity({ negative, positive }, observations, weights) {
  const curveMax = Math.max(...negative, ...positive);
  const findMax = (bars) => Math.max(...bars.map(({ density }) => density));
  const barMaxima = observations
    ? CLASS_KEYS.map((classKey, i) => weights[i] * findMax(observations.histograms[classKey])) : [0];
  return Math.max(curveMax, Math.min(1.5 * curveMax, Math.max(...barMaxima)));
}

// Scales, sizes and coordinates in pixels, shared by all parts of the plot.
function computeDensityLayout(page, { state, answer: { range, curve }, observations, widths }) {
  const width = Math.max(280, widths.densities), fontSize = chooseFontSize(state, width);
  const height = Math.round(clamp(0.7 * width, [250, 570])), base = height - 3.4 * fontSize, top = 2.6 * fontSize;
  const weights = state.weighted ? [1 - state.prevalence, state.prevalence] : [1, 1];
  const weighClass = (classKey, i) => [classKey, curve[classKey].map((density) => density * weights[i])];
  const densities = Object.fromEntries(CLASS_KEYS.map(weighClass));
  const maxDensity = computeMaxDensity(densities, state.empirical && observations, weights);
  const x = createScale(range, [MARGIN, width - MARGIN]), y = createScale([0, 1.08 * maxDensity], [base, top]);
  return {
    width, fontSize, top, height, base, weights, densities, x, y, range,
    threshold: curve.threshold, xs: curve.threshold.map(x),
    ys: { negative: densities.negative.map(y), positive: densities.positive.map(y) },
    thresholdX: x(clamp(state.threshold, range)),
    toValue: (pixel) => range[0] + (pixel - MARGIN) / (width - 2 * MARGIN) * (range[1] - range[0]),
    key: [curve, ...weights, maxDensity, width, fontSize, page.getFeatureName(), ...page.getClassNames()],
  };
}

function createThresholdHandle(page, label, onMove) {
  const element = createHandle(page, "threshold", label, onMove);
  const line = createSvgElement("line", createStroke(TEXT_COLOR, 2.5));
  const knob = createSvgElement("path", { fill: TEXT_COLOR });
  const target = createSvgElement("rect", { fill: "transparent", width: 32 });
  element.append(target, line, knob);

  function draw({ state, answer: { range } }, { thresholdX: x, top, base }) {
    setAttributes(line, { x1: x, x2: x, y1: top - 4, y2: base });
    setAttributes(knob, { d: `M${x - 8} ${top - 14}h16l-8 12z` });
    setAttributes(target, { x: x - 16, y: top - 18, height: base - top + 18 });
    setAttributes(element, {
      "aria-valuemin": range[0], "aria-valuemax": range[1], "aria-valuenow": clamp(state.threshold, range),
      "aria-valuetext": page.describeThreshold(),
    });
  }
  return { element, draw };
}

// ---- lines and areas
function createDensityLines(page, { x, xs, ys, range, base, fontSize, width }) {
  const lines = CLASS_KEYS.map((classKey) => {
    const { color, dash } = CLASS_STYLES[classKey], d = toPathData(xs, ys[classKey]);
    return createSvgElement("path", { d, ...createStroke(color, 2.5, dash), "data-line": classKey });
  });
  const axis = createBottomAxis(page, x, range, base, fontSize, width);
  return [...lines, ...axis, ...createClassLabels(page, fontSize, width)];
}

function createClassLabels(page, fontSize, width) {
  return CLASS_KEYS.flatMap((classKey, i) => {
    const start = i ? width - 10 : 10, sign = i ? -1 : 1, { color, dash, textColor: fill } = CLASS_STYLES[classKey];
    const attributes = { "text-anchor": i ? "end" : "start", fill, "font-weight": 600 };
    return [
      createLine(start, fontSize - 4, start + 34 * sign, fontSize - 4, createStroke(color, 3, dash)),
      createOutlinedText(start + 40 * sign, fontSize, page.getClassNames()[i], fontSize, attributes),
    ];
  });
}

function createHatchPattern(page, area) {
  const isCorrect = isCorrectCall(area), spacing = isCorrect ? 9 : 5, { color } = CLASS_STYLES[area.classKey];
  const patternTransform = `rotate(${area.classKey === "negative" ? -45 : 45})`, opacity = isCorrect ? 0.1 : 0.26;
  const size = { width: spacing, height: spacing }, units = { patternUnits: "userSpaceOnUse", patternTransform };
  const stroke = createStroke(color, isCorrect ? 1 : 2);
  return createSvgElement("pattern", { id: page.createId(area.name), ...size, ...units },
    createSvgElement("rect", { ...size, fill: color, "fill-opacity": opacity }),
    createLine(0, 0, 0, spacing, stroke, { "stroke-opacity": 0.6 }));
}

function createArea(page, { name, classKey, isCalledPositive }, state, { xs, ys, thresholdX, base }) {
  const isUpper = isCalledPositive === (state.direction !== "lower");
  const thresholdY = interpolateLinear(xs, ys[classKey], thresholdX);
  const indices = xs.map((_, i) => i).filter((i) => isUpper ? xs[i] >= thresholdX : xs[i] <= thresholdX);
  const areaXs = indices.map((i) => xs[i]), areaYs = indices.map((i) => ys[classKey][i]);
  if (isUpper) [areaXs, areaYs].forEach((values, i) => values.unshift([thresholdX, thresholdY][i]));
  else [areaXs, areaYs].forEach((values, i) => values.push([thresholdX, thresholdY][i]));
  const d = `${toPathData([areaXs[0], ...areaXs, areaXs.at(-1)], [base, ...areaYs, base])}Z`;
  return createSvgElement("path", { d, fill: `url(#${page.createId(name)})`, "data-area": name });
}

// ---- crossings of the densities; the marker of the best threshold is white
function locateCrossings({ state: { weighted }, answer }, { x, y, range, threshold, densities }) {
  const crossings = weighted ? answer.weightedcrossings : answer.crossings;
  const visibleCrossings = crossings.filter((t) => t > range[0] && t < range[1]);
  const locate = (value) =>
    ({ value, x: x(value), y: y(interpolateLinear(threshold, densities.negative, value)), halfWidth: 9 });
  return visibleCrossings.map(locate);
}

function createCrossingMarker(page, { state: { weighted }, answer }, { value, x, y }) {
  const words = page.words.page, label = weighted ? words.crossingweighted : words.crossing;
  const best = (weighted ? answer.accuracybest : answer.best).threshold, fill = value === best ? "#ffffff" : "#d0d0d0";
  const title = createSvgElement("title", {}, `${label} ${page.formatter.formatSignificant(value)}`);
  const style = { ...createStroke(TEXT_COLOR, 2), fill };
  return createSvgElement("path", { d: toDiamondPathData(x, y, 8, 7), ...style, "data-crossing": value }, title);
}

// ---- observations: histograms and rugs
function createDataMarks({ observations, state }, layout) {
  if (!observations || !state.empirical) return [];
  return CLASS_KEYS.flatMap((classKey, i) => createHistogramAndRug(observations, classKey, layout, layout.weights[i]));
}

function createHistogramAndRug(observations, classKey, { x, y, base }, weight) {
  const { color: stroke } = CLASS_STYLES[classKey], bars = observations.histograms[classKey];
  const tops = bars.map(({ density }) => Math.max(0, y(density * weight)));
  const outline = toPathData(bars.flatMap(({ from, to }) => [x(from), x(to)]), tops.flatMap((top) => [top, top]));
  const histogram = `M${x(bars[0].from)} ${base}${outline.replace("M", "L")}V${base}`;
  const rugY = classKey === "negative" ? base : base - 5;
  const rug = observations[classKey].map((value) => `M${x(value).toFixed(1)} ${rugY}v-5`).join("");
  const style = { fill: stroke, "fill-opacity": 0.08, stroke, "stroke-opacity": 0.7 };
  return [createSvgElement("path", { d: histogram, ...style, "data-histogram": classKey }),
    createSvgElement("path", { d: rug, stroke, "stroke-opacity": 0.55, "data-rug": classKey })];
}
