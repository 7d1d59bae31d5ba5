// The lesson: one question a step. A step is revealed after a prediction and an action on the stage.
import { createButton, createHtmlElement, setAttributes } from "./elements.js";
import { computeLessonFacts, createPopulation, simulateCurves } from "./sampling.js";
import { mountSamplingPanel } from "./sampling_panel.js";
import { createTemplateFiller, getByPath } from "./templates.js";

const COMMON_START = {
  family: "gaussian", cost: 1, weighted: false, costline: false, strip: false, empirical: true,
  draws: 0, fresh: true, threshold: NaN,
};
const CASE_START = {
  ...COMMON_START, data: "", direction: "higher", mean0: 4, std0: 3, mean1: 8, std1: 2, prevalence: 0.1,
};
const IRIS_START = {
  ...COMMON_START, data: "iris", pairLabels: ["versicolor", "virginica"], featureName: "petal_length",
};
const PIMA_START = { ...COMMON_START, data: "pima", pairLabels: ["neg", "pos"], featureName: "insulin" };
const MAX_SWEEP_START = 0.02, MIN_SWEEP_END = 0.98, MAIN_STEPS = 6;

// `isDone` tells whether the reader has acted; `act` does it for a lecturer; `reveal` may change the state.
const STEPS = [
  { key: "alarm", start: { ...CASE_START, threshold: 10 }, isDone: ({ state }) => state.threshold !== 10 },
  {
    key: "crossing", start: { ...CASE_START, threshold: 2 }, isDone: ({ state }) => state.threshold !== 2,
    reveal: (page) => page.set({ threshold: NaN }),
  },
  {
    key: "curve", start: { ...CASE_START, threshold: 17.9 }, act: (page) => page.toggleSweep(),
    isDone: (_, { low, high }) => low < MAX_SWEEP_START && high > MIN_SWEEP_END,
  },
  {
    key: "auc", start: CASE_START, isDone: ({ tally }) => tally?.played >= 100,
    act: (page, playPairs) => { playPairs(100); }, finish: ({ tally }) => tally,
  },
  {
    key: "rare", start: CASE_START, isDone: ({ state }) => state.prevalence <= 0.0105,
    act: (page) => page.set({ prevalence: 0.01 }),
  },
  {
    key: "widths", start: CASE_START, isDone: ({ state }) => Math.abs(state.mean0 - state.mean1) < 0.1,
    act: (page) => page.set({ mean0: 8 }),
  },
  { key: "cost", start: { ...CASE_START, prevalence: 0.5, costline: true }, reveal: reduceCost },
  { key: "iris", start: { ...IRIS_START, empirical: false }, reveal: (page) => page.set({ empirical: true }) },
  { key: "pima", start: PIMA_START },
  { key: "sample", start: { ...CASE_START, n: 10, draws: 30, seed: 12 }, reveal: enlargeSamples },
];

const getFacts = ({ state, answer, payload }) => computeLessonFacts(state, answer, payload);
const simulateSamples = ({ state, answer, payload }) => simulateCurves(createPopulation(state, answer, payload), state);

async function reduceCost(page) {
  await page.set({ cost: 0.1 });
  await page.set({ threshold: page.answer.costbest.threshold });
}

async function enlargeSamples(page) {
  const few = simulateSamples(page);
  await page.set({ n: 200 });
  const many = simulateSamples(page);
  return { few, many, ratio: few.sd / many.sd };
}

// Fills the panels of the lesson and of the samples, and updates them with the page.
export function mountLesson(root, page) {
  const playPairs = mountSamplingPanel(root.querySelector(".chance"), page), panel = root.querySelector(".lesson");
  page.lesson = { forward() {}, backward() {}, choose() {}, refresh() {} };
  panel.hidden = !page.payload.lesson;
  if (!panel.hidden) mountSteps(root, panel, page, playPairs);
}

