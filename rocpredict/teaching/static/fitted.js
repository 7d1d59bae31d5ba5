// Curves of fitted families in a saved page, from tables that the library has computed. Independent of the document.
import { clamp } from "./format.js";
import { computeAnswer, computeEmpiricalAnswer, computeMeasures, computeOptima, computeRange } from "./model.js";
import { countBelow, createGrid, findPair, getObservations, parseNumber, tabulateCurve } from "./model.js";

const GRID_STEPS = 16, CHANCE_TOLERANCE = 1e-9, UTILITY_TOLERANCE = 1e-12;

/** The key of a data set that the user has entered on the page. Python does not know it. */
export const PASTED_KEY = "pasted";

const getView = ({ data, pair, feature }, { fits }) => data === "own" ? fits?.views[`${pair},${feature}`] : undefined;

/** Returns the families that a page offers for the current feature. A page with Python offers all. */
export function listFamilies(state, payload) {
  if (payload.live) return state.data && state.data !== PASTED_KEY ? payload.families : [];
  const names = Object.keys(getView(state, payload)?.families ?? {});
  return names.length ? ["gaussian", ...names] : [];
}

/** Returns the answer of two Gaussians or of a fitted family, with the confidence band of a saved page. */
export function computePageAnswer(state, payload) {
  const view = getView(state, payload), fit = view?.families[state.family];
  const answer = fit ? computeFittedAnswer(state, payload, fit) : computeAnswer(state, payload);
  if (view && findPair(state, payload).facts.direction === state.direction) answer.empirical.band = view.band;
  return answer;
}

// ---- a class: probabilities below and above a value, and the logarithm of the density
const findInterval = (edges, t) => clamp(countBelow(edges, t, true) - 1, [0, edges.length - 2]);

function createContinuousClass({ edges, upper, logs }, { nodes, weights }) {
  const barycentric = nodes.map((node, i) => 1 / nodes.reduce((p, other, j) => i === j ? p : p * (node - other), 1));

  function interpolate(values, z) {
    if (values.length < 2) return values.length ? values[0] : -Infinity;
    let numerator = 0, denominator = 0;
    for (let k = 0; k < nodes.length; k++) {
      if (z === nodes[k]) return values[k];
      const term = barycentric[k] / (z - nodes[k]);
      numerator += term * values[k];
      denominator += term;
    }
    return numerator / denominator;
  }
  const isOutside = (t) => !(t >= edges[0] && t <= edges.at(-1));

  function computeLogDensity(t) {
    if (isOutside(t)) return -Infinity;
    const i = findInterval(edges, t), left = edges[i], right = edges[i + 1];
    return interpolate(logs[i], (2 * t - left - right) / (right - left));
  }

  // The upper tail at the right edge of the panel, plus an integral from t.
  function computeUpper(t) {
    if (isOutside(t)) return t < edges[0] ? 1 : 0;
    const i = findInterval(edges, t), right = edges[i + 1], half = (right - t) / 2, middle = (right + t) / 2;
    const densities = nodes.map((node) => Math.exp(computeLogDensity(middle + half * node)));
    return upper[i + 1] + half * densities.reduce((sum, density, k) => sum + weights[k] * density, 0);
  }
  const computeTails = (t) => {
    const above = computeUpper(t);
    return { above, below: 1 - above };
  };
  return { computeLogDensity, computeTails, edges };
}

function createDiscreteClass({ masses }, points) {
  const cumulative = [0];
  for (const mass of masses) cumulative.push(cumulative.at(-1) + mass);
  const total = cumulative.at(-1);
  // Both tails include the value itself: of the two, a rule uses one.
  const computeTails = (t) => ({
    above: (total - cumulative[countBelow(points, t, false)]) / total,
    below: cumulative[countBelow(points, t, true)] / total,
  });
  return { computeLogDensity: createHistogram(masses, points), computeTails };
}

