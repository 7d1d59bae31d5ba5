// What two classes say of a threshold: pure functions of a state, and nothing of the document.

// NaN comes as null, infinities as words: JSON has neither.
export function number(value) {
  if (value === null || value === undefined) return NaN;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : Number(value);
}

function density(z) {
  return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
}

// The tail above z: a table of exact values, and Taylor's series about the nearest of them.
export function upperTail(z, table) {
  if (Number.isNaN(z)) return NaN;
  if (z < 0) return 1 - upperTail(-z, table);
  const node = Math.round(z / table.step);
  if (node >= table.upper.length) return density(z) / farTail(z);
  const at = node * table.step, h = z - at;
  let power = h, before = 0, hermite = 1, sum = 0;
  for (let k = 0; k < 14; k++) {
    sum += (k % 2 ? -hermite : hermite) * power;
    [before, hermite] = [hermite, at * hermite - k * before];
    power *= h / (k + 2);
  }
  return table.upper[node] - density(at) * sum;
}

// Laplace's continued fraction, beyond the table.
function farTail(z) {
  let fraction = z;
  for (let k = 40; k > 0; k--) fraction = z + k / fraction;
  return fraction;
}

// Everything below is asked of the rule x >= t; where positives lie lower, of the mirrored axis.
function mirrored(state) {
  const side = state.direction === "lower" ? -1 : 1;
  return { side, m0: side * state.mean0, m1: side * state.mean1, s0: state.std0, s1: state.std1 };
}

function ratesFromScores(z0, z1, table) {
  const tail = (z) => upperTail(z, table);
  return { tpr: tail(z1), fpr: tail(z0), tnr: tail(-z0), fnr: tail(-z1) };
}

export function gaussianRates(state, threshold, table) {
  const { side, m0, m1, s0, s1 } = mirrored(state), t = side * threshold;
  return ratesFromScores((t - m0) / s0, (t - m1) / s1, table);
}

// Where positive density = kappa times negative density: first the best threshold of x >= t, then the worst.
function densityRoots({ m0, m1, s0, s1 }, kappa) {
  const d = m1 - m0, spread = (s1 - s0) * (s1 + s0);
  const ratio = Math.abs(s1 - s0) < s0 / 2 ? Math.log1p((s1 - s0) / s0) : Math.log(s1 / s0);
  const level = ratio + Math.log(kappa), square = d * d + 2 * spread * level;
  if (!(square >= 0)) return [null, null];
  return [Math.sqrt(square), -Math.sqrt(square)].map((root) => {
    const alike = root * d >= 0;
    const z0 = alike ? (d * d + 2 * s1 * s1 * level) / (s1 * root + s0 * d) : (s1 * root - s0 * d) / spread;
    const z1 = alike ? (2 * s0 * s0 * level - d * d) / (s0 * root + s1 * d) : (s0 * root - s1 * d) / spread;
    const t = s0 <= s1 ? m0 + s0 * z0 : m1 + s1 * z1;
    return Number.isFinite(t) ? { t, z0, z1 } : null;
  });
}

function crossings(pair, kappa) {
  const found = densityRoots(pair, kappa).filter(Boolean).map(({ t }) => pair.side * t);
  return [...new Set(found)].sort((a, b) => a - b);
}

// The threshold with the greatest TPR - kappa FPR; "never" and "always positive" are thresholds too.
function bestRule(pair, kappa, table) {
  const always = { threshold: -pair.side * Infinity, tpr: 1, fpr: 1, tnr: 0, fnr: 0 };
  const never = { threshold: pair.side * Infinity, tpr: 0, fpr: 0, tnr: 1, fnr: 1 };
  const end = kappa < 1 ? always : never, [root] = densityRoots(pair, kappa);
  if (!root) return end;
  const rates = ratesFromScores(root.z0, root.z1, table);
  const overAlways = kappa * rates.tnr - rates.fnr, overNever = rates.tpr - kappa * rates.fpr;
  const wins = overAlways >= 0 && overNever >= 0 && overAlways + overNever > 0;
  return wins ? { threshold: pair.side * root.t, ...rates } : end;
}

export function measured(rates, prevalence, cost) {
  const { tpr, fpr, tnr, fnr } = rates, p = prevalence, q = 1 - p;
  const called = p * tpr + q * fpr, uncalled = q * tnr + p * fnr, youden = fpr > 0.5 ? tnr - fnr : tpr - fpr;
  return {
    ...rates, ameans: (tpr + tnr) / 2, youden, precision: p * tpr / called, npv: q * tnr / uncalled,
    accuracy: p * tpr + q * tnr, cost: p * fnr + q * cost * fpr, mcc: youden * Math.sqrt(p * q / (called * uncalled)),
  };
}

const gridOf = (low, high, points) => Array.from({ length: points }, (_, i) => low + (high - low) * i / (points - 1));

function rangeOf(state, rows) {
  const reach = 4.2, ends = [state.mean0 - reach * state.std0, state.mean0 + reach * state.std0];
  ends.push(state.mean1 - reach * state.std1, state.mean1 + reach * state.std1);
  if (rows) for (const side of [rows.negative, rows.positive]) ends.push(side[0], side.at(-1));
  const low = Math.min(...ends), high = Math.max(...ends), pad = (high - low) * 0.01;
  return [low - pad, high + pad];
}

