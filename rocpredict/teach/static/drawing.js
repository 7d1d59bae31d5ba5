// What all pictures are drawn with: elements, pens, scales, axes and handles.
import { clamped } from "./numbers.js";
import { ticks } from "./scene.js";

export const INK = "#222222", QUIET = "#595959", GRID = "#e2e2e2", COUNTED = "#AA4E85", COST = "#007A56";
export const CLASS = {
  negative: { colour: "#0072B2", text: "#00558A", dash: "" },
  positive: { colour: "#D55E00", text: "#9C4500", dash: "9 3" },
};

// ---- elements
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

export const groups = (count) => Array.from({ length: count }, () => svg("g"));

// What has not changed since it was drawn stays.
export function kept(group, key, build) {
  if (!group.key?.every((value, i) => value === key[i])) group.replaceChildren(...build());
  group.key = key;
}

// ---- a picture
export function picture(page, name, label) {
  const named = { role: "group", "aria-label": label, "data-picture": name };
  return svg("svg", { ...named, class: "picture", "font-family": "system-ui, sans-serif" });
}

export function resized(element, width, height) {
  put(element, { viewBox: `0 0 ${width} ${height}`, width, height });
}

export function sizeOf({ lecture }, width) {
  return width < 420 ? (lecture ? 15 : 12) : lecture ? 24 : 13;
}

// ---- scales, lines and words
export function scale([low, high], [from, to]) {
  const far = 9 * (high - low), ends = [low - far, high + far];
  return (value) => from + (clamped(value, ends) - low) / (high - low) * (to - from);
}

// How a line is drawn, and a straight one.
export function pen(stroke, width = 1, dash = "") {
  return { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": dash };
}

export function segment(x1, y1, x2, y2, style, more = {}) {
  return svg("line", { x1, y1, x2, y2, ...style, ...more });
}

export const path = (xs, ys) => xs.map((x, i) => `${i ? "L" : "M"}${x.toFixed(2)} ${ys[i].toFixed(2)}`).join("");

export function line(xs, ys, style, name) {
  return svg("path", { d: path(xs, ys), ...style, "data-curve": name });
}

export function text(x, y, words, size, attributes = {}) {
  return svg("text", { x, y, "font-size": size, fill: INK, "font-family": "inherit", ...attributes }, words);
}

export const middle = (x, y, words, size, more = {}) => text(x, y, words, size, { "text-anchor": "middle", ...more });

export const atEnd = (x, y, words, size) => text(x, y, words, size, { "text-anchor": "end", fill: QUIET });

export function halo(x, y, words, size, attributes = {}) {
  const white = { stroke: "#ffffff", "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" };
  return text(x, y, words, size, { ...white, ...attributes });
}

export function bottomAxis(page, x, [low, high], y, size, width) {
  const { shown } = page.numbers, most = Math.max(2, Math.floor(width / (size * 6)));
  const marks = ticks(low, high, most).flatMap(({ at, digits }) => [
    segment(x(at), y, x(at), y + 5, pen(QUIET)),
    middle(x(at), y + 6 + size, shown(at, digits), size, { fill: QUIET }),
  ]);
  const name = middle((x(low) + x(high)) / 2, y + 12 + 2.1 * size, page.featureName(), size);
  return [...marks, segment(x(low), y, x(high), y, pen(QUIET)), name];
}

// ---- what a finger or a mouse drags, and arrow keys move
export function handle(page, name, label, move) {
  const mark = svg("g", { role: "slider", tabindex: 0, "aria-label": label, class: "handle", "data-handle": name });
  mark.addEventListener("keydown", (event) => page.arrows(event));
  dragged(mark, move);
  return mark;
}

function dragged(element, move) {
  let held = false;
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    held = true;
    element.setPointerCapture(event.pointerId);
    element.focus?.();
    event.preventDefault();
  });
  element.addEventListener("pointermove", (event) => { if (held) move(event); });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => { held = false; });
}

export function spot(element, event) {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
