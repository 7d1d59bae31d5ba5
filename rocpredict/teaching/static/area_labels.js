// The four areas on both sides of the threshold, and the positions of their labels.
import { clamp } from "./format.js";
import { CLASS_STYLES, createOutlinedText } from "./svg.js";

export const AREAS = [
  { name: "tn", rate: "tnr", classKey: "negative", isCalledPositive: false },
  { name: "fp", rate: "fpr", classKey: "negative", isCalledPositive: true },
  { name: "fn", rate: "fnr", classKey: "positive", isCalledPositive: false },
  { name: "tp", rate: "tpr", classKey: "positive", isCalledPositive: true },
];

export const isCorrectCall = ({ classKey, isCalledPositive }) => (classKey === "positive") === isCalledPositive;

// Appends the labels to a layer. A label overlaps neither another label nor a marker.
export function appendAreaLabels(layer, page, { state, answer }, layout, markers) {
  const { fontSize } = layout;
  const boxes = markers.map(({ x, y, halfWidth }) => ({ x, y: y + fontSize / 3, halfWidth }));
  for (const area of AREAS) {
    const rate = answer.rates[area.rate];
    if (!(rate > 0.0005)) continue;
    const label = `${page.words.page.areas[area.name]} ${page.formatter.formatRate(rate)}`;
    const box = computeLabelBox(label.length * fontSize * 0.31, area, state, layout);
    while (boxes.some((other) => overlaps(box, other, fontSize))) box.y -= fontSize * 1.3;
    boxes.push(box);
    const fill = CLASS_STYLES[area.classKey].textColor;
    const attributes = { "text-anchor": "middle", "font-weight": 700, fill, "data-label": area.name };
    layer.append(createOutlinedText(box.x, box.y, label, fontSize, attributes));
  }
}

// A label stays within its area and near its center. Correct and wrong calls have different vertical positions.
function computeLabelBox(halfWidth, area, state, layout) {
  const { x, y, threshold, thresholdX, fontSize, width, top, base } = layout;
  const density = layout.densities[area.classKey];
  const isUpper = area.isCalledPositive !== (state.direction === "lower"), isCorrect = isCorrectCall(area);
  const center = computeAreaCenter(threshold, density, state.threshold, isUpper), centerX = x(center);
  const labelX = isUpper
    ? Math.max(centerX, thresholdX + halfWidth + 6) : Math.min(centerX, thresholdX - halfWidth - 6);
  const defaultY = base - (base - top) * (isCorrect ? 0.42 : 0.14);
  const insideY = y(0.6 * interpolateLinear(threshold, density, center));
  const shift = area.classKey === "positive" ? 0 : fontSize * 0.2;
  const labelY = (isCorrect ? Math.max(defaultY, insideY) : defaultY) - shift;
  return { x: clamp(labelX, [halfWidth + 4, width - halfWidth - 4]), y: labelY, halfWidth };
}

export function interpolateLinear(xs, ys, x) {
  const i = Math.max(1, xs.findIndex((value) => value >= x));
  const fraction = (x - xs[i - 1]) / (xs[i] - xs[i - 1] || 1);
  return ys[i - 1] + clamp(fraction, [0, 1]) * (ys[i] - ys[i - 1]);
}

const overlaps = (box, other, fontSize) =>
  Math.abs(other.y - box.y) < fontSize * 1.25 && Math.abs(other.x - box.x) < other.halfWidth + box.halfWidth;

function computeAreaCenter(xs, ys, threshold, isUpper) {
  let mass = 0, moment = 0;
  for (let i = 1; i < xs.length; i++) {
    const center = (xs[i] + xs[i - 1]) / 2, weight = (ys[i] + ys[i - 1]) * (xs[i] - xs[i - 1]);
    if (isUpper === center > threshold) { mass += weight; moment += weight * center; }
  }
  return mass ? moment / mass : threshold;
}
