// The state of the page: its update, its validation and its form in the address. Independent of the document.
import { PASTED_KEY, computePageAnswer, listFamilies } from "./fitted.js";
import { clamp } from "./format.js";
import { findPair } from "./model.js";

export const DEFAULT_STATE = {
  data: "", feature: 0, pair: 0, family: "gaussian", mean0: 4, mean1: 8, std0: 3, std1: 2, direction: "higher",
  threshold: NaN, prevalence: 0.1, cost: 1, weighted: false, empirical: true, strip: false, costline: false,
  n: 50, seed: 1, draws: 0, lecture: false, step: -1, names: "roc", keys: true, panel: "", theme: "auto",
  band: false, second: -1,
};
export const PANELS = ["table", "lesson", "numbers", "game", "data"];
// The fields that Python needs to compute an answer.
export const REQUEST_FIELDS = Object.keys(DEFAULT_STATE).slice(0, 12);
const INTEGER_BOUNDS = { n: [2, 1000], draws: [0, 50], seed: [-2147483648, 2147483647], step: [-1, 99],
  second: [-1, 999] };
const FINITE_FIELDS = ["mean0", "mean1", "threshold"], POSITIVE_FIELDS = ["std0", "std1", "cost"];
const MAX_MAGNITUDE = 1e100, SELECTION_FIELDS = ["data", "pair", "feature"];

export const findDataset = ({ data }, payload) => payload.datasets.find(({ key }) => key === data);
export const toFittedState = ({ mean, std, direction, count: [n0, n1] }) =>
  ({ mean0: mean[0], mean1: mean[1], std0: std[0], std1: std[1], direction, prevalence: n1 / (n0 + n1) });
const hasOtherSelection = (previous, next) => SELECTION_FIELDS.some((name) => next[name] !== previous[name]);

// ---- update
// The state after a patch. Another selection takes its own fit, other classes their prevalence; a missing threshold
// becomes the best one.
export function computeNextState(previous, patch, payload) {
  const next = { ...previous, ...patch }, data = findDataset(next, payload);
  normalizeState(next, payload);
  if (data) selectData(next, previous, patch, data, payload);
  else Object.assign(next, { data: next.data || "", feature: 0, pair: 0, family: DEFAULT_STATE.family });
  if (!listFamilies(next, payload).includes(next.family)) next.family = DEFAULT_STATE.family;
  for (const name of ["pairLabels", "featureName", "fresh", "undone"]) delete next[name];
  const facts = findPair(next, payload)?.facts;
  if (facts?.mean && hasOtherSelection(previous, next)) {
    const { prevalence, ...fit } = toFittedState(facts), hasSameClasses = ["data", "pair"].every(
      (name) => next[name] === previous[name]);
    Object.assign(next, omitKeys({ ...fit, threshold: NaN, ...(hasSameClasses ? {} : { prevalence }) }, patch));
  }
  const withThreshold = { ...next, threshold: 0 };
  if (Number.isNaN(next.threshold) && !findValidationError(withThreshold, payload)) {
    next.threshold = findDefaultThreshold(withThreshold, payload);
  }
  return next;
}

const omitKeys = (object, omitted) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !(name in omitted)));

const listChoices = (payload) => ({
  names: Object.keys(payload.words.page.names), direction: ["higher", "lower"], panel: PANELS,
  theme: ["auto", "light", "dark"],
});

function normalizeState(next, payload) {
  for (const [name, bounds] of Object.entries(INTEGER_BOUNDS)) {
    next[name] = Number.isFinite(next[name]) ? clamp(Math.round(next[name]), bounds) : DEFAULT_STATE[name];
  }
  for (const [name, choices] of Object.entries(listChoices(payload))) {
    if (!choices.includes(next[name])) next[name] = DEFAULT_STATE[name];
  }
}

// The pair of classes and the feature: by index, by name, or the first feature that can be shown.
function selectData(next, previous, { pair, pairLabels, feature, featureName }, data, payload) {
  const hasLabels = ({ negative, positive }) => negative === pairLabels[0] && positive === pairLabels[1];
  const isOtherData = next.data !== previous.data;
  if (pairLabels) next.pair = data.pairs.findIndex(hasLabels);
  else if (isOtherData && pair === undefined) next.pair = 0;
  if (featureName) next.feature = data.features.findIndex(({ name }) => name === featureName);
  else if (isOtherData && feature === undefined) next.feature = 0;
  if (feature !== undefined || featureName || !findPair(next, payload)?.facts.error) return;
  next.feature = Math.max(0, data.pairs[next.pair].facts.findIndex(({ mean }) => mean));
}

function findDefaultThreshold(next, payload) {
  const { auc, best, range } = computePageAnswer(next, payload);
  return auc >= 0.5 && Number.isFinite(best.threshold) ? best.threshold : (range[0] + range[1]) / 2;
}

