// The plot of the predicted, empirical and resampled ROC curves, with the current and the best operating points.
import { createButton, createHtmlElement, createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { createOverlays } from "./overlays.js";
import { ACCENT_COLOR, CLASS_STYLES, CONTROL_COLOR, GRID_COLOR, MUTED_COLOR, PAPER_COLOR, TEXT_COLOR } from "./svg.js";
import { addPointerListeners, createCenteredText, createCurve, createGrip, createLayers, createLine } from "./svg.js";
import { createOutlinedText, createPlot, createRightAlignedText, createScale, createStroke, moveGrip } from "./svg.js";
import { resizePlot, toDiamondPathData, toPathData, updateLayer } from "./svg.js";

const PREDICTED_STROKE = createStroke(TEXT_COLOR, 3), RESAMPLED_STROKE = createStroke(CONTROL_COLOR);
const EMPIRICAL_STROKE = createStroke(MUTED_COLOR, 1.8, "4 2"), COST_STROKE = createStroke(MUTED_COLOR, 2, "10 4 2 4");

export function createRocPlot(page) {
  const { svg, element } = createPlot("roc", page.words.page.roc);
  const [gridLayer, resampledLayer, curveLayer, markerLayer] = createLayers(4);
  const guides = createGuides(), grip = createGrip(page, "point", page.words.page.point);
  const ring = createSvgElement("circle", { r: 9, ...createStroke(ACCENT_COLOR, 4), fill: PAPER_COLOR });
  const auc = createButton("", () => page.openTerm("auc"), { class: "auc term", "data-term": "auc" });
  let layout = { toRates: () => [0, 0] };
  svg.append(gridLayer, resampledLayer, curveLayer, guides.element, markerLayer, ring);
  element.append(grip, auc, createHtmlElement("output", { class: "visually-hidden", "data-name": "auc" }));
  addPointerListeners(element, page, "point", (_, x, y) => page.moveToPoint(...layout.toRates([x, y])));

  // A new threshold redraws the markers only. The resampled curves would take the most time.
  function draw(viewModel) {
    const { state, answer, resampledCurves } = viewModel, points = state.empirical && answer.empirical?.points;
    layout = computeRocLayout(page, element.clientWidth || 260, element.clientHeight || 260);
    const { side, fontSize, names, x, y, left, bottom } = layout;
    resizePlot(svg, layout.width, layout.height);
    updateLayer(gridLayer, [side, left, bottom, fontSize, names, ...page.getClassNames()],
      () => createRocGrid(page, layout));
    updateLayer(resampledLayer, [resampledCurves, side, left, bottom],
      () => createResampledCurves(resampledCurves, layout));
    updateLayer(curveLayer, [answer.curve, points, side, left, bottom, page.sweep],
      () => createRocCurves(answer, points, state, layout, page.sweep));
    markerLayer.replaceChildren(...createMarkers(page, viewModel, layout), ...createLegend(page, viewModel, layout));
    guides.draw(answer.rates, layout);
    setAttributes(ring, { cx: x(answer.rates.fpr), cy: y(answer.rates.tpr) });
    moveGrip(grip, x(answer.rates.fpr), y(answer.rates.tpr));
    const current = { "aria-valuenow": answer.rates.fpr, "aria-valuetext": page.describeThreshold() };
    setAttributes(grip, { "aria-valuemin": 0, "aria-valuemax": 1, ...current });
    auc.textContent = `AUC ${page.formatter.formatRate(answer.auc)}`;
    auc.classList.toggle("above", answer.auc < 0.5);
    Object.assign(auc.style, answer.auc < 0.5
      ? { left: `${left + 6}px`, right: "", top: `${y(1) + 2}px`, bottom: "" }
      : { left: "", right: `${layout.width - x(1) + 6}px`, top: "", bottom: `${layout.height - y(0) + 2}px` });
    setAttributes(element.querySelector("output"), { "data-value": answer.auc });
  }
  return { element, svg, draw };
}

// A square at the top, with room for the axes on the left and below.
function computeRocLayout(page, width, height) {
  const fontSize = page.getFontSize(), isNarrow = width < 300, left = (isNarrow ? 2 : 3.6) * fontSize;
  const side = Math.max(60, Math.min(width - left - 8, height - 3 * fontSize - 10));
  const start = Math.max(left, width - side - 8), bottom = 10 + side;
  return {
    width, height, fontSize, side, isNarrow, names: page.getRateNames(), left: start, bottom,
    x: createScale([0, 1], [start, start + side]), y: createScale([0, 1], [bottom, 10]),
    toRates: ([pixelX, pixelY]) => [(pixelX - start) / side, 1 - (pixelY - 10) / side],
  };
}

// From the point, the length of the line down is the TPR, and that of the line to the left is the FPR.
function createGuides() {
  const strokes = { tpr: ["positive", "7 4"], fpr: ["negative", ""] };
  const lines = Object.entries(strokes).map(([rate, [classKey, dash]]) =>
    createLine(0, 0, 0, 0, createStroke(CLASS_STYLES[classKey].color, 3.5, dash), { "data-guide": rate }));
  return {
    element: createSvgElement("g", {}, ...lines),
    draw({ fpr, tpr }, { x, y }) {
      setAttributes(lines[0], { x1: x(fpr), x2: x(fpr), y1: y(tpr), y2: y(0) });
      setAttributes(lines[1], { x1: x(fpr), x2: x(0), y1: y(tpr), y2: y(tpr) });
    },
  };
}

function createRocGrid(page, { x, y, fontSize, names, isNarrow, left }) {
  const gridStroke = createStroke(GRID_COLOR), [negative, positive] = page.getClassNames();
  const isLong = isNarrow && names.tpr.length > 5, titleY = y(isNarrow && !isLong ? 0.76 : 0.5);
  const grid = (isNarrow ? [0, 0.5, 1] : [0, 0.2, 0.4, 0.6, 0.8, 1]).flatMap((rate) => {
    const label = rate % 1 ? page.formatter.formatFixed(rate, 1) : String(rate);
    const anchor = isNarrow && rate === 1 ? "end" : "middle";
    return [
      createLine(x(rate), y(0), x(rate), y(1), gridStroke), createLine(x(0), y(rate), x(1), y(rate), gridStroke),
      createCenteredText(x(rate), y(0) + 4 + fontSize, label, fontSize, { fill: MUTED_COLOR, "text-anchor": anchor }),
      isLong && rate === 0.5 ? null : createRightAlignedText(x(0) - 6, y(rate) + fontSize / 3, label, fontSize),
    ];
  });
  const titleX = left - (isNarrow ? 0.55 : 2.7) * fontSize,
    transform = `rotate(-90 ${titleX} ${titleY})`;
  const fitName = (rate, name) => isNarrow || rate.length + name.length > 22 ? rate : `${rate} (${name})`;
  const styles = [CLASS_STYLES.negative, CLASS_STYLES.positive].map(({ textColor: fill }) => ({ fill }));
  return [
    ...grid.filter(Boolean),
    createLine(x(0), y(0), x(1), y(1), createStroke(CONTROL_COLOR, 1.5, "2 4"), { "data-curve": "chance" }),
    createCenteredText(x(0.5), y(0) + 6 + 2.2 * fontSize, fitName(names.fpr, negative), fontSize, styles[0]),
    createCenteredText(titleX, titleY, fitName(names.tpr, positive), fontSize,
      { transform, ...styles[1] }),
  ];
}

// ---- curves
function createResampledCurves(curves, { x, y }) {
  const stroke = { ...RESAMPLED_STROKE, "stroke-opacity": 0.35 };
  return curves.map(({ fpr, tpr }) => createCurve(fpr.map(x), tpr.map(y), stroke, "draw"));
}

// During a sweep, the curve ends at the point.
function createRocCurves({ curve, rates: at }, points, { direction }, { x, y }, sweep) {
  const bounds = direction === "lower" ? [0, 1] : [1, 0], addBounds = (rates) => [bounds[0], ...rates, bounds[1]];
  const empirical = points ? [createCurve(points.fpr.map(x), points.tpr.map(y), EMPIRICAL_STROKE, "empirical")] : [];
  const rates = [curve.fpr, curve.tpr].map(addBounds), isDrawn = (_, i) => !sweep || rates[0][i] < at.fpr;
  const [xs, ys] = [rates[0].filter(isDrawn).map(x), rates[1].filter(isDrawn).map(y)];
  if (sweep) [xs, ys].forEach((ends, i) => ends[direction === "lower" ? "push" : "unshift"]([x(at.fpr), y(at.tpr)][i]));
  const order = direction === "lower" ? xs.length - 1 : 0;
  const area = `M${x(1)} ${y(0)}${toPathData(xs, ys).replace("M", "L")}L${xs[order]} ${y(0)}Z`;
  const fill = createSvgElement("path", { d: area, fill: TEXT_COLOR, "fill-opacity": 0.06 });
  return [sweep ? null : fill, ...empirical, createCurve(xs, ys, PREDICTED_STROKE, "predicted")].filter(Boolean);
}

// The line of equal cost, cut off at the borders of the square, and the point of least cost.
function createCostLine({ fpr, tpr, slope }, { x, y }, words) {
  const [[x0, y0], [x1, y1]] = [0, 1].map((borderFpr) => {
    const borderTpr = tpr + slope * (borderFpr - fpr), clampedTpr = clamp(borderTpr, [0, 1]);
    return [clampedTpr === borderTpr ? borderFpr : fpr + (clampedTpr - tpr) / slope, clampedTpr];
  });
  const box = { x: x(fpr) - 6, y: y(tpr) - 6, width: 12, height: 12 };
  const style = { ...createStroke(TEXT_COLOR, 2), fill: PAPER_COLOR };
  const title = createSvgElement("title", {}, words.costbest);
  return [createLine(x(x0), y(y0), x(x1), y(y1), COST_STROKE, { "data-curve": "cost" }),
    createSvgElement("rect", { ...box, ...style, "data-mark": "cost" }, title)];
}

// ---- markers; a best threshold of a curve below the chance line is not marked
function createMarkers(page, { state, answer, gap }, layout) {
  const words = page.words.page, empirical = state.empirical && answer.empirical;
  return [
    ...createOverlays(page, { state, answer }, layout),
    ...(state.costline ? createCostLine(answer.costbest, layout, words) : []),
    ...(answer.auc < 0.5 ? [] : createBestMarker(answer.best, layout, words)),
    ...(gap && empirical ? [createGapMarker(gap, layout)] : []),
    ...(empirical ? [createEmpiricalMarker(empirical, layout)] : []),
    ...(page.tally?.played ? createPairsBar(page.tally.share, answer.auc, layout) : []),
  ];
}

// The share of pairs won fills a bar up to the AUC.
function createPairsBar(share, auc, { x, y }) {
  const box = { x: x(1) - 14, width: 14, y: y(share), height: y(0) - y(share) }, mark = { "data-mark": "pairs" };
  return [createSvgElement("rect", { ...box, fill: TEXT_COLOR, "fill-opacity": 0.35, ...mark }),
    createLine(x(1) - 22, y(auc), x(1), y(auc), createStroke(TEXT_COLOR, 2.5), mark)];
}

function createEmpiricalMarker({ fpr, tpr }, { x, y }) {
  const style = { r: 5, fill: MUTED_COLOR, stroke: PAPER_COLOR };
  return createSvgElement("circle", { cx: x(fpr), cy: y(tpr), ...style, "data-mark": "empirical" });
}

// The best threshold is infinite if the densities do not cross.
function createBestMarker({ fpr, tpr, threshold }, { x, y }, words) {
  const label = Number.isFinite(threshold) ? `${words.best}: ${words.besthere}` : words.best;
  const style = { ...createStroke(TEXT_COLOR, 2), fill: PAPER_COLOR, "data-mark": "best" };
  const title = createSvgElement("title", {}, label);
  return [createSvgElement("path", { d: toDiamondPathData(x(fpr), y(tpr), 6, 5), ...style }, title)];
}

function createGapMarker({ fpr, from, to }, { x, y }) {
  return createLine(x(fpr), y(from), x(fpr), y(to), createStroke(MUTED_COLOR, 3), { "data-mark": "gap" });
}

// The legend stands above the AUC. It is shown if there is more than one curve.
function createLegend(page, viewModel, { x, y, fontSize, isNarrow }) {
  const entries = isNarrow ? [] : listLegendEntries(page, viewModel), isAbove = viewModel.answer.auc < 0.5;
  const outerX = isAbove ? x(0) + 8 : x(1) - 8, sign = isAbove ? 1 : -1;
  const firstY = isAbove ? y(1) + 4 * fontSize : y(0) - (entries.length + 1.6) * 1.4 * fontSize;
  return entries.flatMap(([stroke, label], i) => {
    const labelY = firstY + i * 1.4 * fontSize, lineY = labelY - fontSize / 3;
    const anchor = { "text-anchor": isAbove ? "start" : "end", fill: MUTED_COLOR };
    return [createLine(outerX, lineY, outerX + 24 * sign, lineY, stroke),
      createOutlinedText(outerX + 30 * sign, labelY, label, fontSize, anchor)];
  });
}

function listLegendEntries(page, { state, answer, resampledCurves }) {
  const words = page.words.page, entries = [];
  if (state.empirical && answer.empirical) {
    const label = `${words.counted} ${page.formatter.formatRate(answer.empirical.auc)}`;
    entries.push([PREDICTED_STROKE, words.predicted], [EMPIRICAL_STROKE, label]);
  }
  if (state.costline) entries.push([COST_STROKE, words.costline]);
  if (resampledCurves.length) entries.push([RESAMPLED_STROKE, words.redraws]);
  return entries;
}
