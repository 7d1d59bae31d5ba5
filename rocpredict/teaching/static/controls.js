// The controls of the state: sliders with number boxes, checkboxes and dropdowns. Each has a method that updates it.
import { createButton, createHtmlElement, createOptions, createSection, setAttributes } from "./elements.js";
import { listFamilies } from "./fitted.js";
import { clamp } from "./format.js";
import { listSecondFeatures } from "./overlays.js";
import { DEFAULT_STATE, findDataset } from "./state.js";

const SLIDER_STEPS = 2000, FITTED_FIELDS = ["mean0", "std0", "mean1", "std1"];
const ARROW_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const CHECKBOX_FIELDS = ["weighted", "strip", "costline", "keys"];

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
/** Returns the list of cases. A changed state is a case of its own. */
export function createCaseSelect(page) {
  const { payload, state, words: { page: words } } = page, isSame = (preset, name) => {
    const value = preset[name] ?? DEFAULT_STATE[name];
    return name === "threshold" || value === state[name];
  };
  const options = payload.presets.map(({ key }) => [key, words.presets[key] ?? key]);
  const attributes = { class: "case", "aria-label": words.labels.preset,
    onchange: () => page.applyPreset(select.value) };
  const select = createHtmlElement("select", attributes, ...createOptions([["custom", words.custom], ...options]));
  select.firstChild.hidden = true;
  page.inputs.preset = {
    update() {
      const fields = [...FITTED_FIELDS, "prevalence", "cost", "direction", "data", "weighted"];
      const shown = payload.names ? null : payload.presets.find(
        ({ state: preset }) => fields.every((name) => isSame(preset, name)));
      select.firstChild.textContent = page.getCaseName();
      select.value = shown?.key ?? "custom";
    },
  };
  return select;
}

export function createSourceSection(page) {
  const { payload, state, words: { page: words } } = page, getDataset = () => findDataset(state, payload);
  const formatPair = ({ negative, positive }) =>
    words.against.replace("{positive}", positive).replace("{negative}", negative);
  const listFamilyOptions = () => listFamilies(state, payload).map((name) => [name, name]);
  const listDatasets = () => [["", words.typed], ...payload.datasets.map(({ key, name }) => [key, name])];
  return createSection(words, "source",
    createDropdown(page, "data", listDatasets),
    createDropdown(page, "pair", () => getDataset()?.pairs.map((pair, i) => [i, formatPair(pair)])),
    createDropdown(page, "feature", () => getDataset()?.features.map(({ name }, i) => [i, name])),
    createDropdown(page, "family", listFamilyOptions), createCheckbox(page, "empirical", getDataset),
    createCheckbox(page, "band", () => page.answer.empirical?.band, page.words.overlay.band),
    createDropdown(page, "second", () => listSecondFeatures(page), page.words.overlay.second),
    createButton(words.buttons.data, () => page.showDataDialog()));
}

/** Returns the sliders of both classes and of the prevalence. */
export function createSliders(page) {
  const scales = {
    mean: () => createLinearScale(page.sliderRanges.mean), std: () => createLogScale(page.sliderRanges.std),
  };
  const sliders = FITTED_FIELDS.map((name) => createSlider(page, name, scales[name.slice(0, -1)]));
  return createSection(page.words.page, "sliders", ...sliders,
    createSlider(page, "prevalence", () => LOGIT_SCALE, 100));
}

/** Returns the controls of the view, for the menu. */
export function createViewControls(page) {
  const words = page.words.page, { state } = page;
  const createCostScale = () => createLogScale([Math.min(0.01, state.cost), Math.max(100, state.cost)]);
  return createHtmlElement("div", { class: "controls" },
    ...CHECKBOX_FIELDS.map((name) => createCheckbox(page, name)), createSlider(page, "cost", createCostScale),
    createDropdown(page, "direction", () => [["higher", words.higher], ["lower", words.lower]]),
    createDropdown(page, "names", () => Object.entries(words.namings)),
      createDropdown(page, "theme", () => Object.entries(words.themes)),
    createRefitButton(page, page.resetState));
}

export function createThresholdRow(page) {
  const words = page.words.page, box = createNumberBox(page, "threshold", 1, words.labels.threshold);
  const label = createHtmlElement("label", { for: box.input.id }, words.threshold);
  const bestNote = createHtmlElement("span", { id: page.createId("best-note"), class: "visually-hidden" });
  const best = createButton(words.buttons.best, page.moveToBest, { "aria-describedby": bestNote.id });
  const sweepText = createHtmlElement("span", {}, ` ${words.buttons.sweep}`);
  const sweep = createHtmlElement("button", { type: "button", class: "sweep", "aria-label": words.buttons.sweep,
    onclick: page.toggleSweep },
    "▶", sweepText);
  const undo = createButton("↶", page.undo, { class: "quiet undo", "aria-label": words.buttons.undo });
  page.inputs.threshold = {
    update() {
      box.update();
      const reason = page.findBestObstacle();
      best.disabled = !!reason;
      bestNote.textContent = reason;
      undo.disabled = !page.history.length;
    },
  };
  return createSection(words, "thresholds", label, box.element, best, bestNote, sweep, undo);
}

function createRefitButton(page, onclick) {
  const button = createButton(page.words.page.buttons.fit, onclick);
  page.inputs.fit = { update: () => { button.hidden = !findDataset(page.state, page.payload); } };
  return button;
}

