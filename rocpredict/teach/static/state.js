// The page's state: what a wish makes of it, what is wrong with it, how an address holds it. Nothing of the document.
import { answerOf, contrastOf } from "./model.js";
import { clamped } from "./numbers.js";

export const START = {
  data: "", feature: 0, contrast: 0, family: "gaussian", mean0: 4, mean1: 8, std0: 3, std1: 2, direction: "higher",
  threshold: NaN, prevalence: 0.5, cost: 1, weighted: false, empirical: true, strip: false, costline: false,
  n: 50, seed: 1, draws: 0, lecture: false, step: -1, names: "roc", keys: true,
};
export const ASKED = Object.keys(START).slice(0, 12);
const COUNTS = { n: [2, 1000], draws: [0, 50], seed: [-2147483648, 2147483647], step: [-1, 99] };
const FINITE = ["mean0", "mean1", "threshold"], ABOVE_0 = ["std0", "std1", "cost"], LARGEST = 1e100;
const PLACE = ["data", "contrast", "feature"];

export const datasetOf = ({ data }, payload) => payload.datasets.find(({ key }) => key === data);
export const fitOf = ({ mean, std, direction }) =>
  ({ mean0: mean[0], mean1: mean[1], std0: std[0], std1: std[1], direction });
const isMoved = (from, next) => PLACE.some((name) => next[name] !== from[name]);

// ---- a wish
// The state that comes of a wish; other data bring their own fit, and where no threshold is given it is the best.
export function resolve(from, patch, payload) {
  const next = { ...from, ...patch }, data = datasetOf(next, payload);
  tidy(next, payload);
  if (data) place(next, from, patch, data, payload);
  else Object.assign(next, { data: next.data || "", feature: 0, contrast: 0, family: START.family });
  for (const name of ["contrastLabels", "featureName", "fresh"]) delete next[name];
  const facts = contrastOf(next, payload)?.facts;
  if (facts?.mean && isMoved(from, next)) Object.assign(next, without({ ...fitOf(facts), threshold: NaN }, patch));
  const placed = { ...next, threshold: 0 };
  if (Number.isNaN(next.threshold) && !problem(placed, payload)) next.threshold = bestIn(placed, payload);
  return next;
}

const without = (held, patch) => Object.fromEntries(Object.entries(held).filter(([name]) => !(name in patch)));

function tidy(next, payload) {
  for (const [name, ends] of Object.entries(COUNTS)) {
    next[name] = Number.isFinite(next[name]) ? clamped(Math.round(next[name]), ends) : START[name];
  }
  if (!Object.hasOwn(payload.words.page.names, next.names)) next.names = START.names;
  if (next.direction !== "lower") next.direction = "higher";
}

// Which pair of classes and which feature: by place, by name, or the first that can be shown.
function place(next, from, { contrast, contrastLabels, feature, featureName }, data, payload) {
  const isPair = ({ negative, positive }) => negative === contrastLabels[0] && positive === contrastLabels[1];
  const other = next.data !== from.data;
  if (contrastLabels) next.contrast = data.contrasts.findIndex(isPair);
  else if (other && contrast === undefined) next.contrast = 0;
  if (featureName) next.feature = data.features.findIndex(({ name }) => name === featureName);
  else if (other && feature === undefined) next.feature = 0;
  if (feature !== undefined || featureName || !contrastOf(next, payload)?.facts.error) return;
  next.feature = Math.max(0, data.contrasts[next.contrast].facts.findIndex(({ mean }) => mean));
}

function bestIn(next, payload) {
  const { best, range } = answerOf(next, payload);
  return Number.isFinite(best.threshold) ? best.threshold : (range[0] + range[1]) / 2;
}

// ---- what is wrong with it, in a sentence, or nothing
export function problem(next, payload) {
  const words = payload.words.page, found = contrastOf(next, payload), { mean0, mean1, std0, std1, prevalence } = next;
  if (next.data && !found) return words.wrong.data;
  if (found?.facts.error) return found.facts.error;
  const name = FINITE.find((key) => !(Math.abs(next[key]) <= LARGEST)) ?? ABOVE_0.find((key) => !isScale(next[key]));
  if (name) return `${words.labels[name]}: ${words.wrong[FINITE.includes(name) ? "finite" : "above"]}`;
  if (!(prevalence > 0 && prevalence < 1)) return `${words.labels.prevalence}: ${words.wrong.share}`;
  const wide = Math.abs(mean1 - mean0) + Math.max(std0, std1);
  return wide < 1e-9 * Math.max(Math.abs(mean0), Math.abs(mean1)) ? words.wrong.close : "";
}

const isScale = (value) => value >= 1 / LARGEST && value <= LARGEST;

// ---- the ends of the sliders: they stay until a value lies beyond
export function frameAfter(frame, from, next, { fresh }) {
  return !frame.mean || fresh || isMoved(from, next) || isBeyond(frame, next) ? frameOf(next) : frame;
}

function isBeyond(frame, next) {
  return ["mean", "std"].some((kind) => [0, 1].some((i) => next[kind + i] !== clamped(next[kind + i], frame[kind])));
}

function frameOf({ mean0, mean1, std0, std1 }) {
  const small = Math.min(std0, std1), large = Math.max(std0, std1), reach = 4 * large;
  return { mean: [Math.min(mean0, mean1) - reach, Math.max(mean0, mean1) + reach], std: [small / 5, large * 5] };
}

// ---- the address
const KINDS = {
  number: (text) => text.trim() ? Number(text) : NaN,
  boolean: (text) => text === "true" || text === "1",
  string: String,
};

export function patchOf(hash) {
  const given = [...new URLSearchParams(hash.slice(1))].filter(([name]) => Object.hasOwn(START, name));
  const patch = Object.fromEntries(given.map(([name, text]) => [name, KINDS[typeof START[name]](text)]));
  return "step" in patch ? { ...patch, step: patch.step - 1 } : patch;
}

// What differs from the state that an address without it would bring; steps are counted from 1 there, as on the page.
export function hashOf(state, payload) {
  const facts = contrastOf(state, payload)?.facts;
  const plain = { ...START, ...(facts?.mean ? fitOf(facts) : {}), ...payload.start, threshold: NaN };
  const told = Object.entries(state).filter(([name, value]) => value !== plain[name]);
  return new URLSearchParams(told.map(([name, value]) => [name, name === "step" ? value + 1 : value])).toString();
}
