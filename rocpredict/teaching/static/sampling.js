// Samples of two classes, simulated from a seed. Pure functions, independent of the document.
import { getObservations, interpolateLinear, normalUpperTail } from "./model.js";
import { computeCounts } from "./view_model.js";

// Uniform numbers inside (0, 1), the same for the same seed and stream: sfc32 (Doty-Humphrey, PractRand).
export function createRng(seed, stream = 0) {
  let a = seed | 0, b = stream | 0, c = 0x9e3779b9 | 0, counter = 1;
  const next = () => {
    const bits = ((a + b) | 0) + counter | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + bits) | 0;
    return ((bits >>> 0) + 0.5) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

// One value of the standard normal (Box and Muller 1958).
export function sampleNormal(rng) {
  return Math.sqrt(-2 * Math.log(rng())) * Math.cos(2 * Math.PI * rng());
}

// The inverse of a cumulative distribution, linear between the points of the curve.
function createCurveSampler(threshold, rate, direction) {
  const cumulative = direction === "lower" ? rate : rate.map((upper) => 1 - upper);
  return (rng) => interpolateLinear(cumulative, threshold, rng());
}

// The population that samples come from, with its AUC: the observations if they are shown, else the densities.
export function createPopulation(state, answer, payload) {
  const observations = state.empirical && answer.empirical && getObservations(state, payload);
  if (observations) {
    const createSampler = (values) => (rng) => values[Math.floor(rng() * values.length)];
    const [negative, positive] = [observations.negative, observations.positive].map(createSampler);
    return { isEmpirical: true, auc: answer.empirical.auc, negative, positive };
  }
  const { threshold, fpr, tpr } = answer.curve, { auc } = answer;
  const isGaussian = !answer.locked && state.family === "gaussian";
  const [negative, positive] = isGaussian
    ? [0, 1].map((i) => (rng) => state[`mean${i}`] + state[`std${i}`] * sampleNormal(rng))
    : [fpr, tpr].map((rate) => createCurveSampler(threshold, rate, state.direction));
  return { isEmpirical: false, auc, negative, positive };
}

// A sample with n observations of each class. Each class has a random stream of its own, so a larger n only adds some.
export function drawSample(population, n, seed, index) {
  const drawClass = (classKey, stream) => {
    const rng = createRng(seed, stream);
    return Array.from({ length: n }, () => population[classKey](rng));
  };
  return { negative: drawClass("negative", 2 * index), positive: drawClass("positive", 2 * index + 1) };
}

// The corners of the empirical ROC curve of a sample, and its AUC; a tie counts one half.
export function computeEmpiricalRoc(sample, direction) {
  const sign = direction === "lower" ? 1 : -1;
  const sortValues = (values) => Float64Array.from(values, (value) => sign * value).sort();
  const negative = sortValues(sample.negative), positive = sortValues(sample.positive), corners = [[0, 0]];
  let fp = 0, tp = 0, area = 0;
  while (fp < negative.length || tp < positive.length) {
    const value = Math.min(negative[fp] ?? Infinity, positive[tp] ?? Infinity);
    const [fp0, tp0] = [fp, tp], [fp1, tp1] = corners.at(-2) ?? [];
    while (negative[fp] === value) fp++;
    while (positive[tp] === value) tp++;
    area += (fp - fp0) * (tp + tp0) / 2;
    if ((fp1 === fp0 && fp0 === fp) || (tp1 === tp0 && tp0 === tp)) corners.pop();
    corners.push([fp, tp]);
  }
  return {
    fpr: corners.map((corner) => corner[0] / negative.length),
    tpr: corners.map((corner) => corner[1] / positive.length),
    auc: area / (negative.length * positive.length),
  };
}

function summarize(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, sd: Math.sqrt(variance), low: Math.min(...values), high: Math.max(...values) };
}

// The empirical ROC curves of as many samples as the state requests, and a summary of their AUCs.
export function simulateCurves(population, { n, seed, draws, direction }) {
  const simulate = (_, index) => computeEmpiricalRoc(drawSample(population, n, seed, index), direction);
  const curves = Array.from({ length: draws }, simulate);
  return { curves, ...(draws ? summarize(curves.map(({ auc }) => auc)) : {}) };
}

// The tally after `count` more random pairs. A pair is won if the positive lies further in the positive direction.
export function playPairs(population, direction, count, rng, tally = { played: 0, wins: 0, ties: 0 }) {
  let { played, wins, ties } = tally, last = null;
  for (let i = 0; i < count; i++) {
    last = { negative: population.negative(rng), positive: population.positive(rng) };
    const difference = direction === "lower" ? last.negative - last.positive : last.positive - last.negative;
    if (difference > 0) wins++;
    if (difference === 0) ties++;
  }
  played += count;
  return { played, wins, ties, share: (wins + ties / 2) / played, last };
}

// Empirical and predicted AUC without the zeros, where zeros encode missing values.
function computeAucWithoutZeros(observations, { direction }, table) {
  const [negative, positive] = [observations.negative, observations.positive].map(
    (values) => values.filter((value) => value !== 0),
  );
  const [summary0, summary1] = [negative, positive].map(summarize), sign = direction === "lower" ? -1 : 1;
  const z = sign * (summary0.mean - summary1.mean) / Math.hypot(summary0.sd, summary1.sd);
  return {
    counted: computeEmpiricalRoc({ negative, positive }, direction).auc, predicted: normalUpperTail(z, table),
  };
}

// The numbers that the lesson's sentences name: the answer, and a few more.
export function computeLessonFacts(state, answer, payload) {
  const { auc, rates } = answer, observations = getObservations(state, payload);
  const counts = computeCounts(rates, state, payload);
  const values = observations ? [...observations.negative, ...observations.positive] : [];
  return {
    ...answer, counts, alarms: counts.tp + counts.fp, hundred: { auc: 100 * auc },
    percent: { precision: 100 * rates.precision },
    clean: observations && computeAucWithoutZeros(observations, state, payload.normal),
    zeros: { count: values.filter((value) => value === 0).length, of: values.length },
  };
}
