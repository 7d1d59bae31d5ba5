// Chance: what a sample might have shown. Pure functions of a seed, and nothing of the document.
import { rowsOf, upperTail } from "./model.js";
import { frequencies } from "./scene.js";

// Uniform numbers inside (0, 1), the same for the same seed and stream: sfc32 (Doty-Humphrey, PractRand).
export function randomOf(seed, stream = 0) {
  let a = seed | 0, b = stream | 0, c = 0x9e3779b9 | 0, count = 1;
  const next = () => {
    const drawn = ((a + b) | 0) + count | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + drawn) | 0;
    return ((drawn >>> 0) + 0.5) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

// One draw of the standard normal (Box and Muller 1958).
export function normalOf(random) {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

function fromRows(rows) {
  return (random) => rows[Math.floor(random() * rows.length)];
}

// The inverse of a cumulative curve, by straight lines between its points.
function fromCurve(threshold, rate, direction) {
  const below = direction === "lower" ? rate : rate.map((above) => 1 - above);
  return (random) => {
    const u = random(), i = below.findIndex((share) => share >= u);
    if (i < 1) return threshold.at(i ? -1 : 0);
    return threshold[i - 1] + (threshold[i] - threshold[i - 1]) * (u - below[i - 1]) / (below[i] - below[i - 1]);
  };
}

// Where values are drawn from, the rows where there are some, else the densities; and their AUC in the long run.
export function sourceOf(state, answer, payload) {
  const rows = state.empirical && answer.empirical && rowsOf(state, payload), { auc } = answer.empirical ?? {};
  if (rows) return { rows: true, auc, negative: fromRows(rows.negative), positive: fromRows(rows.positive) };
  const { threshold, fpr, tpr } = answer.curve, known = { rows: false, auc: answer.auc };
  const bell = (mean, std) => (random) => mean + std * normalOf(random);
  const drawn = (rate) => fromCurve(threshold, rate, state.direction);
  if (answer.locked || state.family !== "gaussian") return { ...known, negative: drawn(fpr), positive: drawn(tpr) };
  return { ...known, negative: bell(state.mean0, state.std0), positive: bell(state.mean1, state.std1) };
}

// A sample of n cases of each class. A larger n adds cases to the same ones: each class has a stream of its own.
export function drawSample(source, n, seed, redraw) {
  const drawn = (name, stream) => {
    const random = randomOf(seed, stream);
    return Array.from({ length: n }, () => source[name](random));
  };
  return { negative: drawn("negative", 2 * redraw), positive: drawn("positive", 2 * redraw + 1) };
}

// The empirical ROC of a sample and the area under it, where a tie counts half; corners only.
export function stepsOf(sample, direction) {
  const side = direction === "lower" ? 1 : -1;
  const turned = (values) => Float64Array.from(values, (value) => side * value).sort();
  const negative = turned(sample.negative), positive = turned(sample.positive), corners = [[0, 0]];
  let fp = 0, tp = 0, area = 0;
  while (fp < negative.length || tp < positive.length) {
    const at = Math.min(negative[fp] ?? Infinity, positive[tp] ?? Infinity);
    const [fp0, tp0] = [fp, tp], [fp1, tp1] = corners.at(-2) ?? [];
    while (negative[fp] === at) fp++;
    while (positive[tp] === at) tp++;
    area += (fp - fp0) * (tp + tp0) / 2;
    if ((fp1 === fp0 && fp0 === fp) || (tp1 === tp0 && tp0 === tp)) corners.pop();
    corners.push([fp, tp]);
  }
  const of = (i, all) => corners.map((corner) => corner[i] / all.length);
  return { fpr: of(0, negative), tpr: of(1, positive), auc: area / (negative.length * positive.length) };
}

function spreadOf(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, sd: Math.sqrt(square), low: Math.min(...values), high: Math.max(...values) };
}

// The curves of as many samples as the state asks for, and how their areas scatter.
export function cloudOf(source, { n, seed, draws, direction }) {
  const curves = Array.from({ length: draws }, (_, k) => stepsOf(drawSample(source, n, seed, k), direction));
  return { curves, ...(draws ? spreadOf(curves.map(({ auc }) => auc)) : {}) };
}

// The tally of random pairs after some more: a pair is won where the positive lies further to the positive side.
export function playPairs(source, direction, count, random, tally = { played: 0, wins: 0, ties: 0 }) {
  let { played, wins, ties } = tally, last = null;
  for (let i = 0; i < count; i++) {
    last = { negative: source.negative(random), positive: source.positive(random) };
    const ahead = direction === "lower" ? last.negative - last.positive : last.positive - last.negative;
    if (ahead > 0) wins++;
    if (ahead === 0) ties++;
  }
  played += count;
  return { played, wins, ties, share: (wins + ties / 2) / played, last };
}

// What is left where zeros stand for values that were not measured: what is counted, and what two bells predict.
function withoutZeros({ negative, positive }, { direction }, table) {
  const [n, p] = [negative, positive].map((values) => values.filter((value) => value !== 0));
  const [a, b] = [n, p].map(spreadOf), side = direction === "lower" ? -1 : 1;
  const predicted = upperTail(side * (a.mean - b.mean) / Math.hypot(a.sd, b.sd), table);
  return { counted: stepsOf({ negative: n, positive: p }, direction).auc, predicted };
}

// What the lesson speaks of: the answer, and a few numbers more.
export function lessonFacts(state, answer, payload) {
  const { auc, best, rates, empirical, crossings } = answer, rows = rowsOf(state, payload);
  const away = (t) => Math.abs(t - best.threshold), [worst] = [...crossings].sort((a, b) => away(b) - away(a));
  const all = rows ? [...rows.negative, ...rows.positive] : [];
  return {
    ...answer, worst, loss: 100 * (best.ameans - rates.ameans), hundred: { auc: 100 * auc, ameans: 100 * best.ameans },
    error: Math.abs(auc - empirical?.auc), gap: Math.abs(empirical?.gap?.value),
    counts: frequencies(rates, state.prevalence), clean: rows && withoutZeros(rows, state, payload.normal),
    zeros: { count: all.filter((value) => value === 0).length, of: all.length },
  };
}
