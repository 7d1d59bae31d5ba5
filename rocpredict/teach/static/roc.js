// The ROC curve: predicted, counted and of new samples; the point of the threshold, and the best points.
import { diamond } from "./densities.js";
import { COST, COUNTED, GRID, INK, QUIET, atEnd, groups, halo, handle, kept, line, middle } from "./drawing.js";
import { pen, picture, put, resized, scale, segment, sizeOf, spot, svg } from "./drawing.js";
import { clamped } from "./numbers.js";

export function rocView(page) {
  const element = picture(page, "roc", page.words.page.roc), [back, drawn, curves, layer] = groups(4);
  let plan = { place: () => [0, 0] };
  const toPoint = (event) => page.toPoint(...plan.place(spot(element, event)));
  const mark = pointMark(page, toPoint);
  element.append(back, drawn, curves, layer, mark.element);
  element.addEventListener("click", (event) => { if (!mark.element.contains(event.target)) toPoint(event); });

  // What a threshold does not move is kept: the square, the curves, and the cloud of samples above all.
  function draw(scene) {
    const { state, answer, cloud } = scene, points = state.empirical && answer.empirical?.points;
    plan = planOfSquare(page, scene);
    resized(element, plan.width, plan.height);
    kept(back, [plan.side, plan.size, plan.names], () => square(page, plan));
    kept(drawn, [cloud, plan.side, plan.size], () => cloudDrawn(cloud, plan));
    kept(curves, [answer.curve, points, plan.side, plan.size], () => curvesOf(answer.curve, points, state, plan));
    layer.replaceChildren(...marksOf(page, scene, plan), ...legend(page, scene, plan));
    mark.draw(scene, plan);
  }
  return { element, draw };
}

function planOfSquare(page, { state, widths }) {
  const width = Math.max(260, widths.roc), size = sizeOf(state, width), left = 3.6 * size;
  const side = Math.min(width - left - 1.2 * size, state.lecture ? 620 : 520);
  return {
    width, size, side, height: side + 3.4 * size + 12, names: page.rateNames(),
    x: scale([0, 1], [left, left + side]), y: scale([0, 1], [12 + side, 12]),
    place: ([px, py]) => [(px - left) / side, 1 - (py - 12) / side],
  };
}

function pointMark(page, move) {
  const element = handle(page, "point", page.words.page.point, move);
  const reach = svg("circle", { r: 18, fill: "transparent" });
  const ring = svg("circle", { r: 8, ...pen(INK, 3.5), fill: "#ffffff" });
  element.append(reach, ring);

  function draw({ answer: { rates } }, { x, y }) {
    for (const circle of [reach, ring]) put(circle, { cx: x(rates.fpr), cy: y(rates.tpr) });
    const now = { "aria-valuenow": rates.fpr, "aria-valuetext": page.pointWords() };
    put(element, { "aria-valuemin": 0, "aria-valuemax": 1, ...now });
  }
  return { element, draw };
}

function square(page, { x, y, size, names }) {
  const { shown } = page.numbers;
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((at) => [
    segment(x(at), y(0), x(at), y(1), pen(GRID)), segment(x(0), y(at), x(1), y(at), pen(GRID)),
    middle(x(at), y(0) + 4 + size, shown(at, 1), size, { fill: QUIET }),
    atEnd(x(0) - 6, y(at) + size / 3, shown(at, 1), size),
  ]);
  return [
    ...grid, segment(x(0), y(0), x(1), y(1), pen(QUIET, 1, "2 4"), { "data-curve": "chance" }),
    middle(x(0.5), y(0) + 8 + 2.1 * size, names.fpr, size),
    middle(size, y(0.5), names.tpr, size, { transform: `rotate(-90 ${size} ${y(0.5)})` }),
  ];
}

// ---- curves
function cloudDrawn(cloud, { x, y }) {
  const style = { ...pen("#7A6000"), "stroke-opacity": 0.35 };
  return cloud.map(({ fpr, tpr }) => line(fpr.map(x), tpr.map(y), style, "draw"));
}

