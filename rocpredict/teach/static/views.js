// Pictures of an answer: SVG and tables. Nothing is computed here but places on the screen.
import { ticks } from "./model.js";

const INK = "#222222", QUIET = "#595959", GRID = "#e2e2e2";
const CLASS = {
  negative: { colour: "#0072B2", text: "#00558A", dash: "" },
  positive: { colour: "#D55E00", text: "#9C4500", dash: "9 3" },
};
const AREAS = [["tn", "negative", 0], ["fp", "negative", 1], ["fn", "positive", 0], ["tp", "positive", 1]];

export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  put(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function put(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

// ---- numbers as text
export function shown(value, digits = 3) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  return value.toFixed(digits).replace("-", "−");
}

export function significant(value, digits = 4) {
  if (!Number.isFinite(value) || value === 0) return shown(value, 0);
  const size = Math.floor(Math.log10(Math.abs(value)));
  return size < -4 || size > 6 ? value.toExponential(digits - 1).replaceAll("-", "−") : shown(value, Math.max(0, digits - 1 - size));
}

export function rateShown(value) {
  return value > 0 && value < 0.0005 ? "<0.001" : value < 1 && value >= 0.9995 ? ">0.999" : shown(value);
}

// ---- scales and paths
function scale([low, high], [from, to]) {
  return (value) => from + (Math.min(Math.max(value, low - 9 * (high - low)), high + 9 * (high - low)) - low) / (high - low) * (to - from);
}

// How a line is drawn, and a straight one.
function pen(stroke, width = 1, dash = "") {
  return { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": dash };
}

function segment(x1, y1, x2, y2, style, more = {}) {
  return svg("line", { x1, y1, x2, y2, ...style, ...more });
}

const path = (xs, ys) => xs.map((x, i) => `${i ? "L" : "M"}${x.toFixed(2)} ${ys[i].toFixed(2)}`).join("");

function text(x, y, words, size, attributes = {}) {
  return svg("text", { x, y, "font-size": size, fill: INK, "font-family": "inherit", ...attributes }, words);
}

function halo(x, y, words, size, attributes = {}) {
  return text(x, y, words, size, { stroke: "#ffffff", "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round", ...attributes });
}

function picture(page, name, label) {
  return svg("svg", { role: "group", "aria-label": label, "font-family": "system-ui, sans-serif", class: "picture", "data-picture": name });
}

function resized(element, width, height) {
  put(element, { viewBox: `0 0 ${width} ${height}`, width, height });
}

// What has not changed since it was drawn stays.
function kept(group, key, build) {
  if (!group.key?.every((value, i) => value === key[i])) group.replaceChildren(...build());
  group.key = key;
}

const groups = (count) => Array.from({ length: count }, () => svg("g"));
const sizeOf = (state, width) => width < 420 ? (state.lecture ? 15 : 12) : state.lecture ? 24 : 13;

function bottomAxis(x, [low, high], y, size, name, width) {
  const marks = ticks(low, high, Math.max(2, Math.floor(width / (size * 6)))).flatMap(({ at, text: words }) => [
    segment(x(at), y, x(at), y + 5, pen(QUIET)), text(x(at), y + 6 + size, words, size, { "text-anchor": "middle", fill: QUIET })]);
  return [...marks, segment(x(low), y, x(high), y, pen(QUIET)), text((x(low) + x(high)) / 2, y + 12 + 2.1 * size, name, size, { "text-anchor": "middle" })];
}

// What a finger or a mouse drags, and arrow keys move.
function handle(page, name, label, move) {
  const mark = svg("g", { role: "slider", tabindex: 0, "aria-label": label, class: "handle", "data-handle": name });
  mark.addEventListener("keydown", page.arrows);
  dragged(mark, move);
  return mark;
}

function dragged(element, move) {
  let held = false;
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    held = true;
    element.setPointerCapture(event.pointerId);
    if (element.focus) element.focus();
    event.preventDefault();
  });
  element.addEventListener("pointermove", (event) => { if (held) move(event); });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => { held = false; });
}

