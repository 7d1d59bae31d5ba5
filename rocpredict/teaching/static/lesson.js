// The lesson: a panel with one question a step. The numbers of its sentences are computed in sampling.js.
import { createButton, createHtmlElement } from "./elements.js";
import { computeLessonFacts, createPopulation, simulateCurves } from "./sampling.js";
import { mountSamplingPanel } from "./sampling_panel.js";
import { createTemplateFiller } from "./templates.js";

const COMMON_START = {
  family: "gaussian", prevalence: 0.5, cost: 1, weighted: false, costline: false, strip: false, empirical: true,
  draws: 0, fresh: true, threshold: NaN,
};
const PAPER_START = { ...COMMON_START, data: "", direction: "higher", mean0: 4, std0: 3, mean1: 8, std1: 2 };
const IRIS_START = {
  ...COMMON_START, data: "iris", pairLabels: ["versicolor", "virginica"], featureName: "petal_length",
};
const PIMA_START = { ...COMMON_START, data: "pima", pairLabels: ["neg", "pos"], featureName: "insulin" };

// A step sets the state `start` and asks a question. `reveal` changes the state and may return more numbers.
const STEPS = [
  { key: "cross", start: { ...PAPER_START, threshold: 2 }, isCorrect: ({ loss }) => loss < 1 },
  { key: "hook", start: { ...PAPER_START, mean0: 5, std0: 1, mean1: 6, std1: 1 }, reveal: widenPositives },
  { key: "prevalence", start: PAPER_START, reveal: (page) => page.set({ prevalence: 0.01 }) },
  { key: "cost", start: { ...PAPER_START, costline: true }, reveal: reduceCost },
  { key: "iris", start: { ...IRIS_START, empirical: false }, reveal: (page) => page.set({ empirical: true }) },
  { key: "pima", start: PIMA_START },
  { key: "pairs", start: PAPER_START, reveal: (page, playPairs) => playPairs(100) },
  { key: "sample", start: { ...PAPER_START, n: 10, draws: 30, seed: 12 }, reveal: enlargeSamples },
];

const getFacts = ({ state, answer, payload }) => computeLessonFacts(state, answer, payload);
const simulateSamples = ({ state, answer, payload }) => simulateCurves(createPopulation(state, answer, payload), state);

async function widenPositives(page) {
  await page.set({ std1: 3, threshold: NaN, fresh: true });
  await page.set({ threshold: getFacts(page).worst });
}

async function reduceCost(page) {
  await page.set({ cost: 0.1 });
  const stay = page.answer.rates.cost;
  await page.set({ threshold: page.answer.costbest.threshold });
  return { stay };
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
  panel.hidden = !page.payload.lesson;
  if (!panel.hidden) mountSteps(root, panel, page, playPairs);
}