function curvesOf({ fpr, tpr }, points, { direction }, { x, y }) {
  const ends = direction === "lower" ? [0, 1] : [1, 0], whole = (rate) => [ends[0], ...rate, ends[1]];
  const counted = points ? [line(points.fpr.map(x), points.tpr.map(y), pen(COUNTED, 1.8, "4 2"), "empirical")] : [];
  return [...counted, line(whole(fpr).map(x), whole(tpr).map(y), pen("#000000", 3), "predicted")];
}

function costLine({ fpr, tpr, slope }, { x, y }, words) {
  const [[x0, y0], [x1, y1]] = [0, 1].map((at) => {
    const height = tpr + slope * (at - fpr), inside = clamped(height, [0, 1]);
    return [inside === height ? at : fpr + (inside - tpr) / slope, inside];
  });
  const corner = { x: x(fpr) - 6, y: y(tpr) - 6, width: 12, height: 12 }, title = svg("title", {}, words.costbest);
  return [segment(x(x0), y(y0), x(x1), y(y1), pen(COST, 2, "8 4"), { "data-curve": "cost" }),
    svg("rect", { ...corner, ...pen(COST, 3), fill: "#ffffff", "data-mark": "cost" }, title)];
}

// ---- marks
function marksOf(page, { state, answer, gap }, plan) {
  const words = page.words.page, { x, y } = plan, counted = state.empirical && answer.empirical;
  const at = counted && { cx: x(counted.fpr), cy: y(counted.tpr), r: 5, fill: COUNTED, stroke: "#ffffff" };
  return [
    ...(state.costline ? costLine(answer.costbest, plan, words) : []), ...bestMark(answer.best, plan, words),
    ...(gap && counted ? [gapMark(gap, plan)] : []),
    ...(counted ? [svg("circle", { ...at, "data-mark": "empirical" })] : []),
  ];
}

// An infinite threshold stands where no densities cross.
function bestMark({ fpr, tpr, threshold }, { x, y, size }, words) {
  const title = svg("title", {}, Number.isFinite(threshold) ? `${words.best}: ${words.besthere}` : words.best);
  const style = { ...pen(INK, 2), fill: "#ffffff", "data-mark": "best" };
  return [svg("path", { d: diamond(x(fpr), y(tpr), 9, 8), ...style }, title),
    halo(x(fpr) + 14, y(tpr) + size + 4, words.bestshort, size, { "data-mark": "best" })];
}

function gapMark({ fpr, from, to }, { x, y }) {
  return segment(x(fpr), y(from), x(fpr), y(to), pen(COUNTED, 3), { "data-mark": "gap" });
}

// Where the curve is not: below it, or above where it lies below the chance line.
function legend(page, scene, { x, y, size }) {
  const lines = legendLines(page, scene), above = scene.answer.auc < 0.5, end = above ? x(0) + 8 : x(1) - 8;
  const start = above ? y(1) + 1.4 * size : y(0) - (lines.length - 0.4) * 1.5 * size, out = above ? 1 : -1;
  return lines.flatMap(([style, label], i) => {
    const at = start + i * 1.5 * size;
    return [segment(end, at - size / 3, end + 30 * out, at - size / 3, style),
      halo(end + 36 * out, at, label, size, { "text-anchor": above ? "start" : "end" })];
  });
}

function legendLines(page, { state, answer, cloud }) {
  const words = page.words.page, area = (name, auc) => `${name}, AUC ${page.numbers.rateShown(auc)}`;
  const lines = [[pen("#000000", 3), area(words.predicted, answer.auc)]], rows = state.empirical && answer.empirical;
  if (rows) lines.push([pen(COUNTED, 1.8, "4 2"), area(words.counted, rows.auc)]);
  if (state.costline) lines.push([pen(COST, 2, "8 4"), words.costline]);
  if (cloud.length) lines.push([pen("#7A6000"), words.redraws]);
  return lines;
}