// ---- validation: an error message, or an empty string
export function findValidationError(next, payload) {
  const words = payload.words.page, selection = findPair(next, payload);
  const { mean0, mean1, std0, std1, prevalence } = next;
  if (next.data && !selection) return words.wrong.data;
  if (selection?.facts.error) return selection.facts.error;
  const invalidField = FINITE_FIELDS.find((name) => !(Math.abs(next[name]) <= MAX_MAGNITUDE))
    ?? POSITIVE_FIELDS.find((name) => !isPositiveFinite(next[name]));
  if (invalidField) {
    return `${words.labels[invalidField]}: ${words.wrong[FINITE_FIELDS.includes(invalidField) ? "finite" : "above"]}`;
  }
  if (!(prevalence > 0 && prevalence < 1)) return `${words.labels.prevalence}: ${words.wrong.share}`;
  const width = Math.abs(mean1 - mean0) + Math.max(std0, std1);
  return width < 1e-9 * Math.max(Math.abs(mean0), Math.abs(mean1)) ? words.wrong.close : "";
}

const isPositiveFinite = (value) => value >= 1 / MAX_MAGNITUDE && value <= MAX_MAGNITUDE;

// ---- ranges of the sliders: constant until a value lies outside
export function computeNextSliderRanges(ranges, previous, next, { fresh }) {
  const isOutdated = !ranges.mean || fresh || hasOtherSelection(previous, next) || isOutside(ranges, next);
  return isOutdated ? computeSliderRanges(next) : ranges;
}

function isOutside(ranges, next) {
  return ["mean", "std"].some((kind) => [0, 1].some((i) => next[kind + i] !== clamp(next[kind + i], ranges[kind])));
}

function computeSliderRanges({ mean0, mean1, std0, std1 }) {
  const small = Math.min(std0, std1), large = Math.max(std0, std1), reach = 4 * large;
  return { mean: [Math.min(mean0, mean1) - reach, Math.max(mean0, mean1) + reach], std: [small / 5, large * 5] };
}

// ---- the address
const PARSERS = {
  number: (text) => text.trim() ? Number(text) : NaN,
  boolean: (text) => text === "true" || text === "1",
  string: String,
};

// The steps of the lesson, by name. Those on data need the data.
const listSteps = (payload) => Object.keys(payload.words.lesson.steps).filter((key) =>
  !["iris", "pima"].includes(key) || findDataset({ data: key }, payload));

// A patch of the state, from the hash of the address, and the entries that are invalid. Each of these has its default.
export function fromHash(hash, payload) {
  const entries = [...new URLSearchParams(hash.slice(1))].filter(([name]) => Object.hasOwn(DEFAULT_STATE, name));
  const base = { ...DEFAULT_STATE, ...payload.start, threshold: 0 }, patch = {}, invalid = [];
  for (const [name, text] of entries) {
    const value = PARSERS[typeof DEFAULT_STATE[name]](text), named = listSteps(payload).indexOf(text);
    const number = name !== "step" ? value : named < 0 ? value - 1 : named;
    const selection = name === "feature" || name === "pair" ? { ...base, ...patch } : base;
    if (isValidEntry(name, number, { ...selection, [name]: number }, payload)) patch[name] = number;
    else invalid.push({ name, text, value: base[name] });
  }
  if (!findValidationError(computeNextState({ ...base }, patch, payload), payload)) return { patch, invalid };
  return { patch: {}, invalid: entries.map(([name, text]) => ({ name, text, value: base[name] })) };
}

function isValidEntry(name, value, next, payload) {
  const accepted = { ...listChoices(payload), data: ["", ...payload.datasets.map(({ key }) => key)] }[name];
  if (accepted) return accepted.includes(value);
  if (INTEGER_BOUNDS[name]) return value === clamp(Math.round(value), INTEGER_BOUNDS[name]);
  if (name === "feature" || name === "pair") return !next.data || !!findPair(next, payload);
  return !findValidationError({ ...DEFAULT_STATE, threshold: 0, [name]: value }, { ...payload, datasets: [] });
}

// The fields that differ from the state of an empty hash. Steps are counted from 1 here, as on the page. Pasted data
// are not in the address, which then has the means and SDs of its Gaussians.
export function toHash(state, payload) {
  const isPasted = state.data === PASTED_KEY, facts = isPasted ? null : findPair(state, payload)?.facts;
  const defaults = {
    ...DEFAULT_STATE, ...(facts?.mean ? toFittedState(facts) : {}), ...payload.start, threshold: NaN,
    ...(isPasted ? Object.fromEntries(SELECTION_FIELDS.map((name) => [name, state[name]])) : {}),
  };
  const changes = Object.entries(state).filter(([name, value]) => value !== defaults[name]);
  return new URLSearchParams(changes.map(([name, value]) => [name, name === "step" ? value + 1 : value])).toString();
}
