// The four shares that a threshold cuts off, and where their names stand.
import { CLASS, halo } from "./drawing.js";
import { clamped } from "./numbers.js";

export const AREAS = [
  ["tn", "negative", false], ["fp", "negative", true], ["fn", "positive", false], ["tp", "positive", true],
];
const RATE = { tn: "tnr", fp: "fpr", fn: "fnr", tp: "tpr" };

// Names cover neither each other nor the marks that are there.
export function nameAreas(layer, page, scene, plan, marks) {
  const placed = marks.map(({ x, y, half }) => ({ x, y: y + plan.size / 3, half }));
  for (const [area, side, called] of AREAS) {
    const rate = scene.answer.rates[RATE[area]];
    if (!(rate > 0.0005)) continue;
    const words = `${page.words.page.areas[area]} ${page.numbers.rateShown(rate)}`;
    const at = placeOf(words.length * plan.size * 0.31, side, called, scene.state, plan);
    while (placed.some((other) => isOver(at, other, plan.size))) at.y -= plan.size * 1.3;
    placed.push(at);
    const style = { "text-anchor": "middle", "font-weight": 700, fill: CLASS[side].text, "data-label": area };
    layer.append(halo(at.x, at.y, words, plan.size, style));
  }
}

// Within its area, near its middle; right and wrong calls have lanes of their own.
function placeOf(half, side, called, state, { x, y, threshold, heights, edge, size, width, top, base }) {
  const upper = called !== (state.direction === "lower"), right = (side === "positive") === called;
  const middle = weightedMiddle(threshold, heights[side], state.threshold, upper), centre = x(middle);
  const px = upper ? Math.max(centre, edge + half + 6) : Math.min(centre, edge - half - 6);
  const lane = base - (base - top) * (right ? 0.42 : 0.14);
  const inside = y(0.6 * heightAt(threshold, heights[side], middle));
  const py = (right ? Math.max(lane, inside) : lane) - (side === "positive" ? 0 : size * 0.2);
  return { x: clamped(px, [half + 4, width - half - 4]), y: py, half };
}

export function heightAt(xs, ys, at) {
  const i = Math.max(1, xs.findIndex((x) => x >= at)), share = (at - xs[i - 1]) / (xs[i] - xs[i - 1] || 1);
  return ys[i - 1] + clamped(share, [0, 1]) * (ys[i] - ys[i - 1]);
}

const isOver = (one, other, size) =>
  Math.abs(other.y - one.y) < size * 1.25 && Math.abs(other.x - one.x) < other.half + one.half;

function weightedMiddle(xs, ys, edge, upper) {
  let mass = 0, moment = 0;
  for (let i = 1; i < xs.length; i++) {
    const centre = (xs[i] + xs[i - 1]) / 2, weight = (ys[i] + ys[i - 1]) * (xs[i] - xs[i - 1]);
    if (upper === centre > edge) { mass += weight; moment += weight * centre; }
  }
  return mass ? moment / mass : edge;
}
