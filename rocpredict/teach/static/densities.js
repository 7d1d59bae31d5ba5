// Both densities: the threshold, the four shares that it cuts off, and where the densities cross.
import { AREAS, heightAt, nameAreas } from "./areas.js";
import { CLASS, INK, bottomAxis, groups, halo, handle, kept, path, pen, picture } from "./drawing.js";
import { put, resized, scale, segment, sizeOf, spot, svg } from "./drawing.js";
import { clamped } from "./numbers.js";

const EDGE = 10, SIDES = ["negative", "positive"];

export function densityView(page) {
  const { words: { page: words } } = page, element = picture(page, "densities", words.densities);
  const [back, layer, lines, marks] = groups(4);
  let plan = { range: [0, 1], from: () => 0 };
  const toThreshold = (event) => page.set({ threshold: clamped(plan.from(spot(element, event)[0]), plan.range) });
  const mark = thresholdMark(page, words.threshold, toThreshold);
  element.append(svg("defs", {}, ...AREAS.map((area) => hatch(page, area))), back, layer, lines, marks, mark.element);
  element.addEventListener("click", (event) => { if (!mark.element.contains(event.target)) toThreshold(event); });

  function draw(scene) {
    plan = planOf(page, scene);
    resized(element, plan.width, plan.height);
    kept(back, [scene.rows, scene.state.empirical, ...plan.key], () => rowsDrawn(scene, plan));
    layer.replaceChildren(...AREAS.map((area) => areaOf(page, area, scene.state, plan)));
    kept(lines, plan.key, () => linesOf(page, plan));
    const crossings = crossingsOf(scene, plan);
    marks.replaceChildren(...crossings.map((crossing) => diamondAt(page, scene, crossing)));
    nameAreas(marks, page, scene, plan, crossings);
    mark.draw(scene, plan);
  }
  return { element, draw };
}

// The height that has room: that of the curves, and of bars up to half as high again.
function peakOf({ negative, positive }, rows, weights) {
  const curves = Math.max(...negative, ...positive), highest = (bars) => Math.max(...bars.map(({ height }) => height));
  const bars = rows ? SIDES.map((side, i) => weights[i] * highest(rows.histograms[side])) : [0];
  return Math.max(curves, Math.min(1.5 * curves, Math.max(...bars)));
}

// Places on the screen: all that the parts of the picture share.
function planOf(page, { state, answer, rows, widths }) {
  const width = Math.max(280, widths.densities), size = sizeOf(state, width), { range, curve } = answer;
  const height = Math.round(clamped(0.7 * width, [250, 570])), base = height - 3.4 * size, top = 2.6 * size;
  const weights = state.weighted ? [1 - state.prevalence, state.prevalence] : [1, 1];
  const heights = Object.fromEntries(SIDES.map((side, i) => [side, curve[side].map((v) => v * weights[i])]));
  const x = scale(range, [EDGE, width - EDGE]);
  const peak = peakOf(heights, state.empirical && rows, weights), y = scale([0, 1.08 * peak], [base, top]);
  return {
    width, size, top, height, base, weights, heights, x, y, range,
    threshold: curve.threshold, xs: curve.threshold.map(x),
    ys: { negative: heights.negative.map(y), positive: heights.positive.map(y) },
    edge: x(clamped(state.threshold, range)),
    from: (pixel) => range[0] + (pixel - EDGE) / (width - 2 * EDGE) * (range[1] - range[0]),
    key: [curve, ...weights, peak, width, size, page.featureName(), ...page.classNames()],
  };
}

function thresholdMark(page, label, move) {
  const element = handle(page, "threshold", label, move), stroke = svg("line", pen(INK, 2.5));
  const knob = svg("path", { fill: INK }), reach = svg("rect", { fill: "transparent", width: 32 });
  element.append(reach, stroke, knob);

  function draw({ state, answer: { range } }, { edge: at, top, base }) {
    put(stroke, { x1: at, x2: at, y1: top - 4, y2: base });
    put(knob, { d: `M${at - 8} ${top - 14}h16l-8 12z` });
    put(reach, { x: at - 16, y: top - 18, height: base - top + 18 });
    put(element, {
      "aria-valuemin": range[0], "aria-valuemax": range[1], "aria-valuenow": clamped(state.threshold, range),
      "aria-valuetext": page.thresholdWords(),
    });
  }
  return { element, draw };
}