// The curve is made anew only where a class has moved.
let curveKept = { key: null };
function curveOf(state, range, table) {
  const key = [state.mean0, state.mean1, state.std0, state.std1, state.direction, ...range].join();
  if (curveKept.key !== key) curveKept = { key, curve: curveDrawn(state, range, table) };
  return curveKept.curve;
}

function curveDrawn(state, [low, high], table) {
  const { mean0, mean1, std0, std1 } = state, z = gridOf(-4.2, 4.2, 71);
  const threshold = [...gridOf(low, high, 121), ...z.map((v) => mean0 + std0 * v), ...z.map((v) => mean1 + std1 * v)];
  threshold.sort((a, b) => a - b);
  const rates = threshold.map((t) => gaussianRates(state, t, table));
  return {
    threshold, fpr: rates.map((r) => r.fpr), tpr: rates.map((r) => r.tpr),
    negative: threshold.map((t) => density((t - mean0) / std0) / std0),
    positive: threshold.map((t) => density((t - mean1) / std1) / std1),
  };
}

// Where TPR = FPR inside the square: equal scores of both classes.
function dipsOf({ m0, m1, s0, s1 }, table) {
  const z = (m1 - m0) / (s0 - s1), rate = upperTail(z, table);
  return rate > 0 && rate < 1 ? [rate, rate] : null;
}

// ---- rows of data
export function contrastOf(state, payload) {
  const data = payload.datasets.find(({ key }) => key === state.data);
  if (!data?.contrasts[state.contrast] || !data.features[state.feature]) return null;
  const contrast = data.contrasts[state.contrast], feature = data.features[state.feature];
  return { data, contrast, feature, facts: contrast.facts[state.feature] };
}

const rowsKept = new WeakMap();
export function rowsOf(state, payload) {
  const found = contrastOf(state, payload);
  if (!found) return null;
  const { data, contrast, facts } = found, rest = () => restOf(data, contrast.positive);
  const column = (label) => (data.columns[label] ?? rest())[state.feature];
  const rows = () => ({ negative: column(contrast.negative), positive: column(contrast.positive), points: {} });
  if (!rowsKept.has(facts)) rowsKept.set(facts, rows());
  return rowsKept.get(facts);
}

function restOf(data, positive) {
  const others = data.labels.filter((label) => label !== positive).map((label) => data.columns[label]);
  return data.features.map((_, i) => others.flatMap((columns) => columns[i]).sort((a, b) => a - b));
}

function countBelow(sorted, t, orAt) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < t || (orAt && sorted[middle] === t)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function countedRates({ negative, positive }, threshold, direction) {
  const lower = direction === "lower";
  const called = (rows) => lower ? countBelow(rows, threshold, true) : rows.length - countBelow(rows, threshold, false);
  const [tp, fp, p, n] = [called(positive), called(negative), positive.length, negative.length];
  return { tpr: tp / p, fpr: fp / n, tnr: (n - fp) / n, fnr: (p - tp) / p, ameans: (tp / p + (n - fp) / n) / 2 };
}

function pointsOf(rows, { direction }) {
  const values = [...new Set([...rows.negative, ...rows.positive])].sort((a, b) => a - b);
  if (direction !== "lower") values.reverse();
  const at = values.map((t) => countedRates(rows, t, direction));
  return { fpr: [0, ...at.map((r) => r.fpr)], tpr: [0, ...at.map((r) => r.tpr)] };
}

function empiricalOf(state, payload, rows) {
  const { facts } = contrastOf(state, payload), { auc, low, high, best, gap } = facts.empirical;
  const turned = facts.direction !== state.direction, points = rows.points[state.direction] ??= pointsOf(rows, state);
  return {
    ...countedRates(rows, state.threshold, state.direction),
    auc: turned ? 1 - auc : auc, low: turned ? 1 - high : low, high: turned ? 1 - low : high,
    best: turned ? null : best, gap: isFit(state, facts) && !turned ? gap : null, points,
  };
}

export function isFit(state, { mean, std }) {
  return [0, 1].every((i) => state[`mean${i}`] === mean[i] && state[`std${i}`] === std[i]);
}

// ---- the answer that all views draw
const pointOf = ({ threshold, tpr, fpr }) => ({ threshold, tpr, fpr });

export function answerOf(state, payload) {
  const table = payload.normal, pair = mirrored(state), { m0, m1, s0, s1 } = pair;
  const rows = rowsOf(state, payload), range = rangeOf(state, rows);
  const slope = (1 - state.prevalence) / state.prevalence, rule = (kappa) => bestRule(pair, kappa, table);
  const score = (found) => measured(found, state.prevalence, state.cost);
  const best = score(rule(1)), cheap = score(rule(slope * state.cost)), accurate = score(rule(slope));
  return {
    threshold: state.threshold, auc: upperTail((m0 - m1) / Math.hypot(s0, s1), table),
    dprime: (m1 - m0) / Math.sqrt((s0 * s0 + s1 * s1) / 2), std_ratio: s1 / s0,
    rates: score(gaussianRates(state, state.threshold, table)),
    best: { ...pointOf(best), ameans: best.ameans },
    costbest: { ...pointOf(cheap), cost: cheap.cost, slope: slope * state.cost },
    accuracybest: { ...pointOf(accurate), accuracy: accurate.accuracy },
    crossings: crossings(pair, 1), weightedcrossings: crossings(pair, slope), dips: dipsOf(pair, table),
    range, curve: curveOf(state, range, table),
    empirical: rows && empiricalOf(state, payload, rows), locked: null,
  };
}
