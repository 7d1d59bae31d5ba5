// The page: its state and answer, and the views that are drawn from them.
import { createActions } from "./actions.js";
import { createConfusionTable } from "./confusion_table.js";
import { createControls, createSourceSection } from "./controls.js";
import { createDensityPlot } from "./density_plot.js";
import { createButton, createHtmlElement, createSection } from "./elements.js";
import { createExportPanel, createSaveButtons } from "./export.js";
import { createFormatter } from "./format.js";
import { mountLesson } from "./lesson.js";
import { createMeasuresPlot } from "./measures_plot.js";
import { findPair } from "./model.js";
import { createReadouts, listNotes } from "./readouts.js";
import { createRocPlot } from "./roc_plot.js";
import { DEFAULT_STATE, fromHash, toHash } from "./state.js";
import { createUpdater } from "./update.js";
import { createViewModel } from "./view_model.js";

const MAX_NAME_LENGTH = 40, ANNOUNCEMENT_DELAY_MS = 300, ADDRESS_DELAY_MS = 250;
let mountCount = 0;

/** Builds the page inside an element. `ask(state)` returns the answer of a state if Python computes it. */
export function mount(root, payload, { hash: hasAddress = false, ask: fetchAnswer = null, suppress = false } = {}) {
  const page = createPage(payload), actions = createActions(page, root);
  const updateAddress = hasAddress ? createAddressUpdater(page) : () => {};
  page.set = createUpdater(page, fetchAnswer, render);
  Object.assign(page, { handleArrowKey: actions.handleArrowKey, moveToPoint: actions.moveToPoint });
  const parts = buildPage(root, page, actions, hasAddress);
  page.draw = () => { if (page.answer) drawPage(root, page, parts); };
  root.rocpredict = { state: page.state, set: page.set, page, redraws: [], get answer() { return page.answer; } };
  mountLesson(root, page);
  for (const output of root.querySelectorAll("output")) output.setAttribute("aria-live", "off");
  addListeners(root, page, actions, { hasAddress, suppress });
  root.rocpredict.ready = page.set(hasAddress ? { ...payload.start, ...fromHash(location.hash) } : payload.start);
  return root.rocpredict;

  function render(answer, startTime) {
    page.answer = answer;
    page.notice.textContent = "";
    page.draw();
    updateAddress();
    root.rocpredict.redraws.push(performance.now() - startTime);
    for (const listener of page.listeners) listener(page.state, page.answer);
  }
}

// The object that all parts of the page share.
function createPage(payload) {
  const words = payload.words.page, idPrefix = `rp${++mountCount}`;
  const liveRegion = createHtmlElement("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const page = {
    payload, words: payload.words, formatter: createFormatter(words.decimal), liveRegion,
    notice: createHtmlElement("p", { class: "notice", role: "alert" }),
    state: { ...DEFAULT_STATE }, answer: null, sliderRanges: {}, resampledCurves: [], inputs: {}, listeners: [],
    createId: (name) => `${idPrefix}-${name}`, on: (listener) => page.listeners.push(listener),
    announce: createAnnouncer(liveRegion),
    getRateNames: () => words.names[page.state.names], getFeatureName: () => getFeatureName(page),
    getClassNames: () => getClassNames(page), describePoint: () => describePoint(page),
    describeThreshold: () => describeThreshold(page),
    showResampledCurves(curves) {
      page.resampledCurves = curves;
      page.draw();
    },
  };
  return page;
}

// ---- names and descriptions
const truncateName = (name) => name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;

function getFeatureName({ state, payload, words }) {
  const { name, unit } = findPair(state, payload)?.feature ?? { name: words.page.x };
  return unit && unit !== "1" ? `${truncateName(name)} [${unit}]` : truncateName(name);
}

function getClassNames({ state, payload, words: { page: words } }) {
  const pair = findPair(state, payload)?.pair;
  return pair
    ? [truncateName(pair.negative), truncateName(pair.positive)] : [words.negative, words.positive];
}

function describePoint(page) {
  const { tpr, fpr } = page.getRateNames(), { rates } = page.answer, { formatRate } = page.formatter;
  return `${tpr} ${formatRate(rates.tpr)}, ${fpr} ${formatRate(rates.fpr)}, Ameans ${formatRate(rates.ameans)}`;
}

function describeThreshold(page) {
  const threshold = page.formatter.formatSignificant(page.state.threshold);
  return `${page.words.page.threshold} ${threshold}; ${describePoint(page)}`;
}

