// The plot of Ameans, TPR, TNR and precision against the threshold.
import { createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { ACCENT_COLOR, CLASS_STYLES, GRID_COLOR, MUTED_COLOR, TEXT_COLOR, createCurve, createLayers } from "./svg.js";
import { createLine, createPlot, createRightAlignedText, createScale, createStroke, createText } from "./svg.js";
import { createTickMarks, resizePlot, updateLayer } from "./svg.js";

const MEASURE_STROKES = {
  ameans: createStroke(TEXT_COLOR, 3), tpr: createStroke(CLASS_STYLES.positive.color, 2, "8 4"),
  tnr: createStroke(CLASS_STYLES.negative.color, 2), precision: createStroke(MUTED_COLOR, 2, "2 3"),
};

export function createMeasuresPlot(page) {
  const { svg, element } = createPlot("strip", page.words.page.strip), [layer] = createLayers(1);
  const thresholdLine = createSvgElement("line", createStroke(ACCENT_COLOR, 2));
  svg.append(layer, thresholdLine);

  function draw(viewModel) {
    const { state, answer } = viewModel, layout = computeMeasuresLayout(page, element.clientWidth);
    const { width, height, fontSize, x, names, top, base } = layout;
    const thresholdX = x(clamp(state.threshold, page.getRange()));
    resizePlot(svg, width, height);
    updateLayer(layer, [answer.curve, state.prevalence, width, fontSize, names, ...page.getRange()], () => [
      ...createMeasuresGrid(page, layout), ...createTickMarks(page, x, page.getRange(), base, fontSize, width),
      ...Object.keys(MEASURE_STROKES).flatMap((name, i) => createMeasureCurve(page, viewModel, layout, name, i)),
    ]);
    setAttributes(thresholdLine, { x1: thresholdX, x2: thresholdX, y1: top, y2: base });
  }
  return { element, svg, draw };
}

function computeMeasuresLayout(page, boxWidth) {
  const width = Math.max(240, boxWidth), fontSize = page.getFontSize();
  const left = 2 * fontSize, top = 2.8 * fontSize, height = 220, base = height - 2 * fontSize;
  const x = createScale(page.getRange(), [left, width - 10]), y = createScale([0, 1], [base, top]);
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
  const start = left + (i % 2) * (width - left) / 2, labelY = (i < 2 ? 1 : 2.3) * fontSize, words = page.words.page;
  const xs = indices.map((k) => x(answer.curve.threshold[k])), ys = indices.map((k) => y(values[k]));
  return [createCurve(xs, ys, stroke, name), createLine(start, labelY - 5, start + 22, labelY - 5, stroke),
    createText(start + 27, labelY, names[name] ?? words.rates[name], fontSize)];
}
