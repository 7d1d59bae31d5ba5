// The view model: everything that the plots and tables draw from an answer. Independent of the document.
import { countDots } from "./dots.js";
import { clamp } from "./format.js";
import { computeMeasures, findPair, getObservations, interpolateLinear } from "./model.js";

export function createViewModel(state, answer, payload, resampledCurves, maxDots) {
  const observations = getObservations(state, payload), gap = answer.empirical?.gap;
  if (observations) observations.histograms ??= computeHistograms(observations, answer.range);
  const predictedTpr = gap && interpolateTpr(answer.curve, gap.fpr);
  const counts = computeCounts(answer.rates, state, payload);
  return {
    state, answer, observations, resampledCurves, counts,
    dots: countDots(state.prevalence, Math.min(maxDots, counts.total)),
    gap: gap && { ...gap, from: predictedTpr - gap.value, to: predictedTpr },
    measureCurves: state.strip ? computeMeasureCurves(answer, state.prevalence) : null,
  };
}

function interpolateTpr({ fpr, tpr }, x) {
  const isDecreasing = fpr[0] > fpr.at(-1);
  return isDecreasing ? interpolateLinear(fpr.toReversed(), tpr.toReversed(), x) : interpolateLinear(fpr, tpr, x);
}

// Expected counts among 1000 observations, or 10000 or 100000 where one class is rare. Among those of the data where
// there are fewer, while the prevalence is theirs.
export function computeCounts(rates, state, payload) {
  const { prevalence } = state, [n0, n1] = findPair(state, payload)?.facts.count ?? [1000, 0], rows = n0 + n1;
  const rare = Math.min(prevalence, 1 - prevalence), isOfRows = rows < 1000 && Math.abs(n1 / rows - prevalence) < 1e-9;
  const total = isOfRows ? rows : [1000, 10000].find((n) => n * rare > 9.999) ?? 100000;
  const positives = Math.round(total * prevalence);
  const tp = Math.round(positives * rates.tpr), fp = Math.round((total - positives) * rates.fpr);
  return { total, positives, negatives: total - positives, tp, fp, fn: positives - tp, tn: total - positives - fp };
}

function computeMeasureCurves({ curve }, prevalence) {
  const measures = curve.threshold.map((_, i) => {
    const tpr = curve.tpr[i], fpr = curve.fpr[i];
    return computeMeasures({ tpr, fpr, tnr: 1 - fpr, fnr: 1 - tpr }, prevalence, 1);
  });
  const column = (name) => measures.map((values) => values[name]);
  return { ameans: column("ameans"), tpr: column("tpr"), tnr: column("tnr"), precision: column("precision") };
}

function computeHistograms({ negative, positive }, range) {
  return { negative: computeHistogram(negative, range), positive: computeHistogram(positive, range) };
}

function computeHistogram(sortedValues, [low, high]) {
  const n = sortedValues.length, first = sortedValues[0];
  const nBins = Math.min(40, Math.max(8, Math.ceil(2 * Math.cbrt(n))));
  const width = (sortedValues.at(-1) - first) / nBins || (high - low) / 40, counts = new Array(nBins + 1).fill(0);
  for (const value of sortedValues) counts[Math.floor((value - first) / width)]++;
  counts[nBins - 1] += counts.pop();
  const binEdge = (i) => first + i * width;
  return counts.map((count, i) => ({ from: binEdge(i), to: binEdge(i + 1), density: count / n / width }));
}

// The threshold of the point of the curve that is nearest to a point of the ROC square.
export function findNearestThreshold({ threshold, fpr, tpr }, x, y) {
  let minDistance = Infinity, nearestThreshold = threshold[0];
  for (let i = 1; i < threshold.length; i++) {
    const dx = fpr[i] - fpr[i - 1], dy = tpr[i] - tpr[i - 1], lengthSquared = dx * dx + dy * dy;
    const fraction = lengthSquared ? clamp(((x - fpr[i - 1]) * dx + (y - tpr[i - 1]) * dy) / lengthSquared, [0, 1]) : 0;
    const distance = Math.hypot(fpr[i - 1] + fraction * dx - x, tpr[i - 1] + fraction * dy - y);
    if (distance < minDistance) {
      minDistance = distance;
      nearestThreshold = threshold[i - 1] + fraction * (threshold[i] - threshold[i - 1]);
    }
  }
  return nearestThreshold;
}

export function computeTicks(low, high, maxTicks) {
  const minStep = (high - low) / maxTicks, magnitude = 10 ** Math.floor(Math.log10(minStep));
  const step = magnitude * [1, 2, 5, 10].find((factor) => factor * magnitude >= minStep);
  const first = Math.ceil(low / step), count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => ({ value: (first + i) * step, step }));
}
