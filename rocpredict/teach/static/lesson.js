// The lesson and the play with chance: panels that ask, show and listen. What they show is computed in chance.js.
import { cloudOf, lessonFacts, playPairs, randomOf, sourceOf } from "./chance.js";
import { number } from "./model.js";
import { make, put, shown } from "./views.js";

const DECK = ["data", "feature", "contrast", "family", "empirical", "mean0", "mean1", "std0", "std1", "direction", "seed"];
const CASES = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000];
const PLAIN = { family: "gaussian", prevalence: 0.5, cost: 1, weighted: false, costline: false, strip: false, empirical: true, draws: 0, fresh: true, threshold: NaN };
const FOUNDING = { ...PLAIN, data: "", direction: "higher", mean0: 4, std0: 3, mean1: 8, std1: 2 };
const rowsFrom = (data, contrastLabels, featureName) => ({ ...PLAIN, data, contrastLabels, featureName });

// A step sets a state and asks; `reveal` changes the state and may add numbers.
const LESSON = [
  { key: "cross", start: { ...FOUNDING, threshold: 2 }, near: ({ loss }) => loss < 1 },
  { key: "hook", start: { ...FOUNDING, mean0: 5, std0: 1, mean1: 6, std1: 1 }, reveal: spreadPositives },
  { key: "prevalence", start: FOUNDING, reveal: (page) => page.set({ prevalence: 0.01 }) },
  { key: "cost", start: { ...FOUNDING, costline: true }, reveal: dearMisses },
  { key: "iris", start: { ...rowsFrom("iris", ["versicolor", "virginica"], "petal_length"), empirical: false }, reveal: (page) => page.set({ empirical: true }) },
  { key: "pima", start: rowsFrom("pima", ["neg", "pos"], "insulin") },
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

// "{best.ameans:3}" in a sentence becomes the number of that name, with three decimals.
function told(sentence, facts) {
  return sentence.split(/(\{[\w.]+(?::\d)?\})/).map((part) => {
    const [, name, digits] = part.match(/^\{([\w.]+):?(\d)?\}$/) ?? [];
    return name ? write(numeral(`lesson.${name}`), name.split(".").reduce((held, key) => held?.[key], facts), digits) : part;
  });
}

const plainly = (sentence, facts) => told(sentence, facts).map((part) => part.textContent ?? part).join("");
const numeral = (name) => make("output", { "data-name": name, "aria-live": "off" });
const write = (output, value, digits = 0) => {
  put(output, { "data-value": number(value) }).textContent = shown(number(value), Number(digits));
  return output;
};

// Fills the lesson's and the chance panel, and keeps them in step with the page.
export function mountLesson(root, page) {
  const play = mountChance(root.querySelector(".chance"), page), panel = root.querySelector(".lesson");
  panel.hidden = !page.payload.lesson;
  if (!panel.hidden) mountSteps(root, panel, page, play);
}

function mountSteps(root, panel, page, play) {
  const words = page.words.lesson, body = make("div", { class: "step" });
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
    const said = words.steps[key], progress = plainly(words.progress, { step: at + 1, steps: steps.length }), index = at;
    body.replaceChildren(
      make("p", { class: "progress" }, progress), make("h3", { tabindex: -1 }, said.title), make("p", {}, ...told(said.text, facts)),
      near ? make("p", { class: "question" }, said.question) : choices(said, facts), reveal, make("div", { class: "explanation", tabindex: -1, hidden: true }),
      make("p", { class: "moves" }, index ? button("back", () => go(index - 1)) : null, " ", index + 1 < steps.length ? button("next", () => go(index + 1)) : button("finish", leave), " ", button("leave", leave)),
    );
    reveal.disabled = true;
    page.say(`${progress}: ${said.title}`);
  }

  function choices(said, facts) {
    const choice = (value) => make("input", { type: "radio", name: page.id("choice"), value, onchange: () => { reveal.disabled = false; } });
    return make("fieldset", {}, make("legend", {}, said.question), ...said.options.map((option, i) => make("label", { class: "tick" }, choice(i), plainly(option, facts))));
  }

  async function answered({ key, start, near, reveal: show }) {
    const said = words.steps[key], index = at, fieldset = body.querySelector("fieldset"), explanation = body.querySelector(".explanation");
    reveal.disabled = true;
    await page.set(near ? { ...start, threshold: page.state.threshold } : start);
    if (at !== index) return;
    const before = factsOf(page), more = await show?.(page, play);
    if (at !== index) return;
    const well = near ? near(before) : Number(body.querySelector("input:checked").value) === said.right;
    const verdict = well ? words.right : near ? words.far : `${words.wrong} ${plainly(said.options[said.right], before)}`;
    delete root.dataset.predicting;
    if (fieldset) fieldset.disabled = true;
    reveal.remove();
    explanation.append(make("p", { class: "verdict", "data-right": String(well) }, verdict), make("p", {}, ...told(said.explain, { ...factsOf(page), ...more, before })));
    explanation.hidden = false;
    explanation.focus();
    page.say(verdict);
  }
}

