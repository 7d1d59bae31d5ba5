// The actions of the toolbar, the handles and the keys.
import { clamp } from "./format.js";
import { findPair, parseNumber } from "./model.js";
import { DEFAULT_STATE, toFittedState } from "./state.js";
import { findNearestThreshold } from "./view_model.js";

const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const KEY_ENDS = { Home: 0, End: 1 };
const TEXT_INPUTS = "textarea,select,input:not([type=range],[type=checkbox],[type=radio])";
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Returns the actions of a page. */
export function createActions(page, root) {
  const { state } = page;
  let sweepStart = 0;
  return {
    handleArrowKey, handleShortcut, moveToPoint, moveToBest, toggleSweep, toggleLecture, resetState, applyPreset,
  };

  function moveThreshold(threshold) {
    page.set({ threshold }).then(() => { if (page.answer) page.announce(page.describeThreshold()); });
  }

  // On the ROC curve, the right arrow increases the FPR.
  function handleArrowKey(event) {
    const nSteps = KEY_STEPS[event.key], end = KEY_ENDS[event.key];
    if (!page.answer || (nSteps === undefined && end === undefined) || hasModifier(event)) return;
    const [low, high] = page.answer.range, step = (high - low) / (event.shiftKey ? 2000 : 200);
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
    const isTextInput = event.target.closest?.(TEXT_INPUTS);
    const isPressable = event.target.closest?.("button,input,summary,a");
    if (!page.answer || !state.keys || isTextInput || hasModifier(event)) return;
    const shortcuts = { b: moveToBest, p: toggleLecture, " ": isPressable ? null : toggleSweep };
    const action = shortcuts[event.key?.toLowerCase()];
    if (!action) return;
    action();
    event.preventDefault();
  }

  function moveToBest() {
    moveThreshold(clamp(parseNumber(page.answer.best.threshold), page.answer.range));
  }

  function toggleLecture() {
    page.set({ lecture: !state.lecture });
    if (state.lecture) root.querySelector("[data-handle]").focus();
  }

  function toggleSweep() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const start = sweepStart = sweepStart ? 0 : performance.now();
    if (start) continueSweep(start);
  }

  function continueSweep(start) {
    if (sweepStart !== start) return;
    const [low, high] = page.answer.range, next = state.threshold + (high - low) / 240;
    const requestNextFrame = () => requestAnimationFrame(() => continueSweep(start));
    page.set({ threshold: next > high || next < low ? low : next }).then(requestNextFrame);
  }

  function resetState() {
    const selection = findPair(state, page.payload), { data, feature, pair, names, keys, step } = state;
    const start = selection ? { data, feature, pair, ...toFittedState(selection.facts) } : page.payload.start;
    page.set({ ...DEFAULT_STATE, ...start, names, keys, step, fresh: true });
  }

  function applyPreset(key) {
    const preset = page.payload.presets.find((candidate) => candidate.key === key), { names, keys } = state;
    if (preset) page.set({ ...DEFAULT_STATE, names, keys, ...preset.state, fresh: true });
  }
}
