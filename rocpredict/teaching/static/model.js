// Rates, measures and best thresholds of two classes. Pure functions of a state, independent of the document.
import { clamp } from "./format.js";

// The table of a curve and the range of its thresholds end at this many SDs from the means.
const RANGE_SDS = 4.2;

// JSON has neither NaN nor infinities: NaN arrives as null, infinities as strings.
export function parseNumber(value) {
  if (value === null || value === undefined) return NaN;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : Number(value);
}

function normalDensity(z) {
  return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
}

// Upper tail probability of the standard normal: a table of exact values, and Taylor's series about the nearest one.
export function normalUpperTail(z, table) {
  if (Number.isNaN(z)) return NaN;
  if (z < 0) return 1 - normalUpperTail(-z, table);
  const node = Math.round(z / table.step);
  if (node >= table.upper.length) return normalDensity(z) / inverseMillsRatio(z);
  const nodeZ = node * table.step, h = z - nodeZ;
  let power = h, previousHermite = 0, hermite = 1, sum = 0;
  for (let k = 0; k < 20; k++) {
    sum += (k % 2 ? -hermite : hermite) * power;
    [previousHermite, hermite] = [hermite, nodeZ * hermite - k * previousHermite];
    power *= h / (k + 2);
  }
  return table.upper[node] - normalDensity(nodeZ) * sum;
}

// Laplace's continued fraction for density / upper tail, used beyond the table.
function inverseMillsRatio(z) {
  let fraction = z;
  for (let k = 40; k > 0; k--) fraction = z + k / fraction;
  return fraction;
}

// The functions below assume the rule x >= t. The axis is mirrored where lower values are called positive.
function orientClasses(state) {
  const sign = state.direction === "lower" ? -1 : 1;
  return { sign, m0: sign * state.mean0, m1: sign * state.mean1, s0: state.std0, s1: state.std1 };
}

function ratesFromZScores(z0, z1, table) {
  const upperTail = (z) => normalUpperTail(z, table);
  return { tpr: upperTail(z1), fpr: upperTail(z0), tnr: upperTail(-z0), fnr: upperTail(-z1) };
}

export function computeGaussianRates(state, threshold, table) {
  const { sign, m0, m1, s0, s1 } = orientClasses(state), t = sign * threshold;
  return ratesFromZScores((t - m0) / s0, (t - m1) / s1, table);
}

// Thresholds where positive density = kappa times negative density: first the best of the rule x >= t, then the worst.
function solveDensityRatio({ m0, m1, s0, s1 }, kappa) {
  const d = m1 - m0, varianceDifference = (s1 - s0) * (s1 + s0);
  const logStdRatio = Math.abs(s1 - s0) < s0 / 2 ? Math.log1p((s1 - s0) / s0) : Math.log(s1 / s0);
  const level = logStdRatio + Math.log(kappa), discriminant = d * d + 2 * varianceDifference * level;
  if (!(discriminant >= 0)) return [null, null];
  return [Math.sqrt(discriminant), -Math.sqrt(discriminant)].map((root) => {
    // Two equivalent forms: with equal signs the terms of the first do not cancel.
    const hasSameSign = root * d >= 0;
    const z0 = hasSameSign
      ? (d * d + 2 * s1 * s1 * level) / (s1 * root + s0 * d) : (s1 * root - s0 * d) / varianceDifference;
    const z1 = hasSameSign
      ? (2 * s0 * s0 * level - d * d) / (s0 * root + s1 * d) : (s0 * root - s1 * d) / varianceDifference;
    const t = s0 <= s1 ? m0 + s0 * z0 : m1 + s1 * z1;
    return Number.isFinite(t) ? { t, z0, z1 } : null;
  });
}

function findCrossings(classes, kappa) {
  const thresholds = solveDensityRatio(classes, kappa).filter(Boolean).map(({ t }) => classes.sign * t);
  return [...new Set(thresholds)].sort((a, b) => a - b);
}

// The threshold with the greatest TPR - kappa FPR. Calling all or no observations positive is a threshold too.
function findBestThreshold(classes, kappa, table) {
  const always = { threshold: -classes.sign * Infinity, tpr: 1, fpr: 1, tnr: 0, fnr: 0 };
  const never = { threshold: classes.sign * Infinity, tpr: 0, fpr: 0, tnr: 1, fnr: 1 };
  const infinite = kappa < 1 ? always : never, [root] = solveDensityRatio(classes, kappa);
  if (!root) return infinite;
  const rates = ratesFromZScores(root.z0, root.z1, table);
  const gainOverAlways = kappa * rates.tnr - rates.fnr, gainOverNever = rates.tpr - kappa * rates.fpr;
  const isBetter = gainOverAlways >= 0 && gainOverNever >= 0 && gainOverAlways + gainOverNever > 0;
  return isBetter ? { threshold: classes.sign * root.t, ...rates } : infinite;
}

