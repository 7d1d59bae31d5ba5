// The play with chance: a panel of new samples and random pairs. What it shows is computed in chance.js.
import { cloudOf, playPairs, randomOf, sourceOf } from "./chance.js";
import { make, put } from "./drawing.js";
import { numeral, tellerOf } from "./told.js";

const DECK = [
  "data", "feature", "contrast", "family", "empirical", "mean0", "mean1", "std0", "std1", "direction", "seed",
];
const TENS = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
const CASES = [2, 3, 4, 5, 6, 8, ...TENS, ...TENS.map((n) => 10 * n), 1000];

// Fills the panel, keeps it in step with the page, and gives what plays some pairs.
export function mountChance(panel, page) {
  const { write, told, plainly } = tellerOf(page.numbers), words = page.words.chance;
  const parts = panelOf(panel, page, words, { again, play }), { outputs, cases, draws, from, last } = parts;
  let source = null, dealt = "", shuffled = "", tally, random;
  page.on(refresh);
  return play;

  // Moving the threshold changes no sample: only what draws them does.
  function refresh(state, answer) {
    const deck = JSON.stringify([answer.auc, DECK.map((name) => state[name])]);
    const hand = [deck, state.n, state.draws].join();
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
    const counts = [...new Set([0, 1, 30, state.draws])];
    draws.replaceChildren(...counts.map((count) => make("option", { value: count }, count || words.none)));
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

function panelOf(panel, page, words, { again, play }) {
  const outputs = {}, from = make("p"), last = make("p", { class: "last" });
  const cases = make("input", { type: "range", min: 0, max: CASES.length - 1, id: page.id("n") });
  const draws = make("select", { id: page.id("draws") });
  cases.addEventListener("input", () => page.set({ n: CASES[cases.value] }));
  draws.addEventListener("change", () => page.set({ draws: Number(draws.value) }));
  const p = (...children) => make("p", {}, ...children);
  const label = ({ id }, name) => make("label", { for: id }, words[name]);
  const output = (name) => outputs[name] = numeral(`chance.${name}`);
  const pair = (name) => make("div", {}, make("dt", {}, words[name] ?? words.auc), make("dd", {}, output(name)));
  const list = (...names) => make("dl", {}, ...names.map(pair));
  const button = (name, onclick) => make("button", { type: "button", "data-chance": name, onclick }, words[name]);
  panel.append(
    make("h2", {}, words.title), p(words.text), from,
    make("div", { class: "slider" }, label(cases, "n"), cases, output("n")),
    make("div", { class: "choice" }, label(draws, "draws"), draws),
    p(button("again", again), ` ${words.seed} `, output("seed")), list("auc", "mean", "sd", "low", "high"),
    make("h3", {}, words.game), p(words.rule), p(button("one", () => play(1)), " ", button("hundred", () => play(100))),
    list("played", "wins", "ties", "share", "aim"), last,
  );
  return { outputs, cases, draws, from, last };
}