// Point masses are drawn as a histogram.
function createHistogram(masses, points) {
  const nBins = Math.min(40, Math.max(8, Math.ceil(2 * Math.cbrt(points.length))));
  const binMasses = new Array(nBins).fill(0);
  const low = points[0], width = (points.at(-1) - low) / nBins, total = masses.reduce((sum, mass) => sum + mass, 0);
  const findBin = (value) => Math.min(nBins - 1, Math.floor((value - low) / width));
  points.forEach((value, i) => { binMasses[findBin(value)] += masses[i]; });
  return (t) => t < low || t > points.at(-1) ? -Infinity : Math.log(binMasses[findBin(t)] / total / width);
}

const classesCache = new WeakMap();
function getClasses(fit, { fits }, observations) {
  if (!classesCache.has(fit)) {
    const points = [...new Set([...observations.negative, ...observations.positive])].sort((a, b) => a - b);
    const create = (table) => table.masses ? createDiscreteClass(table, points) : createContinuousClass(table, fits);
    const [negative, positive] = fit.classes.map(create), isDiscrete = !!fit.classes[0].masses;
    const grid = isDiscrete ? [] : createSearchGrid(negative, positive);
    classesCache.set(fit, { negative, positive, points, isDiscrete, grid, results: {} });
  }
  return classesCache.get(fit);
}

// ---- rates, best thresholds and crossings
function computeFittedRates({ negative, positive }, t, direction) {
  const side = direction === "lower" ? "below" : "above";
  const tpr = positive.computeTails(t)[side], fpr = negative.computeTails(t)[side];
  return { tpr, fpr, tnr: 1 - fpr, fnr: 1 - tpr };
}

// Thresholds with the logarithm of the density ratio, where it is defined.
function createSearchGrid(negative, positive) {
  const edges = [...new Set([...negative.edges, ...positive.edges])].sort((a, b) => a - b);
  const inner = edges.slice(1).flatMap((right, i) => createGrid(edges[i], right, GRID_STEPS + 1).slice(1));
  const ratio = (t) => positive.computeLogDensity(t) - negative.computeLogDensity(t);
  return [edges[0], ...inner].map((t) => ({ t, ratio: ratio(t) })).filter((point) => !Number.isNaN(point.ratio));
}

function bisect(isAbove, low, high) {
  const isAboveAtLow = isAbove(low);
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (isAbove(middle) === isAboveAtLow) low = middle;
    else high = middle;
  }
  return high;
}

function findFittedCrossings({ negative, positive, grid }, kappa) {
  const level = Math.log(kappa), crossings = [];
  const computeRatio = (t) => positive.computeLogDensity(t) - negative.computeLogDensity(t);
  for (let i = 1; i < grid.length; i++) {
    if (grid[i - 1].ratio > level === grid[i].ratio > level) continue;
    // The middle of an interval where both densities are 0 and the ratio is NaN.
    const ends = [(t) => computeRatio(t) > level, (t) => !(computeRatio(t) <= level)];
    const [low, high] = ends.map((isAbove) => bisect(isAbove, grid[i - 1].t, grid[i].t));
    crossings.push((low + high) / 2);
  }
  return crossings;
}

// Among equally good thresholds, the middle one.
function findBestFitted(classes, kappa, direction) {
  const { points, isDiscrete } = classes, sign = direction === "lower" ? -1 : 1;
  const middles = points.slice(1).map((value, i) => (points[i] + value) / 2);
  const inner = isDiscrete ? middles : findFittedCrossings(classes, kappa);
  const rate = (threshold) => {
    const rates = computeFittedRates(classes, threshold, direction);
    return { threshold, ...rates, utility: rates.tpr - kappa * rates.fpr };
  };
  const candidates = [-Infinity, ...inner, Infinity].sort((a, b) => sign * (b - a)).map(rate);
  const lowest = Math.max(...candidates.map(({ utility }) => utility)) - UTILITY_TOLERANCE * (1 + kappa);
  const best = candidates.filter(({ utility }) => utility >= lowest);
  const middle = rate((best[0].threshold + best.at(-1).threshold) / 2);
  return !isDiscrete && middle.utility >= lowest ? middle : best[(best.length - 1) >> 1];
}

