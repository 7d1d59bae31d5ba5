// The lesson: a panel that asks, shows and listens. What it tells is computed in chance.js.
import { cloudOf, lessonFacts, sourceOf } from "./chance.js";
import { make } from "./drawing.js";
import { mountChance } from "./playing.js";
import { tellerOf } from "./told.js";

const PLAIN = {
  family: "gaussian", prevalence: 0.5, cost: 1, weighted: false, costline: false, strip: false, empirical: true,
  draws: 0, fresh: true, threshold: NaN,
};
const FOUNDING = { ...PLAIN, data: "", direction: "higher", mean0: 4, std0: 3, mean1: 8, std1: 2 };
const IRIS = { ...PLAIN, data: "iris", contrastLabels: ["versicolor", "virginica"], featureName: "petal_length" };
const PIMA = { ...PLAIN, data: "pima", contrastLabels: ["neg", "pos"], featureName: "insulin" };

// A step sets a state and asks; `reveal` changes the state and may add numbers.
const LESSON = [
  { key: "cross", start: { ...FOUNDING, threshold: 2 }, near: ({ loss }) => loss < 1 },
  { key: "hook", start: { ...FOUNDING, mean0: 5, std0: 1, mean1: 6, std1: 1 }, reveal: spreadPositives },
  { key: "prevalence", start: FOUNDING, reveal: (page) => page.set({ prevalence: 0.01 }) },
  { key: "cost", start: { ...FOUNDING, costline: true }, reveal: dearMisses },
  { key: "iris", start: { ...IRIS, empirical: false }, reveal: (page) => page.set({ empirical: true }) },
  { key: "pima", start: PIMA },
  { key: "pairs", start: FOUNDING, reveal: (page, play) => play(100) },
  { key: "sample", start: { ...FOUNDING, n: 10, draws: 30, seed: 12 }, reveal: manyCases },
];

const factsOf = ({ state, answer, payload }) => lessonFacts(state, answer, payload);
const redrawn = ({ state, answer, payload }) => cloudOf(sourceOf(state, answer, payload), state);

async function spreadPositives(page) {
  await page.set({ std1: 3, threshold: NaN, fresh: true });
  await page.set({ threshold: factsOf(page).worst });
}

async function dearMisses(page) {
  await page.set({ cost: 0.1 });
  const stay = page.answer.rates.cost;
  await page.set({ threshold: page.answer.costbest.threshold });
  return { stay };
}

async function manyCases(page) {
  const few = redrawn(page);
  await page.set({ n: 200 });
  const many = redrawn(page);
  return { few, many, ratio: few.sd / many.sd };
}

// Fills the lesson's and the chance panel, and keeps them in step with the page.
export function mountLesson(root, page) {
  const play = mountChance(root.querySelector(".chance"), page), panel = root.querySelector(".lesson");
  panel.hidden = !page.payload.lesson;
  if (!panel.hidden) mountSteps(root, panel, page, play);
}

function mountSteps(root, panel, page, play) {
  const { told, plainly } = tellerOf(page.numbers), words = page.words.lesson, body = make("div", { class: "step" });
  const steps = LESSON.filter(({ start: { data } }) => !data || page.payload.datasets.some(({ key }) => key === data));
  let at = null, saved = {}, reveal = null;
  const button = (name, onclick) => make("button", { type: "button", "data-lesson": name, onclick }, words[name]);
  panel.append(make("h2", {}, words.title), body);
  page.on(follow);

  // A step may also come from the page's address, and end by another control.
  function follow({ step, threshold }) {
    const asked = steps[step] ? step : -1;
    if (asked !== at) asked < 0 ? close() : open(asked);
    else if (steps[at]?.near && threshold !== steps[at].start.threshold) reveal.disabled = false;
  }

  function close() {
    at = -1;
    delete root.dataset.predicting;
    body.replaceChildren(make("p", {}, words.intro), button("start", () => go(0)));
  }

  async function go(index) {
    if (at < 0) saved = { ...page.state };
    await open(index);
    body.querySelector("h3")?.focus();
  }

  async function leave() {
    close();
    await page.set({ ...page.payload.start, ...saved, step: -1, fresh: true });
    body.querySelector("button").focus();
    page.say(words.left);
  }

  async function open(index) {
    const step = steps[index];
    at = index;
    root.dataset.predicting = step.key;
    reveal = button("reveal", () => answered(step));
    page.set({ ...FOUNDING, step: index });
    await page.set(step.start);
    if (at === index) ask(step, factsOf(page));
  }

  function ask({ key, near }, facts) {
    const said = words.steps[key], progress = plainly(words.progress, { step: at + 1, steps: steps.length });
    body.replaceChildren(
      make("p", { class: "progress" }, progress), make("h3", { tabindex: -1 }, said.title),
      make("p", {}, ...told(said.text, facts)),
      near ? make("p", { class: "question" }, said.question) : choices(said, facts), reveal,
      make("div", { class: "explanation", tabindex: -1, hidden: true }), moves(at),
    );
    reveal.disabled = true;
    page.say(`${progress}: ${said.title}`);
  }

  function moves(index) {
    const back = index ? button("back", () => go(index - 1)) : null, isLast = index + 1 === steps.length;
    const onward = isLast ? button("finish", leave) : button("next", () => go(index + 1));
    return make("p", { class: "moves" }, back, " ", onward, " ", button("leave", leave));
  }

  function choices(said, facts) {
    const onchange = () => { reveal.disabled = false; };
    const choice = (value) => make("input", { type: "radio", name: page.id("choice"), value, onchange });
    const label = (option, i) => make("label", { class: "tick" }, choice(i), plainly(option, facts));
    return make("fieldset", {}, make("legend", {}, said.question), ...said.options.map(label));
  }

  // Another step may be opened while the page is on its way: then there is nothing to tell.
  async function answered({ key, start, near, reveal: show }) {
    const said = words.steps[key], index = at, fieldset = body.querySelector("fieldset");
    reveal.disabled = true;
    await page.set(near ? { ...start, threshold: page.state.threshold } : start);
    if (at !== index) return;
    const before = factsOf(page), more = await show?.(page, play);
    if (at !== index) return;
    const right = near ? near(before) : Number(body.querySelector("input:checked").value) === said.right;
    const wrong = near ? words.far : `${words.wrong} ${plainly(said.options[said.right], before)}`;
    delete root.dataset.predicting;
    if (fieldset) fieldset.disabled = true;
    reveal.remove();
    explain(right, right ? words.right : wrong, told(said.explain, { ...factsOf(page), ...more, before }));
  }

  function explain(right, verdict, sentences) {
    const explanation = body.querySelector(".explanation");
    const said = make("p", { class: "verdict", "data-right": String(right) }, verdict);
    explanation.append(said, make("p", {}, ...sentences));
    explanation.hidden = false;
    explanation.focus();
    page.say(verdict);
  }
}