// Announces only the last of several sentences in quick succession.
function createAnnouncer(liveRegion) {
  let timer = 0;
  return (sentence) => {
    clearTimeout(timer);
    timer = setTimeout(() => { liveRegion.textContent = sentence; }, ANNOUNCEMENT_DELAY_MS);
  };
}

// ---- building
function buildPage(root, page, actions, hasAddress) {
  const words = page.words.page, readouts = createReadouts(page), exportPanel = createExportPanel(page);
  const notes = createHtmlElement("p", { class: "notes" });
  const views = {
    densities: createDensityPlot(page), roc: createRocPlot(page), strip: createMeasuresPlot(page),
    table: createConfusionTable(page),
  };
  const createFigure = (name) =>
    createSection(words, name, views[name].element, createSaveButtons(page, name, views[name].element));
  const measuresFigure = createFigure("strip"), tableHeading = createHtmlElement("h3", {}, words.table);
  root.classList.add("rocpredict");
  root.append(
    createHeader(page, { ...actions, ...exportPanel }, hasAddress), page.notice, page.liveRegion, exportPanel.element,
    createSection(words, "lesson"), createSourceSection(page, actions),
    createHtmlElement("div", { class: "pictures" }, createFigure("densities"), createFigure("roc")), notes,
    measuresFigure,
    createHtmlElement("div", { class: "panels" },
      createSection(words, "table", tableHeading, views.table.element), createControls(page, actions)),
    createSection(words, "readouts", ...readouts.elements), createSection(words, "chance"),
    createHtmlElement("p", { class: "key-help" }, words.keyhelp),
  );
  return { views, measuresFigure, readouts, notes };
}

function createHeader(page, actions, hasAddress) {
  const words = page.words.page, buttonActions = {
    best: actions.moveToBest, sweep: actions.toggleSweep, lecture: actions.toggleLecture, reset: actions.resetState,
    python: actions.exportPython, embed: actions.exportEmbed, print: () => window.print(),
  };
  const buttons = Object.entries(buttonActions).map(([key, action]) => createButton(words.buttons[key], action));
  return createHtmlElement("header", {},
    createHtmlElement(hasAddress ? "h1" : "h2", {}, page.payload.title || words.title),
    createHtmlElement("p", { class: "lead" }, words.lead),
    createHtmlElement("div", { class: "tools toolbar" }, ...buttons));
}

// ---- drawing
function drawPage(root, page, { views, measuresFigure, readouts, notes }) {
  const { state, answer } = page;
  const visibleViews = Object.entries(views).filter(([name]) => name !== "strip" || state.strip);
  root.classList.toggle("lecture", state.lecture);
  measuresFigure.hidden = !state.strip;
  const widths = Object.fromEntries(visibleViews.map(([name, { element }]) => [name, element.parentNode.clientWidth]));
  const viewModel = { ...createViewModel(state, answer, page.payload, page.resampledCurves), widths };
  for (const [, view] of visibleViews) view.draw(viewModel);
  readouts.draw();
  for (const input of Object.values(page.inputs)) input.update();
  notes.textContent = listNotes(page).join(" ");
}

// ---- listeners
function addListeners(root, page, actions, { hasAddress, suppress }) {
  const requestDraw = () => requestAnimationFrame(() => page.draw());
  (hasAddress ? document : root).addEventListener("keydown", actions.handleShortcut);
  if (suppress) {
    root.addEventListener("keydown", (event) => event.stopPropagation());
    new MutationObserver(() => suppressShortcuts(root)).observe(root, { childList: true, subtree: true });
  }
  if (window.ResizeObserver) new ResizeObserver(requestDraw).observe(root);
  else window.addEventListener("resize", requestDraw);
  const readAddress = () =>
    page.set({ ...page.payload.start, ...fromHash(location.hash), fresh: true }, DEFAULT_STATE);
  if (hasAddress) window.addEventListener("hashchange", readAddress);
}

// Disables the keyboard shortcuts of a notebook while the page has the focus.
function suppressShortcuts(root) {
  const focusableElements = root.querySelectorAll("button,input,select,textarea,[tabindex]");
  for (const element of focusableElements) element.dataset.lmSuppressShortcuts = "true";
}

// Writes the state to the address after a short delay. Some hosts do not allow it.
function createAddressUpdater({ state, payload }) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      try { history.replaceState(null, "", `#${toHash(state, payload)}`); } catch { /* not allowed by the host */ }
    }, ADDRESS_DELAY_MS);
  };
}
