// The numbers beside the pictures, and what is to be said of a state.
import { make, put } from "./drawing.js";
import { contrastOf, isFit } from "./model.js";
import { within } from "./told.js";

const RATES = ["tpr", "fpr", "tnr", "fnr", "ameans", "precision", "npv", "accuracy"];
const READOUTS = {
  prediction: {
    auc: "rateShown", dprime: "shown", std_ratio: "significant", "best.threshold": "significant",
    "best.ameans": "rateShown", "accuracybest.threshold": "significant", "accuracybest.accuracy": "rateShown",
    "costbest.threshold": "significant", "costbest.cost": "significant",
  },
  here: {
    threshold: "significant", ...Object.fromEntries(RATES.map((name) => [`rates.${name}`, "rateShown"])),
    "rates.cost": "significant", "rates.mcc": "shown",
  },
  rows: {
    "empirical.auc": "rateShown", "empirical.low": "rateShown", "empirical.high": "rateShown",
    "empirical.tpr": "rateShown", "empirical.fpr": "rateShown", "empirical.ameans": "rateShown",
    "empirical.best.ameans": "rateShown", "empirical.gap.value": "shown",
  },
};

/** The numbers, in groups; one that the answer has not is hidden. */
export function readoutsOf(page) {
  const words = page.words.page, lines = [];
  const elements = Object.entries(READOUTS).map(([group, list]) => {
    const held = Object.entries(list).map(([name, format]) => readout(name, page.numbers[format]));
    lines.push(...held);
    const dl = make("dl", {}, ...held.map(({ element }) => element));
    return make("div", { class: group }, make("h3", {}, words.groups[group]), dl);
  });

  function draw() {
    for (const line of lines) line.draw(labelOf(line.name, page), within(page.answer, line.name));
    elements[2].hidden = !page.answer.empirical;
  }
  return { elements, draw };
}

function readout(name, format) {
  const output = make("output", { "data-name": name }), term = make("dt");
  const element = make("div", {}, term, make("dd", {}, output));

  function draw(label, value) {
    const known = typeof value === "number";
    term.textContent = label;
    element.hidden = value === undefined || value === null;
    put(output, { "data-value": known ? value : "" }).textContent = known ? format(value) : "";
  }
  return { name, element, draw };
}

// The formula of the area is that of two Gaussians, and of positives that lie higher.
function labelOf(name, page) {
  const { state, answer, words: { page: words } } = page;
  if (name !== "auc") return words.readouts[name] ?? page.rateNames()[name.split(".")[1]];
  if (answer.locked || state.family !== "gaussian") return words.readouts.auc;
  const difference = state.direction === "lower" ? "m₀ − m₁" : "m₁ − m₀";
  return `${words.readouts.auc} = Φ((${difference})/√(s₀² + s₁²))`;
}

// ---- sentences
export function remarksOf(page) {
  const { state, answer, payload, words: { page: words } } = page, { dips } = answer;
  const facts = contrastOf(state, payload)?.facts, said = [crossingsSaid(page)];
  const { rateShown } = page.numbers, inside = dips && dips[0] > 0.0005 && dips[0] < 0.9995;
  if (inside) said.push(words.remarks.dips.replace("{fpr}", rateShown(dips[0])));
  if (answer.locked) said.push(answer.locked);
  if (facts && state.family === "gaussian") {
    if (!isFit(state, facts)) said.push(words.remarks.moved);
    else if (facts.doubt) said.push(words.remarks.doubt);
  }
  if (facts?.missing) said.push(words.remarks.missing.replace("{n}", facts.missing));
  return said.filter(Boolean);
}

// Of the crossings that are drawn: those of the weighted densities are about accuracy, the others about Ameans.
function crossingsSaid({ state, answer, words: { page: words }, numbers: { significant } }) {
  const [low, high] = answer.range, best = answer.best.threshold, accuracy = answer.accuracybest.threshold;
  const drawn = answer.crossings.filter((t) => t > low && t < high), other = drawn.find((t) => t !== best);
  const told = (sentence, of) => sentence.replaceAll(/\{(\w+)\}/g, (_, name) => significant(of[name]));
  if (!Number.isFinite(best)) return words.remarks.none;
  const weighted = Number.isFinite(accuracy) ? words.remarks.weighted : words.remarks.unweighted;
  if (state.weighted) return told(weighted, { best, accuracy });
  const gaussian = state.family === "gaussian" && answer.crossings.length === 2;
  if (gaussian && other !== undefined) return told(words.remarks.two, { best, worst: other });
  return !gaussian && drawn.length > 1 ? told(words.remarks.many, { best }).replace("#", drawn.length) : "";
}
