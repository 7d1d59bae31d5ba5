// The parts that all plots share: styles, scales, lines, text, axes and handles.
import { createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { computeTicks } from "./view_model.js";

export const TEXT_COLOR = "#222222", MUTED_COLOR = "#595959", GRID_COLOR = "#e2e2e2";
export const EMPIRICAL_COLOR = "#AA4E85", COST_COLOR = "#007A56";
export const CLASS_STYLES = {
  negative: { color: "#0072B2", textColor: "#00558A", dash: "" },
  positive: { color: "#D55E00", textColor: "#9C4500", dash: "9 3" },
};

// ---- layers
export const createLayers = (count) => Array.from({ length: count }, () => createSvgElement("g"));

// Replaces the content of a layer only if its key has changed.
export function updateLayer(layer, key, createChildren) {
  if (!layer.key?.every((value, i) => value === key[i])) layer.replaceChildren(...createChildren());
  layer.key = key;
}

// ---- plots
export function createPlot(name, label) {
  const attributes = { role: "group", "aria-label": label, "data-picture": name };
  return createSvgElement("svg", { ...attributes, class: "picture", "font-family": "system-ui, sans-serif" });
}

export function resizePlot(element, width, height) {
  setAttributes(element, { viewBox: `0 0 ${width} ${height}`, width, height });
}

export function chooseFontSize({ lecture }, width) {
  return width < 420 ? (lecture ? 15 : 12) : lecture ? 24 : 13;
}

// ---- scales, lines and text
export function createScale([low, high], [start, end]) {
  const margin = 9 * (high - low), bounds = [low - margin, high + margin];
  return (value) => start + (clamp(value, bounds) - low) / (high - low) * (end - start);
}

export function createStroke(stroke, width = 1, dash = "") {
  return { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": dash };
}

export function createLine(x1, y1, x2, y2, stroke, attributes = {}) {
  return createSvgElement("line", { x1, y1, x2, y2, ...stroke, ...attributes });
}

export const toPathData = (xs, ys) =>
  xs.map((x, i) => `${i ? "L" : "M"}${x.toFixed(2)} ${ys[i].toFixed(2)}`).join("");

export const toDiamondPathData = (x, y, height, width) =>
  `M${x} ${y - height}l${width} ${height}l-${width} ${height}l-${width} -${height}z`;

export function createCurve(xs, ys, stroke, name) {
  return createSvgElement("path", { d: toPathData(xs, ys), ...stroke, "data-curve": name });
}

export function createText(x, y, content, fontSize, attributes = {}) {
  const defaults = { "font-size": fontSize, fill: TEXT_COLOR, "font-family": "inherit" };
  return createSvgElement("text", { x, y, ...defaults, ...attributes }, content);
}

export const createCenteredText = (x, y, content, fontSize, attributes = {}) =>
  createText(x, y, content, fontSize, { "text-anchor": "middle", ...attributes });

export const createRightAlignedText = (x, y, content, fontSize) =>
  createText(x, y, content, fontSize, { "text-anchor": "end", fill: MUTED_COLOR });

export function createOutlinedText(x, y, content, fontSize, attributes = {}) {
  const outline = { stroke: "#ffffff", "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" };
  return createText(x, y, content, fontSize, { ...outline, ...attributes });
}

export function createBottomAxis(page, x, [low, high], y, fontSize, width) {
  const { formatFixed } = page.formatter, maxTicks = Math.max(2, Math.floor(width / (fontSize * 6)));
  const ticks = computeTicks(low, high, maxTicks).flatMap(({ value, digits }) => [
    createLine(x(value), y, x(value), y + 5, createStroke(MUTED_COLOR)),
    createCenteredText(x(value), y + 6 + fontSize, formatFixed(value, digits), fontSize, { fill: MUTED_COLOR }),
  ]);
  const center = (x(low) + x(high)) / 2;
  const title = createCenteredText(center, y + 12 + 2.1 * fontSize, page.getFeatureName(), fontSize);
  return [...ticks, createLine(x(low), y, x(high), y, createStroke(MUTED_COLOR)), title];
}

// ---- handles: moved with a pointer or with arrow keys
export function createHandle(page, name, label, onMove) {
  const attributes = { "aria-label": label, class: "handle", "data-handle": name };
  const handle = createSvgElement("g", { role: "slider", tabindex: 0, ...attributes });
  handle.addEventListener("keydown", (event) => page.handleArrowKey(event));
  addDragListeners(handle, onMove);
  return handle;
}

function addDragListeners(element, onMove) {
  let isDragging = false;
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    isDragging = true;
    element.setPointerCapture(event.pointerId);
    element.focus?.();
    event.preventDefault();
  });
  element.addEventListener("pointermove", (event) => { if (isDragging) onMove(event); });
  for (const type of ["pointerup", "pointercancel"]) element.addEventListener(type, () => { isDragging = false; });
}

export function getPointerPosition(element, event) {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
