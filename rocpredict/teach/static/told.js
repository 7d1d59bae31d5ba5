// Sentences with numbers in them: "{best.ameans:3}" becomes the number of that name, with three decimals.
import { make, put } from "./drawing.js";
import { number } from "./model.js";

export const numeral = (name) => make("output", { "data-name": name, "aria-live": "off" });
export const within = (facts, name) => name.split(".").reduce((held, key) => held?.[key], facts);

export function tellerOf({ shown, written }) {
  function write(output, value, digits = 0) {
    put(output, { "data-value": number(value) }).textContent = shown(number(value), Number(digits));
    return output;
  }

  function told(sentence, facts) {
    return written(sentence).split(/(\{[\w.]+(?::\d)?\})/).map((part) => {
      const [, name, digits] = part.match(/^\{([\w.]+):?(\d)?\}$/) ?? [];
      return name ? write(numeral(`lesson.${name}`), within(facts, name), digits) : part;
    });
  }

  const plainly = (sentence, facts) => told(sentence, facts).map((part) => part.textContent ?? part).join("");
  return { write, told, plainly };
}
