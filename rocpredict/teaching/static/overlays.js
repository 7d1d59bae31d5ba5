// What can be laid over the ROC plot: a confidence band of the empirical curve, and the curve of a second feature.
import { createSvgElement } from "./elements.js";
import { truncateName } from "./format.js";
import { computeAnswer, findPair } from "./model.js";
import { toFittedState } from "./state.js";
import { MUTED_COLOR, createCurve, createOutlinedText, createStroke, toPathData } from "./svg.js";

const SECOND_STROKE = createStroke(MUTED_COLOR, 2.5, "1 4");

/** Returns the options of the second feature, or no options if there is no other feature to show. */
export function listSecondFeatures({ state, payload, words: { overlay: words } }) {
  const features = findPair(state, payload)?.data.features ?? [];
  const options = features.map(({ name }, i) => [i, name])
    .filter(([i]) => findSecondFacts({ ...state, second: i }, payload));
  return options.length ? [[-1, words.none], ...options] : [];
}

const findSecondFacts = (state, payload) => {
  const facts = state.second === state.feature ? null : findPair(state, payload)?.pair.facts[state.second];
  return facts?.mean ? facts : null;
};

const secondCache = new WeakMap();
function getSecondCurve(facts, state, payload) {
  const second = { ...state, data: "", ...toFittedState(facts) };
  if (!secondCache.has(facts)) secondCache.set(facts, computeAnswer(second, payload).curve);
  return secondCache.get(facts);
}

/** Returns the elements that lie over the curves of the ROC plot, from scales x and y to pixels. */
export function createOverlays({ payload, formatter }, { state, answer }, { x, y, fontSize }) {
  const band = state.band && state.empirical && answer.empirical?.band, facts = findSecondFacts(state, payload);
  return [...(band ? [createBand(band, x, y)] : []),
    ...(facts ? createSecondCurve(facts, state, payload, formatter, { x, y, fontSize }) : [])];
}

// The limits are given at equidistant FPRs from 0 to 1.
function createBand({ low, high }, x, y) {
  const fpr = low.map((_, i) => i / (low.length - 1)), there = toPathData(fpr.map(x), high.map(y));
  const back = toPathData(fpr.toReversed().map(x), low.toReversed().map(y));
  const style = { fill: MUTED_COLOR, "fill-opacity": 0.18, "data-curve": "band" };
  return createSvgElement("path", { d: `${there}${back.replace("M", "L")}Z`, ...style });
}

function createSecondCurve(facts, state, payload, { formatRate }, { x, y, fontSize }) {
  const { fpr, tpr } = getSecondCurve(facts, state, payload), bounds = facts.direction === "lower" ? [0, 1] : [1, 0];
  const [xs, ys] = [[fpr, x], [tpr, y]].map(([rates, scale]) => [bounds[0], ...rates, bounds[1]].map(scale));
  const { name } = findPair(state, payload).data.features[state.second];
  const text = `${truncateName(name, 24)}, AUC ${formatRate(facts.auc)}`;
  const attributes = { "text-anchor": "end", fill: MUTED_COLOR };
  return [createCurve(xs, ys, SECOND_STROKE, "second"),
    createOutlinedText(x(0.98), y(0.3), text, fontSize, attributes)];
}
