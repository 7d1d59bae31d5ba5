// People as dots: one dot at each quantile of both classes, without random numbers. Independent of the document.
import { clamp } from "./format.js";

/** Returns the numbers of dots of the negative and the positive class: at least one each. */
export function countDots(prevalence, total) {
  const positives = clamp(Math.round(total * prevalence), [1, total - 1]);
  return { negative: total - positives, positive: positives };
}

// The quantiles (i - 1/2)/n of a class, ascending, from its rates along the thresholds.
function computeQuantiles({ threshold, fpr, tpr }, classKey, direction, n) {
  const rates = classKey === "negative" ? fpr : tpr;
  const cumulative = direction === "lower" ? rates : rates.map((rate) => 1 - rate);
  let i = 1;
  return Array.from({ length: n }, (_, k) => {
    const p = (k + 0.5) / n;
    while (i < threshold.length - 1 && cumulative[i] < p) i++;
    const fraction = clamp((p - cumulative[i - 1]) / (cumulative[i] - cumulative[i - 1] || 1), [0, 1]);
    return threshold[i - 1] + fraction * (threshold[i] - threshold[i - 1]);
  });
}

/** Returns the positions of all dots below the axis: columns of dots, the positive class below the negative one. */
export function placeDots(curve, counts, direction, { x, range, width, height }) {
  const unit = width / (range[1] - range[0]);
  const peaks = counts.negative * Math.max(...curve.negative) + counts.positive * Math.max(...curve.positive);
  const pitch = clamp(Math.sqrt((height - 6) * unit / peaks), [1.6, 7]);
  let top = 0;
  const classes = ["negative", "positive"].map((classKey) => {
    const columns = new Map(), n = counts[classKey];
    const dots = computeQuantiles(curve, classKey, direction, n).map((value) => {
      const column = Math.floor(x(value) / pitch), row = columns.get(column) ?? 0;
      columns.set(column, row + 1);
      return [(column + 0.5) * pitch, row, value];
    });
    const depth = Math.max(...columns.values()), start = top;
    top += depth * pitch + 2;
    return { classKey, n, dots, start, depth };
  });
  const squeeze = Math.min(1, (height - 6) / top);
  for (const group of classes) {
    group.marks = group.dots.map(([dotX, row, value]) => value < range[0] || value > range[1]
      ? "" : `M${dotX.toFixed(1)} ${(squeeze * (group.start + (row + 0.5) * pitch)).toFixed(1)}h0`);
  }
  return { pitch, classes };
}

/** Splits the dots of a class at the threshold. The number of positive calls is the rounded expected one. */
export function splitDots({ n, marks }, rate, direction) {
  const called = Math.round(n * rate);
  const parts = direction === "lower"
    ? [marks.slice(called), marks.slice(0, called)] : [marks.slice(0, n - called), marks.slice(n - called)];
  return parts.map((part) => part.join(""));
}

/** Returns the path of n dots in columns of a given number of rows, for a cell of the table. */
export function toBlockPathData(n, nRows, pitch) {
  return Array.from({ length: n }, (_, i) =>
    `M${((Math.floor(i / nRows) + 0.5) * pitch).toFixed(1)} ${((i % nRows + 0.5) * pitch).toFixed(1)}h0`).join("");
}
