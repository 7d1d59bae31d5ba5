// The actions of the buttons, the grips and the keys.
import { clamp } from "./format.js";
import { computeGaussianRates, findPair, interpolateLinear } from "./model.js";
import { DEFAULT_STATE, toFittedState } from "./state.js";
import { findNearestThreshold } from "./view_model.js";

const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const KEY_ENDS = { Home: 0, End: 1 }, SWEEP_MS = 6000, SWEEP_STEPS = 20, BISECTIONS = 200;
const TEXT_INPUTS = "textarea,select,input:not([type=range],[type=checkbox],[type=radio])";
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Returns the actions of a page. */
export function createActions(page, root) {
  const { state } = page;
  return {
    handleArrowKey, handleShortcut, moveToPoint, moveToBest, toggleSweep, stopSweep, toggleLecture, resetState,
    applyPreset, undo, findThreshold,
  };

  function moveThreshold(threshold) {
    page.set({ threshold }).then(() => { if (page.answer) page.announce(page.describeThreshold()); });
  }

  // On the ROC curve, the right arrow increases the FPR.
  function handleArrowKey(event) {
    const nSteps = KEY_STEPS[event.key], end = KEY_ENDS[event.key];
    if (!page.answer || (nSteps === undefined && end === undefined) || hasModifier(event)) return;
    if (state.lecture && event.key.startsWith("Page")) return;
    const [low, high] = page.getRange(), step = (high - low) / (event.shiftKey ? 2000 : 200);
    const isReversed = event.currentTarget.dataset.handle === "point" && state.direction !== "lower";
    event.preventDefault();
    if (end !== undefined) moveThreshold((end === 1) === isReversed ? low : high);
    else moveThreshold(clamp(state.threshold + (isReversed ? -nSteps : nSteps) * step, [low, high]));
  }

  function moveToPoint(fpr, tpr) {
    if (!page.answer) return;
    moveThreshold(findNearestThreshold(page.answer.curve, clamp(fpr, [0, 1]), clamp(tpr, [0, 1])));
  }

  function handleShortcut(event) {
    const isTextInput = event.target.closest?.(TEXT_INPUTS), key = event.key?.toLowerCase();
    const isPressable = event.target.closest?.("button,input,summary,a");
    if (!page.answer || isTextInput) return;
    const pages = state.lecture ? { pagedown: page.lesson.forward, pageup: page.lesson.backward } : {};
    const singleKeys = {
      b: moveToBest, p: toggleLecture, q: page.showQrCode, u: undo, "?": page.showHelp,
      " ": isPressable ? null : toggleSweep, escape: state.lecture ? toggleLecture : null,
    };
    const chosen = root.dataset.predicting ? Math.max("123".indexOf(key), "abc".indexOf(key)) : -1;
    const isUndo = key === "z" && (event.ctrlKey || event.metaKey);
    if (hasModifier(event) && !isUndo) return;
    const answer = chosen < 0 ? null : () => page.lesson.choose(chosen);
    const action = isUndo ? undo : answer && state.keys ? answer : pages[key] ?? (state.keys ? singleKeys[key] : null);
    if (!action) return;
    action();
    event.preventDefault();
  }

  function moveToBest() {
    if (!page.findBestObstacle()) moveThreshold(page.answer.best.threshold);
  }

  function toggleLecture() {
    page.set({ lecture: !state.lecture });
    if (state.lecture) root.querySelector("[data-handle]").focus();
  }

  // The threshold at which a rate has a value. Rates of 0 and 1 are only approached.
  function findThreshold(rateName, rate) {
    const { curve } = page.answer, target = clamp(rate, [1e-6, 1 - 1e-6]);
    const isGaussian = state.family === "gaussian";
    const spread = 6 * Math.max(state.std0, state.std1), means = [state.mean0, state.mean1];
    let [low, high] = isGaussian
      ? [Math.min(...means) - spread, Math.max(...means) + spread] : [curve.threshold[0], curve.threshold.at(-1)];
    const interpolate = (t) => {
      const [tpr, fpr] = [curve.tpr, curve.fpr].map((rates) => interpolateLinear(curve.threshold, rates, t));
      return { tpr, fpr, fnr: 1 - tpr, tnr: 1 - fpr };
    };
    const compute = (t) => (isGaussian ? computeGaussianRates(state, t, page.payload.normal)
      : interpolate(t))[rateName];
    const isIncreasing = compute(high) > compute(low);
    for (let i = 0; i < BISECTIONS; i++) {
      const middle = (low + high) / 2;
      if (compute(middle) < target === isIncreasing) low = middle;
      else high = middle;
    }
    return Math.abs(compute(low) - target) < 1e-3 ? low : NaN;
  }

  // ---- the sweep: from no alarm to an alarm for everybody
  function toggleSweep() {
    root.dataset.swept = "";
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) stepSweep();
    else if (page.sweep) stopSweep();
    else {
      const sweep = page.sweep = { start: performance.now() };
      page.startGesture();
      continueSweep(sweep);
    }
  }

  function getSweepRange() {
    return state.direction === "lower" ? page.getRange() : page.getRange().toReversed();
  }

  // Without motion, each press is one step, and the first one after the end begins again.
  function stepSweep() {
    const [from, to] = getSweepRange(), done = (state.threshold - from) / (to - from);
    const step = Math.floor(done * SWEEP_STEPS + 1e-6) + 1;
    moveThreshold(from + (to - from) * (step > SWEEP_STEPS ? 0 : step) / SWEEP_STEPS);
  }

  function continueSweep(sweep) {
    if (page.sweep !== sweep) return;
    const done = Math.min(1, (performance.now() - sweep.start) / SWEEP_MS), [from, to] = getSweepRange();
    sweep = page.sweep = { ...sweep };
    page.set({ threshold: from + (to - from) * done }).then(() => {
      if (done === 1) stopSweep();
      else requestAnimationFrame(() => continueSweep(sweep));
    });
  }

  function stopSweep() {
    if (!page.sweep) return;
    page.sweep = null;
    page.endGesture();
  }

  function undo() {
    const saved = page.history.pop();
    if (saved) page.set({ ...saved, undone: true });
  }

  function resetState() {
    const selection = findPair(state, page.payload), { data, feature, pair, names, keys, step, panel, theme } = state;
    const { start: first } = page.payload, start = selection
      ? { data, feature, pair, ...toFittedState(selection.facts), prevalence: first.prevalence } : first;
    if (selection) start.prevalence ??= toFittedState(selection.facts).prevalence;
    page.set({ ...DEFAULT_STATE, ...start, names, keys, step, panel, theme, fresh: true });
  }

  function applyPreset(key) {
    const preset = page.payload.presets.find((candidate) => candidate.key === key),
      { names, keys, panel, theme } = state;
    if (preset) page.set({ ...DEFAULT_STATE, names, keys, panel, theme, ...preset.state, fresh: true });
  }
}
