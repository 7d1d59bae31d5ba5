// The panel for sampling variation: curves of new samples, and a game with random pairs.
import { createButton, createHtmlElement, createOptions, setAttributes } from "./elements.js";
import { createPopulation, createRng, playPairs, simulateCurves } from "./sampling.js";
import { createOutput, createTemplateFiller } from "./templates.js";

const POPULATION_FIELDS = [
  "data", "feature", "pair", "family", "empirical", "mean0", "mean1", "std0", "std1", "direction", "seed",
];
const TENS = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
const SAMPLE_SIZES = [2, 3, 4, 5, 6, 8, ...TENS, ...TENS.map((n) => 10 * n), 1000];

// Fills the panel and updates it with the page. Returns the function that plays random pairs.
export function mountSamplingPanel(panel, page) {
  const { updateOutput, fillTemplate, fillTemplateAsText } = createTemplateFiller(page.formatter);
  const words = page.words.chance, parts = fillPanel(panel, page, words, { resample, playRound });
  const { outputs, sizeSlider, drawsSelect, populationText, lastPairText, rule } = parts;
  let population = null, sampleKey = "", populationKey = "", tally, rng;
  page.on(refresh);
  return playRound;

  // A new threshold changes neither the population nor the samples.
  function refresh(state, answer) {
    const nextPopulationKey = JSON.stringify([answer.auc, POPULATION_FIELDS.map((name) => state[name])]);
    const nextSampleKey = [nextPopulationKey, state.n, state.draws].join();
    if (nextPopulationKey !== populationKey) {
      rule.textContent = page.fillClasses(words.rule);
      resetGame(createPopulation(state, answer, page.payload), state.seed);
    }
    if (nextSampleKey !== sampleKey) updateCurves(state);
    [populationKey, sampleKey] = [nextPopulationKey, nextSampleKey];
  }

  function resetGame(nextPopulation, seed) {
    [population, tally, rng] = [nextPopulation, undefined, createRng(seed, -1)];
    page.tally = null;
    lastPairText.textContent = "";
    populationText.textContent = words[population.isEmpirical ? "fromrows" : "fromcurves"];
    updateOutputs({ seed, played: 0, wins: 0, ties: 0 });
    updateOutputs({ auc: population.auc, aim: population.auc, share: NaN }, 3);
  }

  function updateCurves(state) {
    const { curves, mean, sd, low, high } = simulateCurves(population, state);
    const index = SAMPLE_SIZES.findIndex((n) => n >= state.n);
    setAttributes(sizeSlider, { "aria-valuetext": state.n }).value = index < 0 ? SAMPLE_SIZES.length : index;
    const counts = [...new Set([0, 1, 30, state.draws])];
    drawsSelect.replaceChildren(...createOptions(counts.map((count) => [count, count || words.none])));
    drawsSelect.value = state.draws;
    updateOutputs({ n: state.n });
    updateOutputs({ mean, sd, low, high }, 3);
    page.showResampledCurves(curves);
  }

  function resample() {
    page.set({ seed: page.state.seed + 1 }).then(() => page.announce(`${words.seed} ${page.state.seed}`));
  }

  function playRound(count) {
    if (!population) return tally;
    tally = playPairs(population, page.state.direction, count, rng, tally);
    page.tally = tally;
    page.draw();
    page.lesson.refresh();
    updateOutputs({ played: tally.played, wins: tally.wins, ties: tally.ties });
    updateOutputs({ share: tally.share }, 3);
    lastPairText.replaceChildren(...fillTemplate(words.last, tally));
    page.announce(fillTemplateAsText(words.tally, tally));
    return tally;
  }

  function updateOutputs(values, digits) {
    for (const [name, value] of Object.entries(values)) updateOutput(outputs[name], value, digits);
  }
}

function fillPanel(panel, page, words, { resample, playRound }) {
  const outputs = {}, maxIndex = SAMPLE_SIZES.length - 1;
  const rule = createHtmlElement("p"), populationText = createHtmlElement("p");
  const lastPairText = createHtmlElement("p", { class: "last-pair" });
  const sizeSlider = createHtmlElement("input", { type: "range", min: 0, max: maxIndex, id: page.createId("n") });
  const drawsSelect = createHtmlElement("select", { id: page.createId("draws") });
  sizeSlider.addEventListener("input", () => page.set({ n: SAMPLE_SIZES[sizeSlider.value] }));
  drawsSelect.addEventListener("change", () => page.set({ draws: Number(drawsSelect.value) }));
  const createParagraph = (...children) => createHtmlElement("p", {}, ...children);
  const createLabel = ({ id }, name) => createHtmlElement("label", { for: id }, words[name]);
  const addOutput = (name) => outputs[name] = createOutput(`chance.${name}`);
  const createRow = (name) => createHtmlElement("div", {},
    createHtmlElement("dt", {}, words[name] ?? words.auc), createHtmlElement("dd", {}, addOutput(name)));
  const createList = (...names) => createHtmlElement("dl", {}, ...names.map(createRow));
  const createPanelButton = (name, onclick) => createButton(words[name], onclick, { "data-chance": name });
  panel.append(
    createHtmlElement("h3", {}, words.game), rule,
    createHtmlElement("p", { class: "buttons" }, createPanelButton("one", () => playRound(1)),
      createPanelButton("ten", () => playRound(10)), createPanelButton("hundred", () => playRound(100))),
    createList("played", "wins", "ties", "share", "aim"), lastPairText,
    createHtmlElement("h3", {}, words.title), createParagraph(words.text), populationText,
    createHtmlElement("div", { class: "select" }, createLabel(sizeSlider, "n"), sizeSlider, addOutput("n")),
    createHtmlElement("div", { class: "select" }, createLabel(drawsSelect, "draws"), drawsSelect),
    createParagraph(createPanelButton("again", resample), ` ${words.seed} `, addOutput("seed")),
    createList("auc", "mean", "sd", "low", "high"),
  );
  return { outputs, sizeSlider, drawsSelect, populationText, lastPairText, rule };
}
