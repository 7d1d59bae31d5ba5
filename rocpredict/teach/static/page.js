// The page: one state, its answer, and the views that follow it.
import { setterOf } from "./asking.js";
import { controlsOf, section, sourceOfPage } from "./controls.js";
import { densityView } from "./densities.js";
import { make } from "./drawing.js";
import { button, handingOf, saveButtons } from "./handing.js";
import { mountLesson } from "./lesson.js";
import { contrastOf } from "./model.js";
import { movingOf } from "./moving.js";
import { numerals } from "./numbers.js";
import { readoutsOf, remarksOf } from "./readouts.js";
import { rocView } from "./roc.js";
import { sceneOf } from "./scene.js";
import { START, hashOf, patchOf } from "./state.js";
import { stripView } from "./strip.js";
import { tableView } from "./table.js";

let mounts = 0;

/** Builds the page inside an element; `ask(state)` gives the answer where Python does the sums. */
export function mount(root, payload, { hash = false, ask = null, suppress = false } = {}) {
  const page = pageOf(payload), acts = movingOf(page, root), keep = hash ? keeperOf(page) : () => {};
  Object.assign(page, { set: setterOf(page, ask, show), arrows: acts.arrows, toPoint: acts.toPoint });
  const drawn = build(root, page, acts, hash);
  page.draw = () => { if (page.answer) draw(root, page, drawn); };
  root.rocpredict = { state: page.state, set: page.set, page, redraws: [], get answer() { return page.answer; } };
  mountLesson(root, page);
  for (const output of root.querySelectorAll("output")) output.setAttribute("aria-live", "off");
  listen(root, page, acts, { hash, suppress });
  root.rocpredict.ready = page.set(hash ? { ...payload.start, ...patchOf(location.hash) } : payload.start);
  return root.rocpredict;

  function show(found, began) {
    page.answer = found;
    page.notice.textContent = "";
    page.draw();
    keep();
    root.rocpredict.redraws.push(performance.now() - began);
    for (const listener of page.listeners) listener(page.state, page.answer);
  }
}

// What the parts of the page know of it, and of each other.
function pageOf(payload) {
  const words = payload.words.page, prefix = `rp${++mounts}`;
  const live = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const page = {
    payload, words: payload.words, numbers: numerals(words.decimal), make, live,
    notice: make("p", { class: "notice", role: "alert" }),
    state: { ...START }, answer: null, frame: {}, curves: [], inputs: {}, listeners: [],
    id: (name) => `${prefix}-${name}`, on: (listener) => page.listeners.push(listener), say: speakerOf(live),
    rateNames: () => words.names[page.state.names], pointWords: () => pointWords(page),
    featureName: () => featureName(page), classNames: () => classNames(page),
    thresholdWords: () => `${words.threshold} ${page.numbers.significant(page.state.threshold)}; ${page.pointWords()}`,
    cloud(curves) {
      page.curves = curves;
      page.draw();
    },
  };
  return page;
}

// ---- words about the state
const cut = (name) => name.length > 40 ? `${name.slice(0, 39)}…` : name;

function featureName({ state, payload, words }) {
  const { name, unit } = contrastOf(state, payload)?.feature ?? { name: words.page.x };
  return unit && unit !== "1" ? `${cut(name)} [${unit}]` : cut(name);
}

function classNames({ state, payload, words: { page: words } }) {
  const contrast = contrastOf(state, payload)?.contrast;
  return contrast ? [cut(contrast.negative), cut(contrast.positive)] : [words.negative, words.positive];
}

function pointWords(page) {
  const { tpr, fpr } = page.rateNames(), { rates } = page.answer, { rateShown } = page.numbers;
  return `${tpr} ${rateShown(rates.tpr)}, ${fpr} ${rateShown(rates.fpr)}, Ameans ${rateShown(rates.ameans)}`;
}

// The last sentence of a burst.
function speakerOf(live) {
  let spoken = 0;
  return (sentence) => {
    clearTimeout(spoken);
    spoken = setTimeout(() => { live.textContent = sentence; }, 300);
  };
}

// ---- building
function build(root, page, acts, hash) {
  const words = page.words.page, readouts = readoutsOf(page), handing = handingOf(page);
  const remarks = make("p", { class: "remarks" });
  const views = { densities: densityView(page), roc: rocView(page), strip: stripView(page), table: tableView(page) };
  const figure = (name) => section(words, name, views[name].element, saveButtons(page, name, views[name].element));
  const strip = figure("strip");
  root.classList.add("rocpredict");
  root.append(
    heading(page, { ...acts, ...handing }, hash), page.notice, page.live, handing.element, section(words, "lesson"),
    sourceOfPage(page, acts), make("div", { class: "pictures" }, figure("densities"), figure("roc")), remarks, strip,
    make("div", { class: "numbers" },
      section(words, "table", make("h3", {}, words.table), views.table.element), controlsOf(page, acts)),
    section(words, "readouts", ...readouts.elements), section(words, "chance"),
    make("p", { class: "keys" }, words.keyhelp),
  );
  return { views, strip, readouts, remarks };
}

function heading(page, { best, sweep, lecture, reset, python, embed }, hash) {
  const words = page.words.page, buttons = { best, sweep, lecture, reset, python, embed, print: () => window.print() };
  const tools = Object.entries(buttons).map(([word, act]) => button(words.buttons[word], act));
  return make("header", {}, make(hash ? "h1" : "h2", {}, page.payload.title || words.title),
    make("p", { class: "lead" }, words.lead), make("div", { class: "tools toolbar" }, ...tools));
}

// ---- drawing
function draw(root, page, { views, strip, readouts, remarks }) {
  const { state, answer } = page, shown = Object.entries(views).filter(([name]) => name !== "strip" || state.strip);
  root.classList.toggle("lecture", state.lecture);
  strip.hidden = !state.strip;
  const widths = Object.fromEntries(shown.map(([name, { element }]) => [name, element.parentNode.clientWidth]));
  const scene = { ...sceneOf(state, answer, page.payload, page.curves), widths };
  for (const [, view] of shown) view.draw(scene);
  readouts.draw();
  for (const input of Object.values(page.inputs)) input.show();
  remarks.textContent = remarksOf(page).join(" ");
}

// ---- listening
function listen(root, page, acts, { hash, suppress }) {
  const later = () => requestAnimationFrame(() => page.draw());
  (hash ? document : root).addEventListener("keydown", acts.shortcuts);
  if (suppress) {
    root.addEventListener("keydown", (event) => event.stopPropagation());
    new MutationObserver(() => silence(root)).observe(root, { childList: true, subtree: true });
  }
  if (window.ResizeObserver) new ResizeObserver(later).observe(root);
  else window.addEventListener("resize", later);
  const addressed = () => page.set({ ...page.payload.start, ...patchOf(location.hash), fresh: true }, START);
  if (hash) window.addEventListener("hashchange", addressed);
}

// A notebook has keys of its own; they rest where the page has the focus.
function silence(root) {
  const focusable = root.querySelectorAll("button,input,select,textarea,[tabindex]");
  for (const element of focusable) element.dataset.lmSuppressShortcuts = "true";
}

// The address follows the state, four times a second at most; a page may be without one of its own.
function keeperOf({ state, payload }) {
  let said = 0;
  return () => {
    clearTimeout(said);
    said = setTimeout(() => {
      try { history.replaceState(null, "", `#${hashOf(state, payload)}`); } catch { /* none of its own */ }
    }, 250);
  };
}
