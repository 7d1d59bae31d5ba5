// What moves the page as a whole: keys, the toolbar, the sweep, and back to where it began.
import { contrastOf, number } from "./model.js";
import { clamped } from "./numbers.js";
import { nearestThreshold } from "./scene.js";
import { START, fitOf } from "./state.js";

const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const ENDS = { Home: 0, End: 1 };
const TYPED = "textarea,select,input:not([type=range],[type=checkbox],[type=radio])";
const isHeld = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Gives what the toolbar does, and what handles and keys do. */
export function movingOf(page, root) {
  const { state } = page;
  let moving = 0;
  return { move, arrows, toPoint, shortcuts, best, sweep, lecture, reset, preset };

  function move(threshold) {
    page.set({ threshold }).then(() => { if (page.answer) page.say(page.thresholdWords()); });
  }

  // On the curve, right is a larger FPR.
  function arrows(event) {
    const steps = KEYS[event.key], end = ENDS[event.key];
    if (!page.answer || (steps === undefined && end === undefined) || isHeld(event)) return;
    const [low, high] = page.answer.range, step = (high - low) / (event.shiftKey ? 2000 : 200);
    const turned = event.currentTarget.dataset.handle === "point" && state.direction !== "lower";
    event.preventDefault();
    if (end !== undefined) move((end === 1) === turned ? low : high);
    else move(clamped(state.threshold + (turned ? -steps : steps) * step, [low, high]));
  }

  function toPoint(x, y) {
    if (page.answer) move(nearestThreshold(page.answer.curve, clamped(x, [0, 1]), clamped(y, [0, 1])));
  }

  function shortcuts(event) {
    const typing = event.target.closest?.(TYPED), pressing = event.target.closest?.("button,input,summary,a");
    if (!page.answer || !state.keys || typing || isHeld(event)) return;
    const act = { b: best, p: lecture, " ": pressing ? null : sweep }[event.key?.toLowerCase()];
    if (!act) return;
    act();
    event.preventDefault();
  }

  function best() {
    move(clamped(number(page.answer.best.threshold), page.answer.range));
  }

  function lecture() {
    page.set({ lecture: !state.lecture });
    if (state.lecture) root.querySelector("[data-handle]").focus();
  }

  function sweep() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const mine = moving = moving ? 0 : performance.now();
    if (mine) step(mine);
  }

  function step(mine) {
    if (moving !== mine) return;
    const [low, high] = page.answer.range, next = state.threshold + (high - low) / 240;
    const again = () => requestAnimationFrame(() => step(mine));
    page.set({ threshold: next > high || next < low ? low : next }).then(again);
  }

  function reset() {
    const found = contrastOf(state, page.payload), { data, feature, contrast, names, keys, step: lesson } = state;
    const home = found ? { data, feature, contrast, ...fitOf(found.facts) } : page.payload.start;
    page.set({ ...START, ...home, names, keys, step: lesson, fresh: true });
  }

  function preset(key) {
    const found = page.payload.presets.find((one) => one.key === key), { names, keys } = state;
    if (found) page.set({ ...START, names, keys, ...found.state, fresh: true });
  }
}
