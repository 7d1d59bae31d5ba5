// The parts that all plots share: styles, scales, lines, text, axes, and the pointer that drags their grips.
import { createHtmlElement, createSvgElement, setAttributes } from "./elements.js";
import { clamp } from "./format.js";
import { computeTicks } from "./view_model.js";

// Colors are variables of the theme. An exported plot has their values.
export const TEXT_COLOR = "var(--ink)", MUTED_COLOR = "var(--ink-2)", CONTROL_COLOR = "var(--control)";
export const GRID_COLOR = "var(--grid)", ACCENT_COLOR = "var(--accent)", PAPER_COLOR = "var(--bg)";
export const CLASS_STYLES = {
  negative: { color: "var(--healthy)", textColor: "var(--healthy-text)", dash: "", cap: "round" },
  positive: { color: "var(--ill)", textColor: "var(--ill-text)", dash: "8 4", cap: "square" },
};
const TOUCH_TOLERANCE = 6;

// ---- layers
export const createLayers = (count) => Array.from({ length: count }, () => createSvgElement("g"));

// Replaces the content of a layer only if its key has changed.
export function updateLayer(layer, key, createChildren) {
  if (!layer.key?.every((value, i) => value === key[i])) layer.replaceChildren(...createChildren());
  layer.key = key;
}

// ---- plots: a box with the plot and the grips above it
export function createPlot(name, label) {
  const attributes = { role: "group", "aria-label": label, "data-picture": name };
  const svg = createSvgElement("svg", { ...attributes, class: "picture", "font-family": "system-ui, sans-serif" });
  return { svg, element: createHtmlElement("div", { class: "plot" }, svg) };
}

export function resizePlot(svg, width, height) {
  setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
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
  const outline = { stroke: PAPER_COLOR, "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" };
  return createText(x, y, content, fontSize, { ...outline, ...attributes });
}

// The ticks of an axis, each with its position.
export function createTickMarks(page, x, [low, high], y, fontSize, width) {
  const { length } = page.formatter.formatStep(low, (high - low) / 4), space = Math.max(3.5, 0.6 * length + 0.5);
  return computeTicks(low, high, Math.max(2, Math.floor(width / fontSize / space))).map(({ value, step }) => {
    const label = page.formatter.formatStep(Math.abs(value) < step / 2 ? 0 : value, step);
    const mark = createLine(x(value), y, x(value), y + 5, createStroke(CONTROL_COLOR));
    const text = createCenteredText(x(value), y + 6 + fontSize, label, fontSize, { fill: MUTED_COLOR });
    return createSvgElement("g", { "data-tick": x(value) }, mark, text);
  });
}

// ---- grips: boxes that a finger can hold. One with a label is a slider of its own.
export function createGrip(page, name, label) {
  const slider = { role: "slider", tabindex: 0, "aria-label": label, "data-handle": name };
  const attributes = { class: "grip", "data-grip": name, ...(label ? slider : { "aria-hidden": "true" }) };
  const grip = createHtmlElement("div", attributes);
  if (label) grip.addEventListener("keydown", (event) => page.handleArrowKey(event));
  return grip;
}

export function moveGrip(grip, x, y) {
  grip.style.left = `${x}px`;
  grip.style.top = `${y}px`;
}

/** Lets a pointer drag the grips of a plot. Without a grip it moves `fallback`, a finger only sideways or by a tap. */
export function addPointerListeners(box, page, fallback, onMove) {
  let drag = null, touch = null;
  const locate = (event) => {
    const { left, top } = box.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const move = ([x, y]) => onMove(drag.name, x + drag.offset[0], y + drag.offset[1]);

  function start(event, name, offset) {
    page.startGesture();
    drag = { name, offset, saved: { ...page.state } };
    touch = null;
    box.setPointerCapture(event.pointerId);
  }

  function end() {
    if (drag) page.endGesture();
    drag = touch = null;
  }
  box.addEventListener("pointerdown", (event) => {
    if (event.button || drag || !page.answer) return;
    const grip = event.target.closest("[data-grip]"), [x, y] = locate(event);
    if (grip) {
      const center = [grip.offsetLeft + grip.offsetWidth / 2, grip.offsetTop + grip.offsetHeight / 2];
      start(event, grip.dataset.grip, [center[0] - x, center[1] - y]);
      grip.focus({ preventScroll: true });
      event.preventDefault();
    } else if (event.pointerType === "touch") touch = [x, y];
    else {
      start(event, fallback, [0, 0]);
      move([x, y]);
    }
  });
  box.addEventListener("pointermove", (event) => {
    const [x, y] = locate(event);
    if (touch && Math.abs(x - touch[0]) > TOUCH_TOLERANCE && Math.abs(x - touch[0]) > Math.abs(y - touch[1])) {
      start(event, fallback, [0, 0]);
    }
    if (drag) move([x, y]);
  });
  box.addEventListener("pointerup", (event) => {
    if (touch) {
      start(event, fallback, [0, 0]);
      move(locate(event));
    }
    end();
  });
  box.addEventListener("pointercancel", () => {
    if (drag) page.set(drag.saved);
    end();
  });
}
