// The plot of Ameans, TPR, TNR and precision against the threshold.
import { createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { GRID_COLOR, TEXT_COLOR, chooseFontSize, createBottomAxis, createCurve, createLayers } from "./svg.js";
import { createLine, createPlot, createRightAlignedText, createScale, createStroke, createText } from "./svg.js";
import { resizePlot, updateLayer } from "./svg.js";

const MEASURE_STROKES = {
  ameans: createStroke("#000000", 3), tpr: createStroke("#D55E00", 2, "9 3"), tnr: createStroke("#0072B2", 2),
  precision: createStroke("#8A3A6B", 2, "2 3"),
};

export function createMeasuresPlot(page) {
  const element = createPlot("strip", page.words.page.strip), [layer] = createLayers(1);
  const thresholdLine = createSvgElement("line", createStroke(TEXT_COLOR, 2));
  element.append(layer, thresholdLine);

  function draw(viewModel) {
    const { state, answer } = viewModel, layout = computeMeasuresLayout(page, viewModel);
    const { width, height, fontSize, x, names, top, base } = layout;
    const thresholdX = x(clamp(state.threshold, answer.range));
    resizePlot(element, width, height);
    updateLayer(layer, [answer.curve, state.prevalence, width, fontSize, names, page.getFeatureName()], () => [
      ...createMeasuresGrid(page, layout), ...createBottomAxis(page, x, answer.range, base, fontSize, width),
      ...Object.keys(MEASURE_STROKES).flatMap((name, i) => createMeasureCurve(page, viewModel, layout, name, i)),
    ]);
    setAttributes(thresholdLine, { x1: thresholdX, x2: thresholdX, y1: top, y2: base });
  }
  return { element, draw };
}

function computeMeasuresLayout(page, { state, answer, widths }) {
  const width = Math.max(280, widths.strip), fontSize = chooseFontSize(state, width);
  const left = 2.6 * fontSize, top = 1.6 * fontSize, height = 210 + 2 * fontSize, base = height - 3.4 * fontSize;
  const x = createScale(answer.range, [left, width - 10]), y = createScale([0, 1], [base, top]);
  return { width, fontSize, left, top, height, base, x, y, names: page.getRateNames() };
}

function createMeasuresGrid(page, { left, width, fontSize, y }) {
  return [0, 0.5, 1].flatMap((rate) => [
    createLine(left, y(rate), width - 10, y(rate), createStroke(GRID_COLOR)),
    createRightAlignedText(left - 5, y(rate) + fontSize / 3, page.formatter.formatFixed(rate, 1), fontSize),
  ]);
}

// Precision is NaN where no observation is called positive.
function createMeasureCurve(page, { answer, measureCurves }, { left, width, fontSize, x, y, names }, name, i) {
  const values = measureCurves[name], stroke = MEASURE_STROKES[name];
  const indices = values.map((_, k) => k).filter((k) => !Number.isNaN(values[k]));
  const start = left + i * (width - left - 10) / 4, words = page.words.page;
  const xs = indices.map((k) => x(answer.curve.threshold[k])), ys = indices.map((k) => y(values[k]));
  return [createCurve(xs, ys, stroke, name), createLine(start, fontSize - 4, start + 22, fontSize - 4, stroke),
    createText(start + 27, fontSize, names[name] ?? words.rates[name], fontSize)];
}
