// The page: its state and answer, and the views that are drawn from them.
import { createActions } from "./actions.js";
import { createConfusionTable } from "./confusion_table.js";
import { createSliders, createSourceSection, createThresholdRow } from "./controls.js";
import { showDataDialog } from "./data_dialog.js";
import { createDensityPlot } from "./density_plot.js";
import { computeViewRange, describePoint } from "./description.js";
import { describeThreshold, fillClasses, findBestObstacle, formatThreshold } from "./description.js";
import { formatValue, getCaseName, getClassNames, getFeature, isStory, rememberState } from "./description.js";
import { openDialog } from "./dialog.js";
import { createHtmlElement, createSection } from "./elements.js";
import { createFormatter } from "./format.js";
import { reportHeight } from "./frame.js";
import { mountLesson } from "./lesson.js";
import { createMeasuresPlot } from "./measures_plot.js";
import { createBar, createPanel } from "./panel.js";
import { createQrPlot, getPublicAddress, showQrCode } from "./qr.js";
import { createReadouts } from "./readouts.js";
import { createRocPlot } from "./roc_plot.js";
import { createSentence } from "./sentence.js";
import { DEFAULT_STATE, computeNextState, findValidationError, fromHash, toHash } from "./state.js";
import { createTerms } from "./terms.js";
import { createUpdater } from "./update.js";
import { createViewModel } from "./view_model.js";

const ANNOUNCEMENT_DELAY_MS = 300, ADDRESS_DELAY_MS = 250, POINTER_MS = 2500, NARROW_EM = 37.5;
const TOTAL_DOTS = 1000, NARROW_DOTS = 200;
const getDark = () => matchMedia("(prefers-color-scheme: dark)");
let mountCount = 0;

/** Builds the page inside an element. `ask(state)` returns the answer of a state if Python computes it. */
export function mount(root, payload, { hash: hasAddress = false, ask: fetchAnswer = null, suppress = false } = {}) {
  const page = createPage(payload, root);
  const updateAddress = hasAddress ? createAddressUpdater(page) : () => {};
  page.set = createUpdater(page, fetchAnswer, render);
  page.showQrCode = () => showQrCode(root, page);
  page.showDataDialog = () => showDataDialog(root, page);
  page.showHelp = () => openDialog(root, page, page.words.page.buttons.help,
    createHtmlElement("p", {}, page.words.page.keyhelp));
  Object.assign(page, createActions(page, root));
  const parts = buildPage(root, page, hasAddress);
  page.draw = () => { if (page.answer) drawPage(root, page, parts); };
  root.rocpredict = { state: page.state, set: page.set, page, redraws: [], get answer() { return page.answer; } };
  mountLesson(root, page);
  for (const output of root.querySelectorAll("output")) output.setAttribute("aria-live", "off");
  addListeners(root, page, { hasAddress, suppress });
  const address = hasAddress ? fromHash(location.hash, payload) : { patch: {}, invalid: [] };
  parts.sentence.showInvalid(address.invalid);
  root.rocpredict.ready = page.set({ ...payload.start, ...address.patch });
  reportHeight(root);
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
function createPage(payload, root) {
  const words = payload.words.page, idPrefix = `rp${++mountCount}`;
  const liveRegion = createHtmlElement("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const page = {
    payload, root, words: payload.words, formatter: createFormatter(words.decimal), liveRegion,
    notice: createHtmlElement("p", { class: "notice", role: "alert" }),
    state: { ...DEFAULT_STATE }, answer: null, sliderRanges: {}, resampledCurves: [], inputs: {}, listeners: [],
    history: [], gesture: null, sweep: null, tally: null,
    createId: (name) => `${idPrefix}-${name}`, on: (listener) => page.listeners.push(listener),
    announce: debounce((sentence) => { liveRegion.textContent = sentence; }, ANNOUNCEMENT_DELAY_MS),
    getRateNames: () => words.names[page.state.names], getFeatureName: () => getFeature(page).name,
    getUnit: () => getFeature(page).unit, isStory: () => isStory(page), getCaseName: () => getCaseName(page),
    getClassNames: () => getClassNames(page), fillClasses: (text) => fillClasses(page, text),
    describePoint: () => describePoint(page),
    describeThreshold: () => describeThreshold(page), getRange: () => page.gesture?.range ?? computeViewRange(page),
    getStep: () => 10 ** Math.floor(Math.log10(Math.min(page.state.std0, page.state.std1) / 100) + 1e-9),
    formatThreshold: (value) => formatThreshold(page, value),
      formatValue: (name, value) => formatValue(page, name, value),
    findError: (patch) => findValidationError(computeNextState(page.state, patch, payload), payload),
    findBestObstacle: () => findBestObstacle(page, root), remember: (next) => rememberState(page, next),
    getFontSize: () => parseFloat(getComputedStyle(root.querySelector(".frame")).fontSize),
    startGesture() {
      page.gesture ??= { range: page.getRange(), isNew: true };
    },
    endGesture() {
      if (!page.gesture || page.sweep) return;
      page.gesture = null;
      page.draw();
    },
    showResampledCurves(curves) {
      page.resampledCurves = curves;
      page.draw();
    },
  };
  return page;
}

// Of several calls in quick succession, only the last one has an effect.
function debounce(action, delay) {
  let timer = 0;
  return (argument) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(argument), delay);
  };
}

