// The controls of the state: sliders with number boxes, checkboxes and dropdowns. Each has a method that updates it.
import { createButton, createHtmlElement, createSection } from "./elements.js";
import { clamp } from "./format.js";
import { DEFAULT_STATE, findDataset } from "./state.js";

const SLIDER_STEPS = 2000, FITTED_FIELDS = ["mean0", "std0", "mean1", "std1"];
const ARROW_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const CHECKBOX_FIELDS = ["weighted", "empirical", "strip", "costline", "keys"];

// ---- scales of the sliders: from a fraction of the track to a value, and back
const logit = (p) => Math.log(p / (1 - p));
const createLinearScale = ([low, high]) => ({
  toValue: (fraction) => low + fraction * (high - low), toFraction: (value) => (value - low) / (high - low),
});
const createLogScale = ([low, high]) => ({
  toValue: (fraction) => low * (high / low) ** fraction,
  toFraction: (value) => Math.log(value / low) / Math.log(high / low),
});
const LOGIT_SCALE = {
  toValue: (fraction) => 1 / (1 + Math.exp(-logit(0.999) * (2 * fraction - 1))),
  toFraction: (p) => (logit(p) / logit(0.999) + 1) / 2,
};

// ---- groups of controls
export function createSourceSection(page, actions) {
  const { payload, state, words: { page: words } } = page, getDataset = () => findDataset(state, payload);
  const formatPair = ({ negative, positive }) =>
    words.against.replace("{positive}", positive).replace("{negative}", negative);
  const listFamilies = () => getDataset() && payload.families.map((name) => [name, name]);
  const listDatasets = () => [["", words.typed], ...payload.datasets.map(({ key, name }) => [key, name])];
  const presets = payload.presets.map(({ key }) => [key, words.presets[key] ?? key]);
  return createSection(words, "source",
    createDropdown(page, "data", listDatasets),
    createDropdown(page, "pair", () => getDataset()?.pairs.map((pair, i) => [i, formatPair(pair)])),
    createDropdown(page, "feature", () => getDataset()?.features.map(({ name }, i) => [i, name])),
    payload.families?.length ? createDropdown(page, "family", listFamilies) : null,
    createSelect(page, "preset", [["", "…"], ...presets], actions.applyPreset),
    createDropdown(page, "direction", () => [["higher", words.higher], ["lower", words.lower]]));
}

export function createControls(page, actions) {
  const words = page.words.page, { state } = page;
  const createGroup = (name, ...controls) =>
    createHtmlElement("fieldset", {}, createHtmlElement("legend", {}, words.groups[name]), ...controls);
  const createCostScale = () => createLogScale([Math.min(0.01, state.cost), Math.max(100, state.cost)]);
  const createFittedScale = (name) =>
    name.startsWith("mean") ? createLinearScale(page.sliderRanges.mean) : createLogScale(page.sliderRanges.std);
  const fittedSliders = FITTED_FIELDS.map((name) => createSlider(page, name, () => createFittedScale(name)));
  const namings = Object.keys(words.names).map((name) => [name, words.namings[name]]);
  return createSection(words, "controls",
    createGroup("use", createSlider(page, "threshold", () => createLinearScale(page.answer.range)),
      createSlider(page, "prevalence", () => LOGIT_SCALE, 100), createSlider(page, "cost", createCostScale)),
    createGroup("classes", ...fittedSliders, createRefitButton(page, actions.resetState)),
    createGroup("show", ...CHECKBOX_FIELDS.map((name) => createCheckbox(page, name)),
      createDropdown(page, "names", () => namings)));
}

function createRefitButton(page, onclick) {
  const button = createButton(page.words.page.buttons.fit, onclick);
  page.inputs.fit = { update: () => { button.hidden = !findDataset(page.state, page.payload); } };
  return button;
}

