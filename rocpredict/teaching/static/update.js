// The update of the state and the answer. Answers are computed here, or fetched from Python.
import { PASTED_KEY, computePageAnswer } from "./fitted.js";
import { parseNumber } from "./model.js";
import { REQUEST_FIELDS, computeNextSliderRanges, computeNextState, findValidationError } from "./state.js";

const isNetworkError = (error) => error instanceof TypeError;

/** Returns `set(patch, base)`. It applies a patch to a state, and its promise is fulfilled after the page is drawn. */
export function createUpdater(page, fetchAnswer, render) {
  const { payload, words: { page: words } } = page;
  let pendingUpdate = null, requestCount = 0;

  return function set(patch, base = page.state) {
    const startTime = performance.now(), next = computeNextState(base, patch, payload);
    const errorMessage = findValidationError(next, payload);
    page.notice.textContent = errorMessage;
    if (errorMessage) return rejectPatch();
    if (!patch.undone) page.remember(next);
    page.sliderRanges = computeNextSliderRanges(page.sliderRanges, page.state, next, patch);
    Object.assign(page.state, next);
    const isLocal = !fetchAnswer || page.state.data === PASTED_KEY;
    if (isLocal) return Promise.resolve(render(computePageAnswer(page.state, payload), startTime));
    requestCount++;
    pendingUpdate ??= fetchUntilCurrent(startTime).finally(() => { pendingUpdate = null; });
    return pendingUpdate;
  };

  // The dropdowns return to the current state.
  function rejectPatch() {
    if (page.answer) for (const name of ["data", "pair", "feature"]) page.inputs[name].update();
    return Promise.resolve();
  }

  // Requests made during a fetch are combined: only the last state is fetched.
  async function fetchUntilCurrent(startTime) {
    for (let fetchedCount = 0; fetchedCount !== requestCount;) {
      fetchedCount = requestCount;
      try {
        const request = Object.fromEntries(REQUEST_FIELDS.map((name) => [name, page.state[name]]));
        render(parseAnswer(await fetchAnswer(request)), startTime);
      } catch (error) {
        page.notice.textContent = isNetworkError(error) ? words.wrong.gone : error.message;
      }
    }
  }
}

function parseAnswer(answer) {
  for (const key of ["best", "costbest", "accuracybest"]) answer[key].threshold = parseNumber(answer[key].threshold);
  for (const [name, value] of Object.entries(answer.rates)) answer.rates[name] = parseNumber(value);
  return answer;
}
