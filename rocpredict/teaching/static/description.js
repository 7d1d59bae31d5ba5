// Names and numbers that describe the state: classes, features, thresholds, the axis, and the states to go back to.
import { truncateName } from "./format.js";
import { computeGaussianRates, findPair } from "./model.js";
import { REQUEST_FIELDS } from "./state.js";
import { computeCounts } from "./view_model.js";

const GESTURE_MS = 400, MAX_HISTORY = 50, SD_REACH = 3.3;

// One earlier state for each gesture, such as a drag, or for each burst of keys.
export function rememberState(page, next) {
  const isSame = REQUEST_FIELDS.every((name) => Object.is(next[name], page.state[name]));
  if (isSame || !page.answer) return;
  if (page.sweep && REQUEST_FIELDS.some((name) => name !== "threshold" && next[name] !== page.state[name])) {
    page.stopSweep();
  }
  const now = performance.now(), isNew = page.gesture ? page.gesture.isNew
    : now - (page.lastChange ?? -Infinity) > GESTURE_MS;
  if (page.gesture) page.gesture.isNew = false;
  page.lastChange = now;
  if (isNew) page.history = [...page.history, { ...page.state }].slice(-MAX_HISTORY);
}

// The axis of the densities. It does not change during a gesture.
export function computeViewRange({ state, answer }) {
  if (state.data || answer.locked) return answer.range;
  const ends = [[state.mean0, state.std0], [state.mean1, state.std1]];
  return [Math.min(...ends.map(([m, s]) => m - SD_REACH * s)), Math.max(...ends.map(([m, s]) => m + SD_REACH * s))];
}

// The reason why there is no best threshold to go to, or an empty string.
export function findBestObstacle({ answer, words: { page: words } }, root) {
  if (!answer) return words.remarks.none;
  if (root.dataset.predicting) return words.predicting;
  if (answer.auc < 0.5) return words.remarks.reversed;
  return Number.isFinite(answer.best.threshold) ? "" : words.remarks.none;
}

export const isStory = ({ state, payload }) => !state.data && !payload.names;

export function getFeature({ state, payload, words }) {
  const story = { name: words.page.x, unit: words.page.unit };
  const { name, unit } = findPair(state, payload)?.feature ?? payload.names?.feature ?? story;
  return { name: truncateName(name), unit: unit === "1" ? "" : truncateName(unit) };
}

export function getCaseName({ state, payload, words: { page: words } }) {
  const data = payload.datasets.find(({ key }) => key === state.data);
  return data ? `${data.name}: ${getFeature({ state, payload, words: payload.words }).name}`
    : payload.names?.feature.name ?? words.custom;
}

export function getClassNames({ state, payload, words: { page: words } }) {
  const pair = findPair(state, payload)?.pair ?? payload.names?.pair;
  return pair
    ? [truncateName(pair.negative), truncateName(pair.positive)] : [words.negative, words.positive];
}

// A text about the classes, with their names, and with the direction of the threshold.
export function fillClasses(page, text) {
  const [negative, positive] = page.getClassNames();
  const values = { negative, positive, ...page.words.page.directions[page.state.direction] };
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function describePoint(page) {
  const { tpr, fpr } = page.getRateNames(), { rates } = page.answer, { formatRate } = page.formatter;
  return `${tpr} ${formatRate(rates.tpr)}, ${fpr} ${formatRate(rates.fpr)}, Ameans ${formatRate(rates.ameans)}`;
}

export const describeThreshold = (page) => `${page.formatThreshold(page.state.threshold)}: ${describePoint(page)}`;

// With one more digit where the rounded threshold would have other counts.
export function formatThreshold(page, value) {
  const { state, formatter, answer, payload } = page, step = page.getStep();
  if (state.family !== "gaussian" || answer?.locked || value !== state.threshold) return formatter.formatStep(value,
    step);
  const countAt = (t) => {
    const { tp, fp } = computeCounts(computeGaussianRates(state, t, payload.normal), state, payload);
    return `${tp} ${fp}`;
  };
  const isExact = countAt(Math.round(value / step) * step) === countAt(value);
  return formatter.formatStep(value, isExact ? step : step / 10);
}

export function formatValue(page, name, value) {
  if (name === "threshold") return page.formatThreshold(value);
  const { formatter } = page, step = name.startsWith("mean") || name.startsWith("std") ? 10 * page.getStep() : 0.1;
  const isOnStep = Math.abs(value / step - Math.round(value / step)) < 1e-6;
  if (isOnStep) return formatter.formatStep(value, step);
  const rounded = formatter.formatStep(value, step / 10), significant = formatter.formatSignificant(value);
  return rounded.length < significant.length ? rounded : significant;
}