function mountSteps(root, panel, page, playPairs) {
  const { fillTemplate, fillTemplateAsText, updateOutput } = createTemplateFiller(page.formatter);
  const words = page.words.lesson;
  const isAvailable = ({ start: { data } }) => !data || page.payload.datasets.some(({ key }) => key === data);
  const steps = STEPS.filter(isAvailable), body = createHtmlElement("div", { class: "step" });
  const items = steps.map(({ key }, i) => {
    const open = createButton(words.steps[key].title, () => goToStep(i), { "data-open-step": key });
    return createHtmlElement("li", {}, open);
  });
  const list = createHtmlElement("div", { class: "steps" }, createHtmlElement("ol", {}, ...items.slice(0, MAIN_STEPS)),
    createHtmlElement("details", {}, createHtmlElement("summary", {}, words.more),
      createHtmlElement("ol", {}, ...items.slice(MAIN_STEPS))));
  let current = null, savedState = {}, choice = -1, swept = {}, revealButton = null, isShown = true;
  const createLessonButton = (name, onclick) => createButton(words[name], onclick, { "data-lesson": name });
  panel.append(body, list);
  page.lesson = { forward, backward, choose, refresh: updateReveal };
  page.on(synchronize);

  // The address and the other controls can change the step too.
  function synchronize({ step }, { rates: { fpr } }) {
    const requested = steps[step] ? step : -1;
    if (root.dataset.swept !== undefined) swept = { low: Math.min(swept.low, fpr), high: Math.max(swept.high, fpr) };
    if (requested !== current) requested < 0 ? closeLesson() : openStep(requested);
    else updateReveal();
  }

  // An action counts after the answer, and an answer may be changed until the reveal.
  function updateReveal() {
    const step = steps[current];
    if (!step || !revealButton || isShown) return;
    for (const output of body.querySelectorAll(".try output")) {
      updateOutput(output, getByPath(getFacts(page), output.dataset.name.replace("lesson.", "")));
    }
    const isAnswered = choice >= 0 || !words.steps[step.key].options;
    const isReady = isAnswered && (!step.isDone || step.isDone(page, swept));
    revealButton.disabled = !isReady;
    revealButton.title = isReady ? "" : isAnswered ? body.querySelector(".try, [data-lesson=pairs]")?.textContent
      : page.words.page.predicting;
  }

  function closeLesson() {
    current = -1;
    delete root.dataset.predicting;
    body.replaceChildren(createHtmlElement("p", {}, words.intro), createLessonButton("start", () => goToStep(0)));
    markStep();
  }

  function markStep() {
    for (const [i, button] of list.querySelectorAll("button").entries()) {
      setAttributes(button, { "aria-current": i === current && "step" });
    }
  }

  // In a lecture: the question, its answer, the next question.
  function forward() {
    if (current < 0) return goToStep(0);
    if (!isShown) return revealSolution(steps[current]);
    return isLast() ? leaveLesson() : goToStep(current + 1);
  }

  // The further questions are not part of the six.
  function isLast() {
    return [MAIN_STEPS, steps.length].includes(current + 1);
  }

  function backward() {
    if (current > 0) return goToStep(current - 1);
    return current === 0 ? leaveLesson() : null;
  }

  async function goToStep(index) {
    if (current < 0) savedState = { ...page.state };
    await openStep(index);
    body.querySelector("h3")?.focus({ preventScroll: true });
  }

  async function leaveLesson() {
    closeLesson();
    const { lecture, theme } = page.state;
    await page.set({ ...page.payload.start, ...savedState, lecture, theme, step: -1, fresh: true });
    body.querySelector("button").focus({ preventScroll: true });
    page.announce(words.left);
  }

  async function openStep(index) {
    const step = steps[index];
    [current, choice, isShown] = [index, -1, false];
    swept = { low: 1, high: 0 };
    delete root.dataset.swept;
    page.stopSweep();
    root.dataset.predicting = step.key;
    revealButton = createLessonButton("reveal", () => revealSolution(step));
    page.set({ ...CASE_START, step: index, panel: "lesson" });
    await page.set(step.start);
    if (current === index) showQuestion(step, getFacts(page));
  }

  function showQuestion({ key, isDone }, facts) {
    const stepWords = words.steps[key], { options } = stepWords;
    const progress = fillTemplateAsText(words.progress, 
      { step: current + 1, steps: current < MAIN_STEPS ? MAIN_STEPS : steps.length });
    const choices = options?.map((option, i) =>
      createButton(fillTemplateAsText(option, facts), () => choose(i), { "aria-pressed": "false", class: "chip" }));
    if (key === "alarm") revealButton.textContent = words.choose;
    body.replaceChildren(
      createStepBar(progress, choices ? revealButton : null),
        createHtmlElement("h3", { tabindex: -1 }, stepWords.title),
      createHtmlElement("p", { class: "question" }, ...fillTemplate(stepWords.ask, facts)),
      ...(choices ? [createHtmlElement("p", { class: "chips", role: "group", "aria-label": stepWords.title },
        ...choices, key === "auc" ? createLessonButton("pairs", () => playPairs(100)) : null)] : []),
      ...(isDone && stepWords.try ? [createHtmlElement("p", { class: "try", hidden: !!choices },
        ...fillTemplate(stepWords.try, facts))] : []),
      ...(choices ? [] : [createHtmlElement("p", {}, revealButton)]),
      createHtmlElement("div", { class: "explanation", tabindex: -1, hidden: true }));
    markStep();
    updateReveal();
    page.announce(`${progress}. ${stepWords.title}`);
  }

  function createStepBar(progress, reveal) {
    const index = current, next = isLast() ? createLessonButton("finish", leaveLesson)
      : createLessonButton("next", () => goToStep(index + 1));
    const back = index ? createLessonButton("back", () => goToStep(index - 1)) : null;
    back?.replaceChildren("‹");
    back?.setAttribute("aria-label", words.back);
    const leave = createButton("✕", leaveLesson, { class: "quiet", "data-lesson": "leave",
      "aria-label": words.leave });
    return createHtmlElement("div", { class: "step-bar" }, leave,
      createHtmlElement("span", { class: "progress" }, progress), back, reveal, next);
  }

  function choose(i) {
    const chips = body.querySelectorAll(".chip");
    if (isShown || !chips[i]) return;
    choice = i;
    for (const [k, chip] of chips.entries()) chip.setAttribute("aria-pressed", k === i);
    const hint = body.querySelector(".try");
    if (hint) hint.hidden = false;
    updateReveal();
  }

  // Stops if another step has been opened during an update of the page.
  async function revealSolution(step) {
    const { key, isDone, act, reveal, finish } = step, stepWords = words.steps[key], index = current;
    revealButton.disabled = true;
    isShown = true;
    if (isDone && !isDone(page, swept)) await act?.(page, playPairs);
    if (current !== index) return;
    const more = { ...await reveal?.(page, playPairs), ...finish?.(page) };
    if (current !== index) return;
    delete root.dataset.predicting;
    page.draw();
    const isRight = choice === stepWords.right, verdict = choice < 0 ? "" : isRight ? words.right : words.wrong;
    for (const [k, chip] of body.querySelectorAll(".chip").entries()) {
      chip.disabled = true;
      chip.classList.toggle("solution", k === stepWords.right);
    }
    for (const element of body.querySelectorAll(".try, [data-lesson=reveal], [data-lesson=pairs]")) element.remove();
    const explanation = body.querySelector(".explanation"), sentences = fillTemplate(stepWords.explain,
      { ...getFacts(page), ...more });
    const mark = verdict ? createHtmlElement("b", { class: "verdict", "data-right": String(isRight) }, verdict, " ")
      : "";
    explanation.append(createHtmlElement("p", {}, mark, ...sentences));
    explanation.hidden = false;
    explanation.focus({ preventScroll: true });
    page.announce(verdict || stepWords.title);
  }
}