function mountChance(panel, page) {
  const words = page.words.chance, outputs = {}, p = (...children) => make("p", {}, ...children), from = make("p"), last = make("p", { class: "last" });
  const cases = make("input", { type: "range", min: 0, max: CASES.length - 1, id: page.id("n"), oninput: () => page.set({ n: CASES[cases.value] }) });
  const draws = make("select", { id: page.id("draws"), onchange: () => page.set({ draws: Number(draws.value) }) });
  const output = (name) => outputs[name] = numeral(`chance.${name}`);
  const list = (...names) => make("dl", {}, ...names.map((name) => make("div", {}, make("dt", {}, words[name] ?? words.auc), make("dd", {}, output(name)))));
  const button = (name, onclick) => make("button", { type: "button", "data-chance": name, onclick }, words[name]), label = (input, name) => make("label", { for: input.id }, words[name]);
  let source = null, dealt = "", shuffled = "", tally, random;
  panel.append(
    make("h2", {}, words.title), p(words.text), from,
    make("div", { class: "slider" }, label(cases, "n"), cases, output("n")), make("div", { class: "choice" }, label(draws, "draws"), draws),
    p(button("again", again), ` ${words.seed} `, output("seed")), list("auc", "mean", "sd", "low", "high"),
    make("h3", {}, words.game), p(words.rule), p(button("one", () => play(1)), " ", button("hundred", () => play(100))), list("played", "wins", "ties", "share", "aim"), last,
  );
  page.on(refresh);
  return play;

  // Moving the threshold changes no sample: only what draws them does.
  function refresh(state, answer) {
    const deck = JSON.stringify([answer.auc, DECK.map((name) => state[name])]), hand = [deck, state.n, state.draws].join();
    if (deck !== shuffled) shuffle(sourceOf(state, answer, page.payload), state.seed);
    if (hand !== dealt) deal(state);
    [shuffled, dealt] = [deck, hand];
  }

  function shuffle(next, seed) {
    [source, tally, random] = [next, undefined, randomOf(seed, -1)];
    last.textContent = "";
    from.textContent = words[source.rows ? "fromrows" : "fromcurves"];
    tell({ seed, played: 0, wins: 0, ties: 0 });
    tell({ auc: source.auc, aim: source.auc, share: NaN }, 3);
  }

  function deal(state) {
    const cloud = cloudOf(source, state), nearest = CASES.findIndex((n) => n >= state.n);
    put(cases, { "aria-valuetext": state.n }).value = nearest < 0 ? CASES.length : nearest;
    draws.replaceChildren(...[...new Set([0, 1, 30, state.draws])].map((count) => make("option", { value: count }, count || words.none)));
    draws.value = state.draws;
    tell({ n: state.n });
    tell({ mean: cloud.mean, sd: cloud.sd, low: cloud.low, high: cloud.high }, 3);
    page.cloud(cloud.curves);
  }

  function again() {
    page.set({ seed: page.state.seed + 1 }).then(() => page.say(`${words.seed} ${page.state.seed}`));
  }

  function play(count) {
    if (!source) return tally;
    tally = playPairs(source, page.state.direction, count, random, tally);
    tell({ played: tally.played, wins: tally.wins, ties: tally.ties });
    tell({ share: tally.share }, 3);
    last.replaceChildren(...told(words.last, tally));
    page.say(plainly(words.tally, tally));
    return tally;
  }

  function tell(values, digits) {
    for (const [name, value] of Object.entries(values)) write(outputs[name], value, digits);
  }
}
