// What a hand moves: sliders with boxes for exact values, ticks and lists. Each shows the state it is given.
import { make } from "./drawing.js";
import { button } from "./handing.js";
import { clamped } from "./numbers.js";
import { START, datasetOf } from "./state.js";

const STEPS = 2000, FITTED = ["mean0", "std0", "mean1", "std1"];
const ARROWS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const TICKS = ["weighted", "empirical", "strip", "costline", "keys"];

// ---- scales of sliders
const logit = (p) => Math.log(p / (1 - p));
const linear = ([low, high]) => ({
  value: (share) => low + share * (high - low), share: (value) => (value - low) / (high - low),
});
const onLog = ([low, high]) => ({
  value: (share) => low * (high / low) ** share, share: (value) => Math.log(value / low) / Math.log(high / low),
});
const odds = {
  value: (share) => 1 / (1 + Math.exp(-logit(0.999) * (2 * share - 1))),
  share: (p) => (logit(p) / logit(0.999) + 1) / 2,
};

export function section(words, name, ...children) {
  return make("section", { class: name, "aria-label": words[name] ?? words.sections[name] }, ...children);
}

// ---- groups of them
export function sourceOfPage(page, act) {
  const { payload, state, words: { page: words } } = page, data = () => datasetOf(state, payload);
  const named = (pair) => words.against.replace("{positive}", pair.positive).replace("{negative}", pair.negative);
  const families = () => data() && payload.families.map((name) => [name, name]);
  const presets = payload.presets.map(({ key }) => [key, words.presets[key] ?? key]);
  return section(words, "source",
    dropdown(page, "data", () => [["", words.typed], ...payload.datasets.map(({ key, name }) => [key, name])]),
    dropdown(page, "contrast", () => data()?.contrasts.map((contrast, i) => [i, named(contrast)])),
    dropdown(page, "feature", () => data()?.features.map(({ name }, i) => [i, name])),
    payload.families?.length ? dropdown(page, "family", families) : null,
    choose(page, "preset", [["", "…"], ...presets], act.preset),
    dropdown(page, "direction", () => [["higher", words.higher], ["lower", words.lower]]));
}

export function controlsOf(page, act) {
  const words = page.words.page, { state } = page;
  const group = (name, ...parts) => make("fieldset", {}, make("legend", {}, words.groups[name]), ...parts);
  const costs = () => onLog([Math.min(0.01, state.cost), Math.max(100, state.cost)]);
  const fitted = (name) => name.startsWith("mean") ? linear(page.frame.mean) : onLog(page.frame.std);
  const namings = Object.keys(words.names).map((name) => [name, words.namings[name]]);
  return section(words, "controls",
    group("use", slider(page, "threshold", () => linear(page.answer.range)),
      slider(page, "prevalence", () => odds, 100), slider(page, "cost", costs)),
    group("classes", ...FITTED.map((name) => slider(page, name, () => fitted(name))),
      refit(page, act.reset)),
    group("show", ...TICKS.map((name) => tick(page, name)), dropdown(page, "names", () => namings)));
}

function refit(page, reset) {
  const back = button(page.words.page.buttons.fit, reset);
  page.inputs.fit = { show: () => { back.hidden = !datasetOf(page.state, page.payload); } };
  return back;
}

// ---- one of them; a slider writes only what a hand moved it to: a fitted mean keeps its digits
function slider(page, name, scaleOf, times = 1) {
  const { state, numbers, words: { page: words } } = page, label = words.labels[name];
  const range = make("input", { type: "range", min: 0, max: STEPS, step: 1, id: page.id(name) });
  const box = make("input", { type: "number", step: "any", "aria-label": `${label}, ${words.exact}` });
  const said = () => name === "threshold" ? page.thresholdWords() : `${label} ${box.value}; ${page.pointWords()}`;
  const slide = () => page.set({ [name]: scaleOf().value(range.value / STEPS) }).then(() => page.say(said()));
  const taken = () => box.value === "" ? Infinity : Number(box.value) / times;
  const wrong = () => Number(box.value) / times !== state[name] && !!page.notice.textContent;
  range.addEventListener("input", () => { if (page.answer) slide(); });
  range.addEventListener("keydown", (event) => name === "threshold" ? page.arrows(event) : fine(event, range));
  const mark = () => box.setAttribute("aria-invalid", wrong());
  box.addEventListener("change", () => page.set({ [name]: taken() }).then(mark));
  page.inputs[name] = {
    show() {
      range.value = Math.round(clamped(scaleOf().share(state[name]), [0, 1]) * STEPS);
      range.setAttribute("aria-valuetext", numbers.significant(state[name] * times, 5));
      const typing = document.activeElement === box && page.notice.textContent;
      if (!typing) box.value = Number((state[name] * times).toPrecision(7));
      box.removeAttribute("aria-invalid");
      range.disabled = box.disabled = !!page.answer.locked && FITTED.includes(name);
    },
  };
  return make("div", { class: "slider" }, make("label", { for: range.id }, label), range, box);
}

function fine(event, range) {
  const steps = ARROWS[event.key];
  if (!steps) return;
  event.preventDefault();
  range.value = Number(range.value) + steps * (event.shiftKey ? 1 : 10);
  range.dispatchEvent(new Event("input"));
}

function tick(page, name) {
  const box = make("input", { type: "checkbox", id: page.id(name), onchange: () => page.set({ [name]: box.checked }) });
  const line = make("div", { class: "tick" }, box, make("label", { for: box.id }, page.words.page.labels[name]));
  page.inputs[name] = {
    show() {
      box.checked = page.state[name];
      line.hidden = name === "empirical" && !datasetOf(page.state, page.payload);
    },
  };
  return line;
}

const optionsFor = (options) => options.map(([value, label]) => make("option", { value }, label));

function choose(page, name, options, act) {
  const select = make("select", { id: page.id(name), onchange: () => act(select.value) }, ...optionsFor(options));
  return make("div", { class: "choice" }, make("label", { for: select.id }, page.words.page.labels[name]), select);
}

function dropdown(page, name, optionsOf) {
  const kind = typeof START[name] === "number" ? Number : String;
  const choice = choose(page, name, [], (value) => page.set({ [name]: kind(value) })), select = choice.lastChild;
  let held = "";
  page.inputs[name] = {
    show() {
      const options = optionsOf() ?? [], key = JSON.stringify(options);
      choice.hidden = !options.length;
      if (key !== held) select.replaceChildren(...optionsFor(options));
      held = key;
      select.value = page.state[name];
    },
  };
  return choice;
}
