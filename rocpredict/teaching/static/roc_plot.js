// The plot of the predicted, empirical and resampled ROC curves, with the current and the best operating points.
import { createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { COST_COLOR, EMPIRICAL_COLOR, GRID_COLOR, MUTED_COLOR, TEXT_COLOR, chooseFontSize } from "./svg.js";
import { createCenteredText, createCurve, createHandle, createLayers, createLine, createOutlinedText } from "./svg.js";
import { createPlot, createRightAlignedText, createScale, createStroke, getPointerPosition } from "./svg.js";
import { resizePlot, toDiamondPathData, updateLayer } from "./svg.js";

const PREDICTED_STROKE = createStroke("#000000", 3), RESAMPLED_STROKE = createStroke("#7A6000");
const EMPIRICAL_STROKE = createStroke(EMPIRICAL_COLOR, 1.8, "4 2"), COST_STROKE = createStroke(COST_COLOR, 2, "8 4");

export function createRocPlot(page) {
  const element = createPlot("roc", page.words.page.roc);
  const [gridLayer, resampledLayer, curveLayer, markerLayer] = createLayers(4);
  let layout = { toRates: () => [0, 0] };
  const movePoint = (event) => page.moveToPoint(...layout.toRates(getPointerPosition(element, event)));
  const handle = createPointHandle(page, movePoint);
  element.append(gridLayer, resampledLayer, curveLayer, markerLayer, handle.element);
  element.addEventListener("click", (event) => { if (!handle.element.contains(event.target)) movePoint(event); });

  // A new threshold redraws the markers only. The resampled curves would take the most time.
  function draw(viewModel) {
    const { state, answer, resampledCurves } = viewModel, points = state.empirical && answer.empirical?.points;
    layout = computeRocLayout(page, viewModel);
    const { side, fontSize, names } = layout;
    resizePlot(element, layout.width, layout.height);
    updateLayer(gridLayer, [side, fontSize, names], () => createRocGrid(page, layout));
    updateLayer(resampledLayer, [resampledCurves, side, fontSize],
      () => createResampledCurves(resampledCurves, layout));
    updateLayer(curveLayer, [answer.curve, points, side, fontSize],
      () => createRocCurves(answer.curve, points, state, layout));
    markerLayer.replaceChildren(...createMarkers(page, viewModel, layout), ...createLegend(page, viewModel, layout));
    handle.draw(viewModel, layout);
  }
  return { element, draw };
}

function computeRocLayout(page, { state, widths }) {
  const width = Math.max(260, widths.roc), fontSize = chooseFontSize(state, width), left = 3.6 * fontSize;
  const side = Math.min(width - left - 1.2 * fontSize, state.lecture ? 620 : 520);
  return {
    width, fontSize, side, height: side + 3.4 * fontSize + 12, names: page.getRateNames(),
    x: createScale([0, 1], [left, left + side]), y: createScale([0, 1], [12 + side, 12]),
    toRates: ([pixelX, pixelY]) => [(pixelX - left) / side, 1 - (pixelY - 12) / side],
  };
}

function createPointHandle(page, onMove) {
  const element = createHandle(page, "point", page.words.page.point, onMove);
  const target = createSvgElement("circle", { r: 18, fill: "transparent" });
  const ring = createSvgElement("circle", { r: 8, ...createStroke(TEXT_COLOR, 3.5), fill: "#ffffff" });
  element.append(target, ring);

  function draw({ answer: { rates } }, { x, y }) {
    for (const circle of [target, ring]) setAttributes(circle, { cx: x(rates.fpr), cy: y(rates.tpr) });
    const current = { "aria-valuenow": rates.fpr, "aria-valuetext": page.describePoint() };
    setAttributes(element, { "aria-valuemin": 0, "aria-valuemax": 1, ...current });
  }
  return { element, draw };
}

function createRocGrid(page, { x, y, fontSize, names }) {
  const { formatFixed } = page.formatter, gridStroke = createStroke(GRID_COLOR);
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((rate) => [
    createLine(x(rate), y(0), x(rate), y(1), gridStroke), createLine(x(0), y(rate), x(1), y(rate), gridStroke),
    createCenteredText(x(rate), y(0) + 4 + fontSize, formatFixed(rate, 1), fontSize, { fill: MUTED_COLOR }),
    createRightAlignedText(x(0) - 6, y(rate) + fontSize / 3, formatFixed(rate, 1), fontSize),
  ]);
  const transform = `rotate(-90 ${fontSize} ${y(0.5)})`;
  return [
    ...grid,
    createLine(x(0), y(0), x(1), y(1), createStroke(MUTED_COLOR, 1, "2 4"), { "data-curve": "chance" }),
    createCenteredText(x(0.5), y(0) + 8 + 2.1 * fontSize, names.fpr, fontSize),
    createCenteredText(fontSize, y(0.5), names.tpr, fontSize, { transform }),
  ];
}

// ---- curves
function createResampledCurves(curves, { x, y }) {
  const stroke = { ...RESAMPLED_STROKE, "stroke-opacity": 0.35 };
  return curves.map(({ fpr, tpr }) => createCurve(fpr.map(x), tpr.map(y), stroke, "draw"));
}

function createRocCurves({ fpr, tpr }, points, { direction }, { x, y }) {
  const bounds = direction === "lower" ? [0, 1] : [1, 0], addBounds = (rates) => [bounds[0], ...rates, bounds[1]];
  const empirical = points ? [createCurve(points.fpr.map(x), points.tpr.map(y), EMPIRICAL_STROKE, "empirical")] : [];
  return [...empirical, createCurve(addBounds(fpr).map(x), addBounds(tpr).map(y), PREDICTED_STROKE, "predicted")];
}

// The line of equal cost, cut off at the borders of the square, and the point of least cost.
function createCostLine({ fpr, tpr, slope }, { x, y }, words) {
  const [[x0, y0], [x1, y1]] = [0, 1].map((borderFpr) => {
    const borderTpr = tpr + slope * (borderFpr - fpr), clampedTpr = clamp(borderTpr, [0, 1]);
    return [clampedTpr === borderTpr ? borderFpr : fpr + (clampedTpr - tpr) / slope, clampedTpr];
  });
  const box = { x: x(fpr) - 6, y: y(tpr) - 6, width: 12, height: 12 };
  const style = { ...createStroke(COST_COLOR, 3), fill: "#ffffff" };
  const title = createSvgElement("title", {}, words.costbest);
  return [createLine(x(x0), y(y0), x(x1), y(y1), COST_STROKE, { "data-curve": "cost" }),
    createSvgElement("rect", { ...box, ...style, "data-mark": "cost" }, title)];
}

// ---- markers
function createMarkers(page, { state, answer, gap }, layout) {
  const words = page.words.page, empirical = state.empirical && answer.empirical;
  return [
    ...(state.costline ? createCostLine(answer.costbest, layout, words) : []),
    ...createBestMarker(answer.best, layout, words),
    ...(gap && empirical ? [createGapMarker(gap, layout)] : []),
    ...(empirical ? [createEmpiricalMarker(empirical, layout)] : []),
  ];
}

function createEmpiricalMarker({ fpr, tpr }, { x, y }) {
  const style = { r: 5, fill: EMPIRICAL_COLOR, stroke: "#ffffff" };
  return createSvgElement("circle", { cx: x(fpr), cy: y(tpr), ...style, "data-mark": "empirical" });
}

// The best threshold is infinite if the densities do not cross.
function createBestMarker({ fpr, tpr, threshold }, { x, y, fontSize }, words) {
  const label = Number.isFinite(threshold) ? `${words.best}: ${words.besthere}` : words.best;
  const style = { ...createStroke(TEXT_COLOR, 2), fill: "#ffffff", "data-mark": "best" };
  const title = createSvgElement("title", {}, label), d = toDiamondPathData(x(fpr), y(tpr), 9, 8);
  const textAttributes = { "data-mark": "best" };
  return [createSvgElement("path", { d, ...style }, title),
    createOutlinedText(x(fpr) + 14, y(tpr) + fontSize + 4, words.bestshort, fontSize, textAttributes)];
}

function createGapMarker({ fpr, from, to }, { x, y }) {
  return createLine(x(fpr), y(from), x(fpr), y(to), createStroke(EMPIRICAL_COLOR, 3), { "data-mark": "gap" });
}

// The legend is below the curve, or above it if the curve is below the chance line.
function createLegend(page, viewModel, { x, y, fontSize }) {
  const entries = listLegendEntries(page, viewModel), isAbove = viewModel.answer.auc < 0.5;
  const outerX = isAbove ? x(0) + 8 : x(1) - 8, sign = isAbove ? 1 : -1;
  const firstY = isAbove ? y(1) + 1.4 * fontSize : y(0) - (entries.length - 0.4) * 1.5 * fontSize;
  return entries.flatMap(([stroke, label], i) => {
    const labelY = firstY + i * 1.5 * fontSize, lineY = labelY - fontSize / 3;
    const anchor = { "text-anchor": isAbove ? "start" : "end" };
    return [createLine(outerX, lineY, outerX + 30 * sign, lineY, stroke),
      createOutlinedText(outerX + 36 * sign, labelY, label, fontSize, anchor)];
  });
}

function listLegendEntries(page, { state, answer, resampledCurves }) {
  const words = page.words.page, addAuc = (name, auc) => `${name}, AUC ${page.formatter.formatRate(auc)}`;
  const entries = [[PREDICTED_STROKE, addAuc(words.predicted, answer.auc)]];
  if (state.empirical && answer.empirical) {
    entries.push([EMPIRICAL_STROKE, addAuc(words.counted, answer.empirical.auc)]);
  }
  if (state.costline) entries.push([COST_STROKE, words.costline]);
  if (resampledCurves.length) entries.push([RESAMPLED_STROKE, words.redraws]);
  return entries;
}