const spot = (element, event) => {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

// ---- both densities
export function densityView(page) {
  const words = page.words.page, element = picture(page, "densities", words.densities);
  const [back, layer, lines, marks] = groups(4), patterns = svg("defs"), pad = { left: 10, right: 10 };
  let from = () => 0, width = 600, ends = [0, 1];
  const toThreshold = (event) => page.set({ threshold: clamped(from(spot(element, event)[0]), ends) });
  const line = handle(page, "threshold", words.threshold, toThreshold);
  const stroke = svg("line", pen(INK, 2.5)), knob = svg("path", { fill: INK });
  const reach = svg("rect", { fill: "transparent", width: 32 });
  line.append(reach, stroke, knob);
  for (const [area, side, called] of AREAS) patterns.append(hatch(page.id(area), side, called, (side === "positive") === !!called));
  element.append(patterns, back, layer, lines, marks, line);
  element.addEventListener("click", (event) => { if (!line.contains(event.target)) toThreshold(event); });

  function draw({ state, answer, rows, widths }) {
    width = Math.max(280, widths.densities);
    const size = sizeOf(state, width), top = 2.6 * size, bottom = 3.4 * size, height = Math.round(Math.min(570, Math.max(250, 0.7 * width))), base = height - bottom;
    resized(element, width, height);
    const x = scale(answer.range, [pad.left, width - pad.right]), weights = state.weighted ? [1 - state.prevalence, state.prevalence] : [1, 1];
    ends = answer.range;
    from = (pixel) => answer.range[0] + (pixel - pad.left) / (width - pad.left - pad.right) * (answer.range[1] - answer.range[0]);
    const { threshold, negative, positive } = answer.curve, peak = Math.max(...negative.map((v) => v * weights[0]), ...positive.map((v) => v * weights[1]));
    const y = scale([0, peak * 1.08], [base, top]), xs = threshold.map(x), key = [answer.curve, ...weights, width, size, page.featureName(), ...page.classNames()];
    const heights = { negative: negative.map((v) => v * weights[0]), positive: positive.map((v) => v * weights[1]) };
    kept(back, [rows, state.empirical, ...key], () => rows && state.empirical ? ["negative", "positive"].flatMap((side, i) => drawRows(rows, side, x, y, weights[i], base)) : []);
    layer.replaceChildren(...AREAS.map(([area, side, called]) => areaOf(page, area, side, !!called, { state, answer, xs, heights: heights[side].map(y), x, base })));
    kept(lines, key, () => [
      ...["negative", "positive"].map((side) => svg("path", { d: path(xs, heights[side].map(y)), ...pen(CLASS[side].colour, 2.5, CLASS[side].dash), "data-line": side })),
      ...bottomAxis(x, answer.range, base, size, page.featureName(), width), ...nameClasses(page, size, width),
    ]);
    const crossings = (state.weighted ? answer.weightedcrossings : answer.crossings).filter((t) => t > answer.range[0] && t < answer.range[1]);
    marks.replaceChildren(...crossings.map((t) => diamond(x(t), y(heightAt(threshold, heights.negative, t)), page, t, state.weighted ? answer.accuracybest : answer.best)));
    nameAreas(marks, page, { state, answer, x, threshold, heights, size, width, top, base });
    const at = x(state.threshold), inside = Math.min(Math.max(at, pad.left), width - pad.right);
    put(stroke, { x1: inside, x2: inside, y1: top - 4, y2: base });
    put(knob, { d: `M${inside - 8} ${top - 14}h16l-8 12z` });
    put(reach, { x: inside - 16, y: top - 18, height: base - top + 18 });
    put(line, { "aria-valuemin": answer.range[0], "aria-valuemax": answer.range[1], "aria-valuenow": clamped(state.threshold, answer.range), "aria-valuetext": page.thresholdWords() });
  }
  return { element, draw };
}

const clamped = (value, [low, high]) => Math.min(Math.max(value, low), high);

function hatch(id, side, called, right) {
  const gap = right ? 9 : 5, turn = side === "negative" ? -45 : 45, { colour } = CLASS[side];
  return svg("pattern", { id, width: gap, height: gap, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turn})` },
    svg("rect", { width: gap, height: gap, fill: colour, "fill-opacity": right ? 0.1 : 0.26 }), segment(0, 0, 0, gap, pen(colour, right ? 1 : 2), { "stroke-opacity": 0.6 }));
}

function heightAt(xs, ys, at) {
  const i = Math.max(1, xs.findIndex((x) => x >= at)), share = (at - xs[i - 1]) / (xs[i] - xs[i - 1] || 1);
  return ys[i - 1] + Math.min(1, Math.max(0, share)) * (ys[i] - ys[i - 1]);
}

function areaOf(page, area, side, called, { state, answer, xs, heights, x, base }) {
  const upper = called === (state.direction !== "lower"), edge = x(clamped(state.threshold, answer.range));
  const keep = xs.map((_, i) => i).filter((i) => upper ? xs[i] >= edge : xs[i] <= edge), at = heightAt(xs, heights, edge);
  const px = keep.map((i) => xs[i]), py = keep.map((i) => heights[i]);
  if (upper) { px.unshift(edge); py.unshift(at); } else { px.push(edge); py.push(at); }
  return svg("path", { d: `${path([px[0], ...px, px.at(-1)], [base, ...py, base])}Z`, fill: `url(#${page.id(area)})`, "data-area": area });
}

function nameAreas(layer, page, { state, answer, x, threshold, heights, size, width, top, base }) {
  const lower = state.direction === "lower", edge = x(clamped(state.threshold, answer.range)), placed = [];
  for (const [area, side, called] of AREAS) {
    const rate = answer.rates[{ tn: "tnr", fp: "fpr", fn: "fnr", tp: "tpr" }[area]];
    if (!(rate > 0.0005)) continue;
    const upper = !!called !== lower, words = `${page.words.page.areas[area]} ${rateShown(rate)}`, half = words.length * size * 0.31;
    const centre = weightedMiddle(threshold, heights[side], state.threshold, upper);
    const px = upper ? Math.max(x(centre), edge + half + 6) : Math.min(x(centre), edge - half - 6), right = (side === "positive") === !!called;
    const lane = right ? 0.42 : 0.14, py = base - (base - top) * lane - (side === "positive" ? 0 : size * 0.2);
    const place = { x: Math.min(Math.max(px, half + 4), width - half - 4), y: py, half };
    while (placed.some((other) => Math.abs(other.y - place.y) < size * 1.25 && Math.abs(other.x - place.x) < other.half + place.half)) place.y -= size * 1.3;
    placed.push(place);
    layer.append(halo(place.x, place.y, words, size, { "text-anchor": "middle", "font-weight": 700, fill: CLASS[side].text, "data-label": area }));
  }
}

function weightedMiddle(xs, ys, edge, upper) {
  let mass = 0, moment = 0;
  for (let i = 1; i < xs.length; i++) {
    const middle = (xs[i] + xs[i - 1]) / 2, weight = (ys[i] + ys[i - 1]) * (xs[i] - xs[i - 1]);
    if (upper === middle > edge) { mass += weight; moment += weight * middle; }
  }
  return mass ? moment / mass : edge;
}

function nameClasses(page, size, width) {
  return ["negative", "positive"].flatMap((side, i) => {
    const left = !i, at = left ? 10 : width - 10, end = left ? at : at - 34, { colour, dash, text: fill } = CLASS[side];
    return [segment(end, size - 4, end + 34, size - 4, pen(colour, 3, dash)),
      halo(left ? at + 40 : at - 40, size, page.classNames()[i], size, { "text-anchor": left ? "start" : "end", fill, "font-weight": 600 })];
  });
}

function diamond(x, y, page, at, best) {
  return svg("path", { d: `M${x} ${y - 8}l7 8l-7 8l-7 -8z`, ...pen(INK, 2), fill: at === best.threshold ? "#ffffff" : "#d0d0d0", "data-crossing": at },
    svg("title", {}, `${page.words.page.crossing} ${significant(at)}`));
}

function drawRows(rows, side, x, y, weight, base) {
  const { colour } = CLASS[side], bars = rows.histograms[side], top = ({ height }) => Math.max(0, y(height * weight));
  const outline = path(bars.flatMap(({ from, to }) => [x(from), x(to)]), bars.flatMap((bar) => [top(bar), top(bar)]));
  const rug = rows[side].map((v) => `M${x(v).toFixed(1)} ${side === "negative" ? base : base - 5}v-5`).join("");
  return [svg("path", { d: `M${x(bars[0].from)} ${base}${outline.replace("M", "L")}V${base}`, fill: colour, "fill-opacity": 0.08, stroke: colour, "stroke-opacity": 0.7, "data-histogram": side }),
    svg("path", { d: rug, stroke: colour, "stroke-opacity": 0.55, "data-rug": side })];
}

// ---- the ROC curve
export function rocView(page) {
  const words = page.words.page, element = picture(page, "roc", words.roc), [back, curves, layer] = groups(3);
  let place = () => [0, 0];
  const toPoint = (event) => page.toPoint(...place(spot(element, event)));
  const point = handle(page, "point", words.point, toPoint), reach = svg("circle", { r: 18, fill: "transparent" });
  const mark = svg("circle", { r: 8, ...pen(INK, 3.5), fill: "#ffffff" });
  point.append(reach, mark);
  element.append(back, curves, layer, point);
  element.addEventListener("click", (event) => { if (!point.contains(event.target)) toPoint(event); });

  function draw({ state, answer, cloud, gap, widths }) {
    const width = Math.max(260, widths.roc), size = sizeOf(state, width), left = 3.6 * size, bottom = 3.4 * size;
    const side = Math.min(width - left - 1.2 * size, state.lecture ? 620 : 520), height = side + bottom + 12, names = page.rateNames();
    resized(element, width, height);
    const x = scale([0, 1], [left, left + side]), y = scale([0, 1], [12 + side, 12]);
    place = ([px, py]) => [(px - left) / side, 1 - (py - 12) / side];
    const { fpr, tpr } = answer.curve, ends = state.direction === "lower" ? [0, 1] : [1, 0], points = state.empirical && answer.empirical?.points;
    kept(back, [side, size, names], () => square(x, y, side, size, names));
    kept(curves, [answer.curve, cloud, points, side, size], () => [
      ...cloud.map((drawn) => svg("path", { d: path(drawn.fpr.map(x), drawn.tpr.map(y)), ...pen("#7A6000"), "stroke-opacity": 0.35, "data-curve": "draw" })),
      ...(points ? [svg("path", { d: path(points.fpr.map(x), points.tpr.map(y)), ...pen("#AA4E85", 1.8, "4 2"), "data-curve": "empirical" })] : []),
      svg("path", { d: path([ends[0], ...fpr, ends[1]].map(x), [ends[0], ...tpr, ends[1]].map(y)), ...pen("#000000", 3), "data-curve": "predicted" }),
    ]);
    layer.replaceChildren();
    if (state.costline) costLine(layer, answer.costbest, x, y, size, words);
    bestMark(layer, answer.best, x, y, size, words);
    if (gap && state.empirical) gapMark(layer, gap, x, y);
    if (answer.empirical && state.empirical) layer.append(svg("circle", { cx: x(answer.empirical.fpr), cy: y(answer.empirical.tpr), r: 5, fill: "#AA4E85", stroke: "#ffffff", "data-mark": "empirical" }));
    legend(layer, page, { state, answer, x, y, size, cloud });
    for (const circle of [reach, mark]) put(circle, { cx: x(answer.rates.fpr), cy: y(answer.rates.tpr) });
    put(point, { "aria-valuemin": 0, "aria-valuemax": 1, "aria-valuenow": answer.rates.fpr, "aria-valuetext": page.pointWords() });
  }
  return { element, draw };
}

function square(x, y, side, size, names) {
  const parts = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((at) => [
    segment(x(at), y(0), x(at), y(1), pen(GRID)), segment(x(0), y(at), x(1), y(at), pen(GRID)),
    text(x(at), y(0) + 4 + size, shown(at, 1), size, { "text-anchor": "middle", fill: QUIET }), text(x(0) - 6, y(at) + size / 3, shown(at, 1), size, { "text-anchor": "end", fill: QUIET }),
  ]);
  parts.push(segment(x(0), y(0), x(1), y(1), pen(QUIET, 1, "2 4"), { "data-curve": "chance" }));
  parts.push(text(x(0.5), y(0) + 8 + 2.1 * size, names.fpr, size, { "text-anchor": "middle" }));
  parts.push(text(size, y(0.5), names.tpr, size, { "text-anchor": "middle", transform: `rotate(-90 ${size} ${y(0.5)})` }));
  return parts;
}

function costLine(layer, { fpr, tpr, slope }, x, y, size, words) {
  const ends = [0, 1].map((at) => [at, tpr + slope * (at - fpr)]), cut = ([at, height]) => height < 0 ? [fpr - tpr / slope, 0] : height > 1 ? [fpr + (1 - tpr) / slope, 1] : [at, height];
  const [a, b] = ends.map(cut);
  layer.append(segment(x(a[0]), y(a[1]), x(b[0]), y(b[1]), pen("#007A56", 2, "8 4"), { "data-curve": "cost" }));
  layer.append(svg("rect", { x: x(fpr) - 6, y: y(tpr) - 6, width: 12, height: 12, ...pen("#007A56", 3), fill: "#ffffff", "data-mark": "cost" }, svg("title", {}, words.costbest)));
}

function bestMark(layer, { fpr, tpr }, x, y, size, words) {
  const cx = x(fpr), cy = y(tpr);
  layer.append(svg("path", { d: `M${cx} ${cy - 9}l8 9l-8 9l-8 -9z`, ...pen(INK, 2), fill: "#ffffff", "data-mark": "best" }, svg("title", {}, words.best)));
  layer.append(halo(cx + 14, cy + size + 4, words.bestshort, size, { "data-mark": "best" }));
}

function gapMark(layer, gap, x, y) {
  layer.append(put(segment(x(gap.fpr), y(gap.from), x(gap.fpr), y(gap.to), pen("#AA4E85", 3)), { "data-mark": "gap" }));
}

function legend(layer, page, { state, answer, x, y, size, cloud }) {
  const words = page.words.page, lines = [["#000000", "", 3, `${words.predicted}, AUC ${rateShown(answer.auc)}`]];
  if (answer.empirical && state.empirical) lines.push(["#AA4E85", "4 2", 1.8, `${words.counted}, AUC ${rateShown(answer.empirical.auc)}`]);
  if (state.costline) lines.push(["#007A56", "8 4", 2, words.costline]);
  if (cloud.length) lines.push(["#7A6000", "", 1, words.redraws]);
  const above = answer.auc < 0.5, start = above ? y(1) + 1.4 * size : y(0) - (lines.length - 0.4) * 1.5 * size;
  lines.forEach(([stroke, dash, width, label], i) => {
    const at = start + i * 1.5 * size, end = above ? x(0) + 8 : x(1) - 8;
    layer.append(segment(above ? end : end - 30, at - size / 3, above ? end + 30 : end, at - size / 3, pen(stroke, width, dash)));
    layer.append(halo(above ? end + 36 : end - 36, at, label, size, { "text-anchor": above ? "start" : "end" }));
  });
}

// ---- measures against the threshold
const MEASURES = [["ameans", "#000000", "", 3], ["tpr", "#D55E00", "9 3", 2], ["tnr", "#0072B2", "", 2], ["precision", "#8A3A6B", "2 3", 2]];
export function stripView(page) {
  const element = picture(page, "strip", page.words.page.strip), [layer] = groups(1), line = svg("line", pen(INK, 2));
  element.append(layer, line);

  function draw({ state, answer, along, widths }) {
    const width = Math.max(280, widths.strip), size = sizeOf(state, width), left = 2.6 * size, top = 1.6 * size, height = 210 + 2 * size, base = height - 3.4 * size;
    resized(element, width, height);
    const x = scale(answer.range, [left, width - 10]), y = scale([0, 1], [base, top]), names = page.rateNames();
    kept(layer, [answer.curve, state.prevalence, width, size, names, page.featureName()], () => [
      ...[0, 0.5, 1].flatMap((at) => [segment(left, y(at), width - 10, y(at), pen(GRID)), text(left - 5, y(at) + size / 3, shown(at, 1), size, { "text-anchor": "end", fill: QUIET })]),
      ...bottomAxis(x, answer.range, base, size, page.featureName(), width),
      ...MEASURES.flatMap(([name, stroke, dash, thick], i) => {
        const known = along[name].map((v, k) => [v, k]).filter(([v]) => !Number.isNaN(v)), start = left + i * (width - left - 10) / 4;
        return [svg("path", { d: path(known.map(([, k]) => x(answer.curve.threshold[k])), known.map(([v]) => y(v))), ...pen(stroke, thick, dash), "data-curve": name }),
          segment(start, size - 4, start + 22, size - 4, pen(stroke, thick, dash)), text(start + 27, size, names[name] ?? page.words.page.rates[name], size)];
      }),
    ]);
    const at = x(clamped(state.threshold, answer.range));
    put(line, { x1: at, x2: at, y1: top, y2: base });
  }
  return { element, draw };
}

// ---- the two by two table, in people instead of rates
export function tableView(page) {
  const words = page.words.page, cell = (name) => make("output", { "data-name": name, "data-value": "" });
  const cells = Object.fromEntries(["tp", "fp", "fn", "tn", "called", "uncalled", "positives", "negatives", "total"].map((name) => [name, cell(name)]));
  const caption = make("caption"), head = (words, scope = "col") => make("th", { scope }, words);
  const heads = { positive: head(""), negative: head("") };
  const row = (name, ...names) => make("tr", {}, head(name, "row"), ...names.map((key) => make("td", { class: key }, ["tp", "fp", "fn", "tn"].includes(key) ? make("span", { class: "tag" }, words.areas[key]) : null, cells[key])));
  const element = make("table", { class: "counts" }, caption, make("thead", {}, make("tr", {}, make("td"), heads.positive, heads.negative, head(words.sum))),
    make("tbody", {}, row(words.called, "tp", "fp", "called"), row(words.uncalled, "fn", "tn", "uncalled"), row(words.sum, "positives", "negatives", "total")));

  function draw({ counts }) {
    const all = { ...counts, called: counts.tp + counts.fp, uncalled: counts.fn + counts.tn };
    for (const [name, output] of Object.entries(cells)) output.textContent = put(output, { "data-value": all[name] }).dataset.value;
    caption.textContent = words.of.replace("{total}", counts.total);
    [heads.negative.textContent, heads.positive.textContent] = page.classNames();
  }
  return { element, draw };
}