// ---- single controls
// A box for an exact number. A wrong text stays in it, with a message next to it.
function createNumberBox(page, name, factor, label) {
  const { state, formatter, words: { page: words } } = page;
  const message = createHtmlElement("span", { class: "box-error", role: "alert", id: page.createId(`${name}-error`) });
  const attributes = { inputmode: "decimal", autocomplete: "off", "aria-describedby": message.id };
  const input = createHtmlElement("input", {
    type: "text", id: page.createId(`${name}-box`), "aria-label": label, "data-box": name, ...attributes });
  const show = (text) => {
    message.textContent = text;
    setAttributes(input, { "aria-invalid": text ? "true" : null });
  };
  const format = (value) => name === "prevalence" ? formatter.formatPrevalence(value) : page.formatValue(name, value);
  input.addEventListener("change", () => {
    const value = formatter.parseTyped(input.value.replace("%", "")) / factor;
    const error = Number.isFinite(value) ? page.findError({ [name]: value }) : words.wrong.finite;
    show(error);
    if (!error) page.set({ [name]: value });
  });
  return {
    input, element: createHtmlElement("span", { class: "box" }, input, message),
    update() {
      if (document.activeElement === input && message.textContent) return;
      show("");
      input.value = format(state[name]);
    },
  };
}

// A slider changes the state only on input, so that a fitted value keeps its digits.
function createSlider(page, name, createScale, factor = 1) {
  const { state, words: { page: words } } = page, label = words.labels[name];
  const limits = { min: 0, max: SLIDER_STEPS, step: 1 };
  const range = createHtmlElement("input", { type: "range", ...limits, id: page.createId(name), "aria-label": label });
  const box = createNumberBox(page, name, factor, `${label}, ${words.exact}`);
  const classKey = { mean0: "negative", std0: "negative", mean1: "positive", std1: "positive",
    prevalence: "positive" }[name];
  const describe = () => `${range.getAttribute("aria-label")} ${box.input.value}; ${page.describePoint()}`;
  const applyRange = () => page.set({ [name]: createScale().toValue(range.value / SLIDER_STEPS) })
    .then(() => page.announce(describe()));
  range.addEventListener("input", () => { if (page.answer) applyRange(); });
  range.addEventListener("keydown", (event) => moveSlider(event, range));
  range.addEventListener("pointerdown", page.startGesture);
  for (const type of ["pointerup", "pointercancel"]) range.addEventListener(type, page.endGesture);
  page.inputs[name] = {
    update() {
      range.value = Math.round(clamp(createScale().toFraction(state[name]), [0, 1]) * SLIDER_STEPS);
      box.update();
      element.classList.toggle("high", range.value > 0.6 * SLIDER_STEPS);
      range.setAttribute("aria-valuetext", box.input.value);
      const className = page.getClassNames()[classKey === "negative" ? 0 : 1], isStory = page.isStory();
      const ownLabel = `${isPrevalence ? page.words.terms.prevalence.title : shortLabel}: ${className}`;
      const fullLabel = classKey && !isStory ? ownLabel : label;
      range.setAttribute("aria-label", fullLabel);
      box.input.setAttribute("aria-label", `${fullLabel}, ${words.exact}`);
      if (isPrevalence) caption.textContent = isStory ? shortLabel : className;
      element.dataset.label = fullLabel.replace(", %", "");
      range.disabled = box.input.disabled = !!page.answer.locked && FITTED_FIELDS.includes(name);
    },
  };
  const key = classKey ? createHtmlElement("i", { class: `key ${classKey}` }) : null;
  const shortLabel = words.sliders[name] ?? label, isPrevalence = name === "prevalence";
  const caption = createHtmlElement("span", { class: "slider-name" }, shortLabel);
  const className = `slider ${classKey ?? ""} ${name}`;
  const element = createHtmlElement("div", { class: className }, key, caption, box.element, range);
  return element;
}

function moveSlider(event, range) {
  const sign = ARROW_STEPS[event.key];
  if (!sign) return;
  event.preventDefault();
  range.value = Number(range.value) + sign * (event.shiftKey ? 1 : 10);
  range.dispatchEvent(new Event("input"));
}

function createCheckbox(page, name, isShown = () => true, label = page.words.page.labels[name]) {
  const onchange = () => name === "strip" && box.checked ? showMeasures(page, box) : page.set({ [name]: box.checked });
  const box = createHtmlElement("input", { type: "checkbox", id: page.createId(name), onchange });
  const element = createHtmlElement("label", { class: "option" }, box, label);
  page.inputs[name] = {
    update() {
      box.checked = page.state[name];
      element.hidden = !isShown();
    },
  };
  return element;
}

// The plot of the measures is in a panel that the menu can cover.
async function showMeasures(page, box) {
  await page.set({ strip: true, panel: "numbers" });
  const figure = page.root.querySelector("section.strip");
  box.closest("details").open = false;
  figure.closest(".panel-body").focus({ preventScroll: true });
  figure.scrollIntoView({ block: "nearest" });
}

// A select element for a field of the state. It is hidden while it has no options. A value that is not an option is
// shown as the first option.
function createDropdown(page, name, listOptions, text = page.words.page.labels[name]) {
  const parse = typeof DEFAULT_STATE[name] === "number" ? Number : String;
  const attributes = { id: page.createId(name), onchange: () => page.set({ [name]: parse(select.value) }) };
  const select = createHtmlElement("select", attributes);
  const label = createHtmlElement("label", { for: select.id }, text);
  const element = createHtmlElement("div", { class: "select" }, label, select);
  let optionsKey = "";
  page.inputs[name] = {
    update() {
      const options = listOptions() ?? [], key = JSON.stringify(options);
      element.hidden = !options.length;
      if (key !== optionsKey) select.replaceChildren(...createOptions(options));
      optionsKey = key;
      select.value = page.state[name];
      if (select.selectedIndex < 0) select.selectedIndex = 0;
    },
  };
  return element;
}