// ---- building
function buildPage(root, page, hasAddress) {
  const words = page.words.page, readouts = createReadouts(page), terms = createTerms(page);
  page.openTerm = terms.open;
  const views = {
    densities: createDensityPlot(page), roc: createRocPlot(page), strip: createMeasuresPlot(page),
    table: createConfusionTable(page),
  };
  const sentence = createSentence(page), createFigure = (name) =>
    createSection(words, name, views[name].element);
  const measuresFigure = createFigure("strip"), panel = createPanel(page, {
    lesson: [createSection(words, "lesson")],
    numbers: [createSection(words, "readouts", ...readouts.elements), measuresFigure],
    game: [createSection(words, "chance")], data: [createSourceSection(page)],
  }, sentence.messages, terms.card);
  const table = createSection(words, "table", views.table.element);
  root.classList.add("rocpredict");
  const heading = createHtmlElement(hasAddress ? "h1" : "h2", { class: "heading visually-hidden" },
    page.payload.title || words.title);
  root.append(createHtmlElement("div", { class: "frame" }, heading, sentence.element, createFigure("densities"),
    createThresholdRow(page), createFigure("roc"), createSliders(page), table, panel.element,
    createBar(page, views), page.liveRegion, createImprint(page)));
  return { views, measuresFigure, readouts, sentence, panel };
}

// A printed page ends with the version, and the address with its QR code.
function createImprint(page) {
  const imprint = createHtmlElement("div", { class: "imprint" });
  window.addEventListener("beforeprint", () => {
    const address = getPublicAddress(page);
    imprint.replaceChildren(createHtmlElement("p", {}, `rocpredict ${page.payload.version} ${address ?? ""}`),
      address ? createQrPlot(address, "") ?? "" : "");
  });
  return imprint;
}

// ---- drawing
function drawPage(root, page, { views, measuresFigure, readouts, sentence, panel }) {
  const { state, answer } = page, fontSize = page.getFontSize();
  root.classList.toggle("lecture", state.lecture);
  root.dataset.theme = state.theme === "auto" ? (getDark().matches ? "dark" : "light") : state.theme;
  root.toggleAttribute("data-asking", state.step >= 0);
  const isNarrow = root.clientWidth / fontSize < NARROW_EM;
  panel.draw(isNarrow);
  measuresFigure.hidden = !state.strip;
  const viewModel = createViewModel(state, answer, page.payload, page.resampledCurves,
    isNarrow ? NARROW_DOTS : TOTAL_DOTS);
  page.counts = viewModel.counts;
  sentence.draw(viewModel);
  for (const input of Object.values(page.inputs)) input.update();
  for (const [name, view] of Object.entries(views)) if (name !== "strip" || state.strip) view.draw(viewModel);
  readouts.draw();
}

// ---- listeners
function addListeners(root, page, { hasAddress, suppress }) {
  const requestDraw = () => requestAnimationFrame(() => page.draw());
  (hasAddress ? document : root).addEventListener("keydown", page.handleShortcut);
  if (suppress) {
    root.addEventListener("keydown", (event) => event.stopPropagation());
    new MutationObserver(() => suppressShortcuts(root)).observe(root, { childList: true, subtree: true });
  }
  if (window.ResizeObserver) new ResizeObserver(requestDraw).observe(root);
  else window.addEventListener("resize", requestDraw);
  const readAddress = () => {
    const { patch } = fromHash(location.hash, page.payload);
    page.set({ ...page.payload.start, ...patch, fresh: true }, DEFAULT_STATE);
  };
  const stopSweep = (event) => {
    if (event.key !== " " && !event.target.closest(".sweep")) page.stopSweep();
  };
  const forgetPointer = debounce(() => { delete root.dataset.moved; }, POINTER_MS);
  for (const type of ["pointermove", "pointerdown"]) root.addEventListener(type, () => {
    root.dataset.moved = "";
    forgetPointer();
  });
  for (const type of ["pointerdown", "keydown", "wheel"]) root.addEventListener(type, stopSweep, true);
  getDark().addEventListener("change", requestDraw);
  if (hasAddress) window.addEventListener("hashchange", readAddress);
  if (hasAddress) reportHeight(root);
}

// Disables the keyboard shortcuts of a notebook while the page has the focus.
function suppressShortcuts(root) {
  const focusableElements = root.querySelectorAll("button,input,select,textarea,[tabindex]");
  for (const element of focusableElements) element.dataset.lmSuppressShortcuts = "true";
}

// Writes the state to the address after a short delay. Some hosts do not allow it.
const createAddressUpdater = ({ state, payload }) => debounce(() => {
  try { history.replaceState(null, "", `#${toHash(state, payload)}`); } catch { /* not allowed by the host */ }
}, ADDRESS_DELAY_MS);
