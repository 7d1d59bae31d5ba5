// What views show of an answer: pure, as the model.
import { measured, rowsOf } from "./model.js";

export function sceneOf(state, answer, payload, cloud) {
  const rows = rowsOf(state, payload), gap = answer.empirical?.gap;
  if (rows) rows.histograms ??= histogramsOf(rows, answer.range);
  const top = gap && heightOfCurve(answer.curve, gap.fpr);
  return {
    state, answer, rows, cloud, counts: frequencies(answer.rates, state.prevalence),
    gap: gap && { ...gap, from: top - gap.value, to: top },
    along: state.strip ? measuresAlong(answer, state.prevalence) : null,
  };
}

function heightOfCurve({ fpr, tpr }, at) {
  const falls = fpr[0] > fpr.at(-1), x = falls ? fpr.toReversed() : fpr, y = falls ? tpr.toReversed() : tpr;
  const i = Math.max(1, x.findIndex((v) => v >= at));
  return y[i - 1] + (y[i] - y[i - 1]) * Math.min(1, Math.max(0, (at - x[i - 1]) / (x[i] - x[i - 1] || 1)));
}

export function frequencies(rates, prevalence) {
  const total = prevalence < 0.01 || prevalence > 0.99 ? 10000 : 1000, positives = Math.round(total * prevalence);
  const tp = Math.round(positives * rates.tpr), fp = Math.round((total - positives) * rates.fpr);
  return { total, positives, negatives: total - positives, tp, fp, fn: positives - tp, tn: total - positives - fp };
}

function measuresAlong({ curve }, prevalence) {
  const at = curve.threshold.map((_, i) => {
    const tpr = curve.tpr[i], fpr = curve.fpr[i];
    return measured({ tpr, fpr, tnr: 1 - fpr, fnr: 1 - tpr }, prevalence, 1);
  });
  const column = (name) => at.map((measures) => measures[name]);
  return { ameans: column("ameans"), tpr: column("tpr"), tnr: column("tnr"), precision: column("precision") };
}

function histogramsOf({ negative, positive }, range) {
  return { negative: histogramOf(negative, range), positive: histogramOf(positive, range) };
}

function histogramOf(rows, [low, high]) {
  const bins = Math.min(40, Math.max(8, Math.ceil(2 * Math.cbrt(rows.length)))), first = rows[0];
  const width = (rows.at(-1) - first) / bins || (high - low) / 40, counts = new Array(bins + 1).fill(0);
  for (const value of rows) counts[Math.floor((value - first) / width)]++;
  counts[bins - 1] += counts.pop();
  const at = (i) => first + i * width;
  return counts.map((count, i) => ({ from: at(i), to: at(i + 1), height: count / rows.length / width }));
}

// The threshold whose point of the curve is nearest to a point of the square.
export function nearestThreshold({ threshold, fpr, tpr }, x, y) {
  let nearest = Infinity, found = threshold[0];
  for (let i = 1; i < threshold.length; i++) {
    const dx = fpr[i] - fpr[i - 1], dy = tpr[i] - tpr[i - 1], length = dx * dx + dy * dy;
    const along = length ? Math.min(1, Math.max(0, ((x - fpr[i - 1]) * dx + (y - tpr[i - 1]) * dy) / length)) : 0;
    const gap = Math.hypot(fpr[i - 1] + along * dx - x, tpr[i - 1] + along * dy - y);
    if (gap < nearest) [nearest, found] = [gap, threshold[i - 1] + along * (threshold[i] - threshold[i - 1])];
  }
  return found;
}

export function ticks(low, high, most) {
  const rough = (high - low) / most, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  const first = Math.ceil(low / step), count = Math.floor(high / step) - first + 1;
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return Array.from({ length: count }, (_, i) => ({ at: (first + i) * step, digits }));
}