// ---- single controls
// A slider changes the state only on input, so that a fitted value keeps its digits.
function createSlider(page, name, createScale, factor = 1) {
  const { state, formatter, words: { page: words } } = page, label = words.labels[name];
  const limits = { min: 0, max: SLIDER_STEPS, step: 1 };
  const range = createHtmlElement("input", { type: "range", ...limits, id: page.createId(name) });
  const box = createHtmlElement("input", { type: "number", step: "any", "aria-label": `${label}, ${words.exact}` });
  const describe = () =>
    name === "threshold" ? page.describeThreshold() : `${label} ${box.value}; ${page.describePoint()}`;
  const applyRange = () => page.set({ [name]: createScale().toValue(range.value / SLIDER_STEPS) })
    .then(() => page.announce(describe()));
  const readBox = () => box.value === "" ? Infinity : Number(box.value) / factor;
  const isInvalid = () => Number(box.value) / factor !== state[name] && !!page.notice.textContent;
  const markInvalid = () => box.setAttribute("aria-invalid", isInvalid());
  range.addEventListener("input", () => { if (page.answer) applyRange(); });
  range.addEventListener("keydown", (event) => {
    if (name === "threshold") page.handleArrowKey(event);
    else moveSlider(event, range);
  });
  box.addEventListener("change", () => page.set({ [name]: readBox() }).then(markInvalid));
  page.inputs[name] = {
    update() {
      range.value = Math.round(clamp(createScale().toFraction(state[name]), [0, 1]) * SLIDER_STEPS);
      range.setAttribute("aria-valuetext", formatter.formatSignificant(state[name] * factor, 5));
      const isBeingEdited = document.activeElement === box && page.notice.textContent;
      if (!isBeingEdited) box.value = Number((state[name] * factor).toPrecision(7));
      box.removeAttribute("aria-invalid");
      range.disabled = box.disabled = !!page.answer.locked && FITTED_FIELDS.includes(name);
    },
  };
  return createHtmlElement("div", { class: "slider" },
    createHtmlElement("label", { for: range.id }, label), range, box);
}

function moveSlider(event, range) {
  const sign = ARROW_STEPS[event.key];
  if (!sign) return;
  event.preventDefault();
  range.value = Number(range.value) + sign * (event.shiftKey ? 1 : 10);
  range.dispatchEvent(new Event("input"));
}

function createCheckbox(page, name) {
  const onchange = () => page.set({ [name]: box.checked });
  const box = createHtmlElement("input", { type: "checkbox", id: page.createId(name), onchange });
  const label = createHtmlElement("label", { for: box.id }, page.words.page.labels[name]);
  const element = createHtmlElement("div", { class: "option" }, box, label);
  page.inputs[name] = {
    update() {
      box.checked = page.state[name];
      element.hidden = name === "empirical" && !findDataset(page.state, page.payload);
    },
  };
  return element;
}

const createOptions = (options) => options.map(([value, label]) => createHtmlElement("option", { value }, label));

function createSelect(page, name, options, onChange) {
  const attributes = { id: page.createId(name), onchange: () => onChange(select.value) };
  const select = createHtmlElement("select", attributes, ...createOptions(options));
  const label = createHtmlElement("label", { for: select.id }, page.words.page.labels[name]);
  return createHtmlElement("div", { class: "select" }, label, select);
}

// A select element for a field of the state. It is hidden while it has no options.
function createDropdown(page, name, listOptions) {
  const parse = typeof DEFAULT_STATE[name] === "number" ? Number : String;
  const element = createSelect(page, name, [], (value) => page.set({ [name]: parse(value) }));
  const select = element.lastChild;
  let optionsKey = "";
  page.inputs[name] = {
    update() {
      const options = listOptions() ?? [], key = JSON.stringify(options);
      element.hidden = !options.length;
      if (key !== optionsKey) select.replaceChildren(...createOptions(options));
      optionsKey = key;
      select.value = page.state[name];
    },
  };
  return element;
}
