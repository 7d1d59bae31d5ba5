// Sentences with placeholders: "{best.ameans:3}" becomes the value of that name with three decimals.
import { createHtmlElement, setAttributes } from "./elements.js";
import { parseNumber } from "./model.js";

export const createOutput = (name) => createHtmlElement("output", { "data-name": name, "aria-live": "off" });
export const getByPath = (object, path) => path.split(".").reduce((value, key) => value?.[key], object);

export function createTemplateFiller({ formatFixed }) {
  function updateOutput(output, value, digits = 0) {
    const number = parseNumber(value);
    setAttributes(output, { "data-value": number }).textContent = formatFixed(number, Number(digits));
    return output;
  }

  // A list of strings and output elements.
  function fillTemplate(template, values) {
    return template.split(/(\{[\w.]+(?::\d)?\})/).map((part) => {
      const [, name, digits] = part.match(/^\{([\w.]+):?(\d)?\}$/) ?? [];
      return name ? updateOutput(createOutput(`lesson.${name}`), getByPath(values, name), digits) : part;
    });
  }

  const fillTemplateAsText = (template, values) =>
    fillTemplate(template, values).map((part) => part.textContent ?? part).join("");
  return { updateOutput, fillTemplate, fillTemplateAsText };
}