export function computeMeasures(rates, prevalence, cost) {
  const { tpr, fpr, tnr, fnr } = rates, p = prevalence, q = 1 - p;
  const calledPositive = p * tpr + q * fpr, calledNegative = q * tnr + p * fnr;
  const youden = fpr > 0.5 ? tnr - fnr : tpr - fpr;
  return {
    ...rates, ameans: (tpr + tnr) / 2, youden, precision: p * tpr / calledPositive, npv: q * tnr / calledNegative,
    accuracy: p * tpr + q * tnr, cost: p * fnr + q * cost * fpr,
    mcc: youden * Math.sqrt(p * q / (calledPositive * calledNegative)),
  };
}

export const createGrid = (low, high, points) =>
  Array.from({ length: points }, (_, i) => low + (high - low) * i / (points - 1));

/** Returns the value at x of a line through points with ascending xs; beyond its ends the line is constant. */
export function interpolateLinear(xs, ys, x) {
  const next = xs.findIndex((value) => value >= x), i = next < 0 ? xs.length - 1 : Math.max(1, next);
  const fraction = (x - xs[i - 1]) / (xs[i] - xs[i - 1] || 1);
  return ys[i - 1] + clamp(fraction, [0, 1]) * (ys[i] - ys[i - 1]);
}

export function computeRange(state, observations) {
  const bounds = [state.mean0 - RANGE_SDS * state.std0, state.mean0 + RANGE_SDS * state.std0];
  bounds.push(state.mean1 - RANGE_SDS * state.std1, state.mean1 + RANGE_SDS * state.std1);
  if (observations) {
    for (const values of [observations.negative, observations.positive]) bounds.push(values[0], values.at(-1));
  }
  const low = Math.min(...bounds), high = Math.max(...bounds), padding = (high - low) * 0.01;
  return [low - padding, high + padding];
}

// The curve is computed again only if a class or the range has changed.
let curveCache = { key: null };
function getCurve(state, range, table) {
  const key = [state.mean0, state.mean1, state.std0, state.std1, state.direction, ...range].join();
  if (curveCache.key !== key) curveCache = { key, curve: computeCurve(state, range, table) };
  return curveCache.curve;
}

function computeCurve(state, range, table) {
  const { mean0, mean1, std0, std1 } = state, computeRates = (t) => computeGaussianRates(state, t, table);
  return tabulateCurve(state, range, computeRates, {
    negative: (t) => normalDensity((t - mean0) / std0) / std0,
    positive: (t) => normalDensity((t - mean1) / std1) / std1,
  });
}

/** Returns the rates and the densities of both classes at ascending thresholds in a range. */
export function tabulateCurve({ mean0, mean1, std0, std1 }, range, computeRates, { negative, positive }) {
  const zs = createGrid(-RANGE_SDS, RANGE_SDS, 71), threshold = [
    ...createGrid(...range, 121), ...zs.map((z) => mean0 + std0 * z), ...zs.map((z) => mean1 + std1 * z),
  ];
  threshold.sort((a, b) => a - b);
  const rates = threshold.map(computeRates);
  return {
    threshold, fpr: rates.map(({ fpr }) => fpr), tpr: rates.map(({ tpr }) => tpr),
    negative: threshold.map(negative), positive: threshold.map(positive),
  };
}

// The interior point of the curve with TPR = FPR: there the z-scores of both classes are equal.
function findChanceCrossing({ m0, m1, s0, s1 }, table) {
  const z = (m1 - m0) / (s0 - s1), rate = normalUpperTail(z, table);
  return rate > 0 && rate < 1 ? [rate, rate] : null;
}

// ---- observations
export function findPair(state, payload) {
  const data = payload.datasets.find(({ key }) => key === state.data);
  if (!data?.pairs[state.pair] || !data.features[state.feature]) return null;
  const pair = data.pairs[state.pair], feature = data.features[state.feature];
  return { data, pair, feature, facts: pair.facts[state.feature] };
}

