// Elements of HTML and SVG.
export function createHtmlElement(tag, attributes = {}, ...children) {
  return initElement(document.createElement(tag), attributes, children);
}

export function createSvgElement(tag, attributes = {}, ...children) {
  return initElement(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function initElement(element, attributes, children) {
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Attributes with names such as "onclick" are event listeners; false, null and undefined remove an attribute.
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

export function createButton(label, onclick, attributes = {}) {
  return createHtmlElement("button", { type: "button", ...attributes, onclick }, label);
}

export function createSection(words, name, ...children) {
  const label = words[name] ?? words.sections[name];
  return createHtmlElement("section", { class: name, "aria-label": label }, ...children);
}

export const createOptions = (options) =>
  options.map(([value, label]) => createHtmlElement("option", { value }, label));
