// The readouts next to the plots, and the notes on a state.
import { createHtmlElement, setAttributes } from "./elements.js";
import { findPair, isFitted } from "./model.js";
import { getByPath } from "./templates.js";
import { createTerm } from "./terms.js";

const RATES = ["tpr", "fpr", "tnr", "fnr", "ameans", "precision", "npv", "accuracy"];
// For each group of readouts: the path of each number in the answer, and the method of the formatter.
const READOUTS = {
  here: {
    threshold: "formatThreshold", prevalence: "formatPrevalence",
    ...Object.fromEntries(RATES.map((name) => [`rates.${name}`, "formatRate"])),
    "rates.cost": "formatSignificant", "rates.mcc": "formatFixed",
  },
  prediction: {
    auc: "formatRate", dprime: "formatFixed", std_ratio: "formatSignificant", "best.threshold": "formatThreshold",
    "best.ameans": "formatRate", "accuracybest.threshold": "formatThreshold", "accuracybest.accuracy": "formatRate",
    "costbest.threshold": "formatThreshold", "costbest.cost": "formatSignificant",
  },
  rows: {
    "empirical.auc": "formatRate", "empirical.low": "formatRate", "empirical.high": "formatRate",
    "empirical.tpr": "formatRate", "empirical.fpr": "formatRate", "empirical.ameans": "formatRate",
    "empirical.best.ameans": "formatRate", "empirical.gap.value": "formatFixed",
  },
};

/** Returns the groups of readouts, and the function that updates them. A number that is not in the answer is hidden. */
export function createReadouts(page) {
  const words = page.words.page, readouts = [];
  const elements = Object.entries(READOUTS).map(([group, methods]) => {
    const groupReadouts = Object.entries(methods).map(([path, method]) => createReadout(page, path,
      page.formatter[method] ?? page[method]));
    readouts.push(...groupReadouts);
    const list = createHtmlElement("dl", {}, ...groupReadouts.map(({ element }) => element));
    return createHtmlElement("div", { class: group }, createHtmlElement("h3", {}, words.groups[group]), list);
  });

  function draw() {
    for (const { path, draw: drawReadout } of readouts) {
      drawReadout(selectLabel(path, page), getByPath(path in page.state ? page.state : page.answer, path));
    }
    elements[2].hidden = !page.answer.empirical;
  }
  return { elements, draw };
}

function createReadout(page, path, format) {
  const key = path.split(".").at(-1);
  const name = page.words.terms[key] ? createTerm(page, key, "") : createHtmlElement("span");
  const output = createHtmlElement("output", { "data-name": path }), term = createHtmlElement("dt", {}, name);
  const element = createHtmlElement("div", {}, term, createHtmlElement("dd", {}, output));

  function draw(label, value) {
    const isNumber = typeof value === "number";
    name.textContent = label;
    element.hidden = value === undefined || value === null;
    setAttributes(output, { "data-value": isNumber ? value : "" }).textContent = isNumber ? format(value) : "";
  }
  return { path, element, draw };
}

// The label of the AUC contains the formula for two Gaussians, with the sign of the direction.
function selectLabel(path, page) {
  const { state, answer, words: { page: words } } = page;
  const names = page.getRateNames();
  if (path === "rates.ameans") return `Ameans = (${names.tpr} + ${names.tnr})/2`;
  if (path !== "auc") return words.readouts[path] ?? names[path.split(".")[1]] ?? page.words.terms[path].title;
  if (answer.locked || state.family !== "gaussian") return words.readouts.auc;
  const difference = state.direction === "lower" ? "m₀ − m₁" : "m₁ − m₀";
  return `${words.readouts.auc} = Φ((${difference})/√(s₀² + s₁²))`;
}

// ---- notes
export function listNotes(page) {
  const { state, answer, payload, words: { page: words } } = page, { dips } = answer;
  const facts = findPair(state, payload)?.facts, notes = [selectCrossingNote(page)];
  const { formatRate } = page.formatter, hasVisibleDip = dips && dips[0] > 0.0005 && dips[0] < 0.9995;
  if (hasVisibleDip) notes.push(words.remarks.dips.replace("{name}", page.getRateNames().fpr)
    .replace("{fpr}", formatRate(dips[0])));
  if (answer.locked) notes.push(answer.locked);
  if (facts && state.family === "gaussian") {
    if (!isFitted(state, facts)) notes.push(words.remarks.moved);
    else if (facts.doubt) notes.push(words.remarks.doubt);
  }
  if (facts?.missing) notes.push(words.remarks.missing.replace("{n}", facts.missing));
  return notes.filter(Boolean);
}

// The note is about accuracy if the densities are weighted, else about Ameans.
function selectCrossingNote({ state, answer, words: { page: words }, formatThreshold }) {
  if (answer.auc < 0.5) return "";
  const [low, high] = answer.range, best = answer.best.threshold, accuracy = answer.accuracybest.threshold;
  const visibleCrossings = answer.crossings.filter((t) => t > low && t < high);
  const otherCrossing = visibleCrossings.find((t) => t !== best);
  const fill = (note, values) => note.replaceAll(/\{(\w+)\}/g, (_, name) => formatThreshold(values[name]));
  if (!Number.isFinite(best)) return words.remarks.none;
  const weightedNote = Number.isFinite(accuracy) ? words.remarks.weighted : words.remarks.unweighted;
  if (state.weighted) return fill(weightedNote, { best, accuracy });
  const isGaussian = state.family === "gaussian" && answer.crossings.length === 2;
  if (isGaussian && otherCrossing !== undefined) return fill(words.remarks.two, { best, worst: otherCrossing });
  if (isGaussian || visibleCrossings.length <= 1) return "";
  return fill(words.remarks.many, { best }).replace("#", visibleCrossings.length);
}