const observationsCache = new WeakMap();
export function getObservations(state, payload) {
  const selection = findPair(state, payload);
  if (!selection) return null;
  const { data, pair, facts } = selection;
  const column = (label) => (data.columns[label] ?? poolOtherClasses(data, pair.positive))[state.feature];
  const select = () => ({ negative: column(pair.negative), positive: column(pair.positive), points: {} });
  if (!observationsCache.has(facts)) observationsCache.set(facts, select());
  return observationsCache.get(facts);
}

function poolOtherClasses(data, positive) {
  const others = data.labels.filter((label) => label !== positive).map((label) => data.columns[label]);
  return data.features.map((_, i) => others.flatMap((columns) => columns[i]).sort((a, b) => a - b));
}

export function countBelow(sortedValues, t, includeEqual) {
  let low = 0, high = sortedValues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sortedValues[middle] < t || (includeEqual && sortedValues[middle] === t)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function computeEmpiricalRates({ negative, positive }, threshold, direction) {
  const countPositiveCalls = (values) => direction === "lower"
    ? countBelow(values, threshold, true) : values.length - countBelow(values, threshold, false);
  const tp = countPositiveCalls(positive), fp = countPositiveCalls(negative), p = positive.length, n = negative.length;
  return { tpr: tp / p, fpr: fp / n, tnr: (n - fp) / n, fnr: (p - tp) / p, ameans: (tp / p + (n - fp) / n) / 2 };
}

function computeEmpiricalCurve(observations, { direction }) {
  const thresholds = [...new Set([...observations.negative, ...observations.positive])].sort((a, b) => a - b);
  if (direction !== "lower") thresholds.reverse();
  const rates = thresholds.map((t) => computeEmpiricalRates(observations, t, direction));
  return { fpr: [0, ...rates.map(({ fpr }) => fpr)], tpr: [0, ...rates.map(({ tpr }) => tpr)] };
}

export function computeEmpiricalAnswer(state, payload, observations) {
  const { facts } = findPair(state, payload), { auc, low, high, best, gap } = facts.empirical;
  const isReversed = facts.direction !== state.direction;
  const points = observations.points[state.direction] ??= computeEmpiricalCurve(observations, state);
  return {
    ...computeEmpiricalRates(observations, state.threshold, state.direction),
    auc: isReversed ? 1 - auc : auc, low: isReversed ? 1 - high : low, high: isReversed ? 1 - low : high,
    best: isReversed ? null : best, gap: isFitted(state, facts) && !isReversed ? gap : null, points,
  };
}

export function isFitted(state, { mean, std }) {
  return [0, 1].every((i) => state[`mean${i}`] === mean[i] && state[`std${i}`] === std[i]);
}

// ---- the answer: all numbers that the page shows for a state
/** Returns the best thresholds by Ameans, cost and accuracy. Each has the greatest TPR - kappa FPR for some kappa. */
export function computeOptima({ prevalence, cost }, findBest, findCrossings) {
  const oddsAgainst = (1 - prevalence) / prevalence, slope = oddsAgainst * cost;
  const select = (kappa, name) => {
    const { threshold, tpr, fpr, [name]: value } = computeMeasures(findBest(kappa), prevalence, cost);
    return { threshold, tpr, fpr, [name]: value };
  };
  return {
    best: select(1, "ameans"), costbest: { ...select(slope, "cost"), slope },
    accuracybest: select(oddsAgainst, "accuracy"), weightedcrossings: findCrossings(oddsAgainst),
  };
}

export function computeAnswer(state, payload) {
  const table = payload.normal, classes = orientClasses(state), { m0, m1, s0, s1 } = classes;
  const observations = getObservations(state, payload), range = computeRange(state, observations);
  const findBest = (kappa) => findBestThreshold(classes, kappa, table);
  const rates = computeGaussianRates(state, state.threshold, table);
  return {
    threshold: state.threshold, auc: normalUpperTail((m0 - m1) / Math.hypot(s0, s1), table),
    dprime: (m1 - m0) / Math.sqrt((s0 * s0 + s1 * s1) / 2), std_ratio: s1 / s0,
    rates: computeMeasures(rates, state.prevalence, state.cost),
    ...computeOptima(state, findBest, (kappa) => findCrossings(classes, kappa)), crossings: findCrossings(classes, 1),
    dips: findChanceCrossing(classes, table), range, curve: getCurve(state, range, table),
    empirical: observations && computeEmpiricalAnswer(state, payload, observations), locked: null,
  };
}
