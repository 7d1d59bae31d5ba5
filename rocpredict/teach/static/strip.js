// Measures against the threshold.
import { GRID, INK, atEnd, bottomAxis, groups, kept, line, pen, picture } from "./drawing.js";
import { put, resized, scale, segment, sizeOf, svg, text } from "./drawing.js";
import { clamped } from "./numbers.js";

const MEASURES = {
  ameans: pen("#000000", 3), tpr: pen("#D55E00", 2, "9 3"), tnr: pen("#0072B2", 2), precision: pen("#8A3A6B", 2, "2 3"),
};

export function stripView(page) {
  const element = picture(page, "strip", page.words.page.strip), [layer] = groups(1), mark = svg("line", pen(INK, 2));
  element.append(layer, mark);

  function draw(scene) {
    const { state, answer } = scene, plan = planOfStrip(page, scene), { width, size, x, names } = plan;
    const at = x(clamped(state.threshold, answer.range));
    resized(element, width, plan.height);
    kept(layer, [answer.curve, state.prevalence, width, size, names, page.featureName()], () => [
      ...gridOfStrip(page, plan), ...bottomAxis(page, x, answer.range, plan.base, size, width),
      ...Object.entries(MEASURES).flatMap(([name, style], i) => measureLine(page, scene, plan, name, style, i)),
    ]);
    put(mark, { x1: at, x2: at, y1: plan.top, y2: plan.base });
  }
  return { element, draw };
}

function planOfStrip(page, { state, answer, widths }) {
  const width = Math.max(280, widths.strip), size = sizeOf(state, width), left = 2.6 * size, top = 1.6 * size;
  const height = 210 + 2 * size, base = height - 3.4 * size, x = scale(answer.range, [left, width - 10]);
  return { width, size, left, top, height, base, x, y: scale([0, 1], [base, top]), names: page.rateNames() };
}

function gridOfStrip(page, { left, width, size, y }) {
  return [0, 0.5, 1].flatMap((at) => [segment(left, y(at), width - 10, y(at), pen(GRID)),
    atEnd(left - 5, y(at) + size / 3, page.numbers.shown(at, 1), size)]);
}

// Precision is not known where nobody is called positive.
function measureLine(page, { answer, along }, { left, width, size, x, y, names }, name, style, i) {
  const values = along[name], known = values.map((_, k) => k).filter((k) => !Number.isNaN(values[k]));
  const start = left + i * (width - left - 10) / 4, words = page.words.page;
  const label = text(start + 27, size, names[name] ?? words.rates[name], size);
  return [line(known.map((k) => x(answer.curve.threshold[k])), known.map((k) => y(values[k])), style, name),
    segment(start, size - 4, start + 22, size - 4, style), label];
}
