// From a wish to an answer: the page's own sums, or Python's where it is asked.
import { answerOf, number } from "./model.js";
import { ASKED, frameAfter, problem, resolve } from "./state.js";

const isGone = (error) => error instanceof TypeError;

/** Gives `set(patch)`: a promise that resolves when the page is drawn anew; `from` is what the wish changes. */
export function setterOf(page, ask, show) {
  const { payload, words: { page: words } } = page;
  let busy = null, wanted = 0;

  return function set(patch, from = page.state) {
    const began = performance.now(), next = resolve(from, patch, payload), wrong = problem(next, payload);
    page.notice.textContent = wrong;
    if (wrong) return refused();
    page.frame = frameAfter(page.frame, page.state, next, patch);
    Object.assign(page.state, next);
    if (!ask) return Promise.resolve(show(answerOf(page.state, payload), began));
    wanted++;
    busy ??= asked(began).finally(() => { busy = null; });
    return busy;
  };

  // Lists go back to what is shown.
  function refused() {
    if (page.answer) for (const name of ["data", "contrast", "feature"]) page.inputs[name].show();
    return Promise.resolve();
  }

  // The last wish wins: while one answer is on its way, later ones wait as one.
  async function asked(began) {
    for (let now = 0; now !== wanted;) {
      now = wanted;
      try {
        show(revived(await ask(Object.fromEntries(ASKED.map((name) => [name, page.state[name]])))), began);
      } catch (error) {
        page.notice.textContent = isGone(error) ? words.wrong.gone : error.message;
      }
    }
  }
}

function revived(answer) {
  for (const part of ["best", "costbest", "accuracybest"]) answer[part].threshold = number(answer[part].threshold);
  for (const [name, value] of Object.entries(answer.rates)) answer.rates[name] = number(value);
  return answer;
}