function mountSteps(root, panel, page, playPairs) {
  const { fillTemplate, fillTemplateAsText } = createTemplateFiller(page.formatter), words = page.words.lesson;
  const isAvailable = ({ start: { data } }) => !data || page.payload.datasets.some(({ key }) => key === data);
  const steps = STEPS.filter(isAvailable), body = createHtmlElement("div", { class: "step" });
  let current = null, savedState = {}, revealButton = null;
  const createLessonButton = (name, onclick) => createButton(words[name], onclick, { "data-lesson": name });
  panel.append(createHtmlElement("h2", {}, words.title), body);
  page.on(synchronize);

  // The address and the other controls can change the step too.
  function synchronize({ step, threshold }) {
    const requested = steps[step] ? step : -1;
    if (requested !== current) requested < 0 ? closeLesson() : openStep(requested);
    else if (steps[current]?.isCorrect && threshold !== steps[current].start.threshold) revealButton.disabled = false;
  }

  function closeLesson() {
    current = -1;
    delete root.dataset.predicting;
    body.replaceChildren(createHtmlElement("p", {}, words.intro), createLessonButton("start", () => goToStep(0)));
  }

  async function goToStep(index) {
    if (current < 0) savedState = { ...page.state };
    await openStep(index);
    body.querySelector("h3")?.focus();
  }

  async function leaveLesson() {
    closeLesson();
    await page.set({ ...page.payload.start, ...savedState, step: -1, fresh: true });
    body.querySelector("button").focus();
    page.announce(words.left);
  }

  async function openStep(index) {
    const step = steps[index];
    current = index;
    root.dataset.predicting = step.key;
    revealButton = createLessonButton("reveal", () => revealSolution(step));
    page.set({ ...PAPER_START, step: index });
    await page.set(step.start);
    if (current === index) showQuestion(step, getFacts(page));
  }

  function showQuestion({ key, isCorrect }, facts) {
    const stepWords = words.steps[key];
    const progress = fillTemplateAsText(words.progress, { step: current + 1, steps: steps.length });
    body.replaceChildren(
      createHtmlElement("p", { class: "progress" }, progress),
      createHtmlElement("h3", { tabindex: -1 }, stepWords.title),
      createHtmlElement("p", {}, ...fillTemplate(stepWords.text, facts)),
      isCorrect
        ? createHtmlElement("p", { class: "question" }, stepWords.question) : createOptions(stepWords, facts),
      revealButton, createHtmlElement("div", { class: "explanation", tabindex: -1, hidden: true }),
      createStepButtons(current),
    );
    revealButton.disabled = true;
    page.announce(`${progress}: ${stepWords.title}`);
  }

  function createStepButtons(index) {
    const isLast = index + 1 === steps.length;
    const back = index ? createLessonButton("back", () => goToStep(index - 1)) : null;
    const next = isLast
      ? createLessonButton("finish", leaveLesson) : createLessonButton("next", () => goToStep(index + 1));
    const leave = createLessonButton("leave", leaveLesson);
    return createHtmlElement("p", { class: "step-buttons" }, back, " ", next, " ", leave);
  }

  function createOptions(stepWords, facts) {
    const onchange = () => { revealButton.disabled = false; };
    const createRadio = (value) =>
      createHtmlElement("input", { type: "radio", name: page.createId("choice"), value, onchange });
    const createOption = (option, i) =>
      createHtmlElement("label", { class: "option" }, createRadio(i), fillTemplateAsText(option, facts));
    const legend = createHtmlElement("legend", {}, stepWords.question);
    return createHtmlElement("fieldset", {}, legend, ...stepWords.options.map(createOption));
  }

  // Stops if another step has been opened during an update of the page.
  async function revealSolution({ key, start, isCorrect, reveal }) {
    const stepWords = words.steps[key], index = current, fieldset = body.querySelector("fieldset");
    revealButton.disabled = true;
    await page.set(isCorrect ? { ...start, threshold: page.state.threshold } : start);
    if (current !== index) return;
    const before = getFacts(page), more = await reveal?.(page, playPairs);
    if (current !== index) return;
    const isRight = isCorrect
      ? isCorrect(before) : Number(body.querySelector("input:checked").value) === stepWords.right;
    const correction = isCorrect
      ? words.far : `${words.wrong} ${fillTemplateAsText(stepWords.options[stepWords.right], before)}`;
    delete root.dataset.predicting;
    if (fieldset) fieldset.disabled = true;
    revealButton.remove();
    const sentences = fillTemplate(stepWords.explain, { ...getFacts(page), ...more, before });
    showExplanation(isRight, isRight ? words.right : correction, sentences);
  }

  function showExplanation(isRight, verdict, sentences) {
    const explanation = body.querySelector(".explanation");
    explanation.append(
      createHtmlElement("p", { class: "verdict", "data-right": String(isRight) }, verdict),
      createHtmlElement("p", {}, ...sentences),
    );
    explanation.hidden = false;
    explanation.focus();
    page.announce(verdict);
  }
}