// The FPR at which the curve crosses the chance line: the first such place, or the last if it begins below the line.
function findFittedDip(classes, direction) {
  const { grid, points, isDiscrete } = classes;
  const thresholds = isDiscrete ? [-Infinity, ...points, Infinity] : grid.map(({ t }) => t);
  const rates = thresholds.map((t) => ({ t, ...computeFittedRates(classes, t, direction) }))
    .sort((a, b) => a.fpr - b.fpr || a.tpr - b.tpr)
    .filter(({ tpr, fpr }) => Math.abs(tpr - fpr) > CHANCE_TOLERANCE);
  const places = rates.slice(1).map((rate, i) => [rates[i], rate])
    .filter(([a, b]) => (a.tpr > a.fpr) !== (b.tpr > b.fpr)).map((pair) => findChanceFpr(classes, direction, pair));
  const isBelow = ({ tpr, fpr } = { tpr: 1, fpr: 0 }) => tpr < fpr;
  if (isBelow(rates[0])) return isBelow(rates.at(-1)) ? null : places.at(-1);
  return places[0] ?? null;
}

function findChanceFpr(classes, direction, [a, b]) {
  if (classes.isDiscrete) {
    const start = a.tpr - a.fpr, end = b.tpr - b.fpr;
    return a.fpr + start / (start - end) * (b.fpr - a.fpr);
  }
  const isAbove = (t) => {
    const { tpr, fpr } = computeFittedRates(classes, t, direction);
    return tpr > fpr;
  };
  return computeFittedRates(classes, bisect(isAbove, Math.min(a.t, b.t), Math.max(a.t, b.t)), direction).fpr;
}

// ---- the answer
// The results that depend on the classes and the direction only.
function computeFittedResult({ direction }, fit, classes, { mean, std, direction: ownDirection }, observations) {
  const [mean0, mean1] = mean, [std0, std1] = std, moments = { mean0, mean1, std0, std1 };
  const dip = findFittedDip(classes, direction), isReversed = direction !== ownDirection;
  const range = computeRange(moments, observations), sign = direction === "lower" ? -1 : 1;
  const computeRates = (t) => computeFittedRates(classes, t, direction);
  return {
    auc: isReversed ? 1 - fit.auc : fit.auc,
    dprime: sign * (mean1 - mean0) / Math.sqrt((std0 * std0 + std1 * std1) / 2), std_ratio: std1 / std0,
    dips: dip === null ? null : [dip, dip], range, gap: isReversed ? null : fit.gap,
    ...(fit.best && !isReversed ? { best: { ...fit.best, threshold: parseNumber(fit.best.threshold) } } : {}),
    crossings: findFittedCrossings(classes, 1),
    curve: tabulateCurve(moments, range, computeRates, {
      negative: (t) => Math.exp(classes.negative.computeLogDensity(t)),
      positive: (t) => Math.exp(classes.positive.computeLogDensity(t)),
    }),
  };
}

function computeFittedAnswer(state, payload, fit) {
  const { threshold, direction, prevalence, cost, family } = state, { facts } = findPair(state, payload);
  const observations = getObservations(state, payload), classes = getClasses(fit, payload, observations);
  const computeResult = () => computeFittedResult(state, fit, classes, facts, observations);
  const { gap, ...result } = classes.results[direction] ??= computeResult();
  const findBest = (kappa) =>
    classes.results[`${direction},${kappa}`] ??= findBestFitted(classes, kappa, direction);
  return {
    ...computeOptima(state, findBest, (kappa) => findFittedCrossings(classes, kappa)), ...result, threshold,
    rates: computeMeasures(computeFittedRates(classes, threshold, direction), prevalence, cost),
    empirical: { ...computeEmpiricalAnswer(state, payload, observations), gap },
    locked: payload.locked.replace("{family}", family),
  };
}