// ---- lines and what is under them
function linesOf(page, { x, xs, ys, range, base, size, width }) {
  const lines = SIDES.map((side) => {
    const { colour, dash } = CLASS[side];
    return svg("path", { d: path(xs, ys[side]), ...pen(colour, 2.5, dash), "data-line": side });
  });
  return [...lines, ...bottomAxis(page, x, range, base, size, width), ...nameClasses(page, size, width)];
}

function nameClasses(page, size, width) {
  return SIDES.flatMap((side, i) => {
    const from = i ? width - 10 : 10, inwards = i ? -1 : 1, { colour, dash, text: fill } = CLASS[side];
    const style = { "text-anchor": i ? "end" : "start", fill, "font-weight": 600 };
    return [segment(from, size - 4, from + 34 * inwards, size - 4, pen(colour, 3, dash)),
      halo(from + 40 * inwards, size, page.classNames()[i], size, style)];
  });
}

function hatch(page, [area, side, called]) {
  const right = (side === "positive") === called, gap = right ? 9 : 5, { colour } = CLASS[side];
  const turn = `rotate(${side === "negative" ? -45 : 45})`, ground = right ? 0.1 : 0.26;
  const size = { width: gap, height: gap };
  return svg("pattern", { id: page.id(area), ...size, patternUnits: "userSpaceOnUse", patternTransform: turn },
    svg("rect", { ...size, fill: colour, "fill-opacity": ground }),
    segment(0, 0, 0, gap, pen(colour, right ? 1 : 2), { "stroke-opacity": 0.6 }));
}

function areaOf(page, [area, side, called], state, { xs, ys, edge, base }) {
  const upper = called === (state.direction !== "lower"), at = heightAt(xs, ys[side], edge);
  const keep = xs.map((_, i) => i).filter((i) => upper ? xs[i] >= edge : xs[i] <= edge);
  const px = keep.map((i) => xs[i]), py = keep.map((i) => ys[side][i]);
  if (upper) [px, py].forEach((list, i) => list.unshift([edge, at][i]));
  else [px, py].forEach((list, i) => list.push([edge, at][i]));
  const d = `${path([px[0], ...px, px.at(-1)], [base, ...py, base])}Z`;
  return svg("path", { d, fill: `url(#${page.id(area)})`, "data-area": area });
}

// ---- where the densities cross; the best of these places is white
function crossingsOf({ state: { weighted }, answer }, { x, y, range, threshold, heights }) {
  const inside = (weighted ? answer.weightedcrossings : answer.crossings).filter((t) => t > range[0] && t < range[1]);
  return inside.map((at) => ({ at, x: x(at), y: y(heightAt(threshold, heights.negative, at)), half: 9 }));
}

function diamondAt(page, { state: { weighted }, answer }, { at, x, y }) {
  const words = page.words.page, said = weighted ? words.crossingweighted : words.crossing;
  const best = (weighted ? answer.accuracybest : answer.best).threshold, fill = at === best ? "#ffffff" : "#d0d0d0";
  const title = svg("title", {}, `${said} ${page.numbers.significant(at)}`);
  return svg("path", { d: diamond(x, y, 8, 7), ...pen(INK, 2), fill, "data-crossing": at }, title);
}

export function diamond(x, y, high, wide) {
  return `M${x} ${y - high}l${wide} ${high}l-${wide} ${high}l-${wide} -${high}z`;
}

// ---- the rows of the data
function rowsDrawn({ rows, state }, plan) {
  return rows && state.empirical ? SIDES.flatMap((side, i) => barsAndRug(rows, side, plan, plan.weights[i])) : [];
}

function barsAndRug(rows, side, { x, y, base }, weight) {
  const { colour: stroke } = CLASS[side], bars = rows.histograms[side], low = side === "negative" ? base : base - 5;
  const tops = bars.map(({ height }) => Math.max(0, y(height * weight)));
  const outline = path(bars.flatMap(({ from, to }) => [x(from), x(to)]), tops.flatMap((top) => [top, top]));
  const d = `M${x(bars[0].from)} ${base}${outline.replace("M", "L")}V${base}`;
  const rug = rows[side].map((v) => `M${x(v).toFixed(1)} ${low}v-5`).join("");
  const ground = { fill: stroke, "fill-opacity": 0.08, stroke, "stroke-opacity": 0.7 };
  return [svg("path", { d, ...ground, "data-histogram": side }),
    svg("path", { d: rug, stroke, "stroke-opacity": 0.55, "data-rug": side })];
}
