// The page: controls, keys, one state, and the views that follow it.
import { answerOf, contrastOf, isFit, nearestThreshold, number, sceneOf } from "./model.js";
import { densityView, make, put, rateShown, rocView, shown, significant, stripView, tableView } from "./views.js";
import { mountLesson } from "./lesson.js";

const START = {
  data: "", feature: 0, contrast: 0, family: "gaussian", mean0: 4, mean1: 8, std0: 3, std1: 2, direction: "higher", threshold: NaN,
  prevalence: 0.5, cost: 1, weighted: false, empirical: true, strip: false, costline: false, n: 50, seed: 1, draws: 0,
  lecture: false, step: -1, names: "roc", keys: true,
};
const ASKED = Object.keys(START).slice(0, 12);
const COUNTS = { n: [2, 1000], draws: [0, 50], seed: [-2147483648, 2147483647], step: [-1, 99] }, LARGEST = 1e100;
const FINITE = ["mean0", "mean1", "threshold"], ABOVE_0 = ["std0", "std1", "cost"], STEPS = 2000;
const READOUTS = {
  prediction: [["auc", rateShown], ["dprime", shown], ["std_ratio", significant], ["best.threshold", significant], ["best.ameans", rateShown], ["accuracybest.threshold", significant],
    ["accuracybest.accuracy", rateShown], ["costbest.threshold", significant], ["costbest.cost", significant]],
  here: [["threshold", significant], ...["tpr", "fpr", "tnr", "fnr", "ameans", "precision", "npv", "accuracy"].map((name) => [`rates.${name}`, rateShown]), ["rates.cost", significant], ["rates.mcc", shown]],
  rows: [["empirical.auc", rateShown], ["empirical.low", rateShown], ["empirical.high", rateShown], ...["tpr", "fpr", "ameans"].map((name) => [`empirical.${name}`, rateShown]),
    ["empirical.best.ameans", rateShown], ["empirical.gap.value", shown]],
};
const logit = (p) => Math.log(p / (1 - p)), clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const linear = ([low, high]) => ({ value: (share) => low + share * (high - low), share: (value) => (value - low) / (high - low) });
const onLog = ([low, high]) => ({ value: (share) => low * (high / low) ** share, share: (value) => Math.log(value / low) / Math.log(high / low) });
const odds = { value: (share) => 1 / (1 + Math.exp(-logit(0.999) * (2 * share - 1))), share: (p) => (logit(p) / logit(0.999) + 1) / 2 };
let mounts = 0;

/** Builds the page inside an element; `ask(state)` gives the answer where Python does the sums. */
export function mount(root, payload, { hash = false, ask = null, suppress = false } = {}) {
  const words = payload.words.page, prefix = `rp${++mounts}`, state = { ...START }, listeners = [], inputs = {}, outputs = {};
  const sections = {};
  let answer = null, cloud = [], frame = {}, remarks = null, busy = null, wanted = 0, moving = 0, spoken = 0, said = 0;
  const page = {
    words: payload.words, payload, state, set, arrows, say, make, toPoint, featureName, classNames,
    get answer() { return answer; }, on: (listener) => listeners.push(listener), id: (name) => `${prefix}-${name}`, rateNames: () => words.names[state.names],
    cloud: (curves) => { cloud = curves; draw(); },
    thresholdWords: () => `${words.threshold} ${significant(state.threshold)}; ${pointWords()}`, pointWords,
  };
  const views = { densities: densityView(page), roc: rocView(page), strip: stripView(page), table: tableView(page) };
  const live = make("p", { class: "unseen", role: "status", "aria-live": "polite" }), notice = make("p", { class: "notice", role: "alert" });
  const offered = make("textarea", { readonly: true, rows: 6, hidden: true, spellcheck: "false", "aria-label": words.copied });
  build();
  mountLesson(root, page);
  root.rocpredict = { state, set, page, redraws: [], get answer() { return answer; } };
  for (const output of root.querySelectorAll("output")) output.setAttribute("aria-live", "off");
  (hash ? document : root).addEventListener("keydown", shortcuts);
  if (suppress) new MutationObserver(silence).observe(root, { childList: true, subtree: true });
  if (window.ResizeObserver) new ResizeObserver(() => requestAnimationFrame(draw)).observe(root);
  else window.addEventListener("resize", draw);
  if (hash) window.addEventListener("hashchange", () => set(fromHash()));
  root.rocpredict.ready = set({ ...payload.start, ...(hash ? fromHash() : {}) });
  return root.rocpredict;

  // ---- state
  function set(patch) {
    const began = performance.now(), next = resolved(patch), wrong = problem(next);
    notice.textContent = wrong;
    if (wrong) {
      if (answer) for (const name of ["data", "contrast", "feature"]) inputs[name].show();
      return Promise.resolve();
    }
    Object.assign(state, next);
    if (!ask) {
      show(answerOf(state, payload), began);
      return Promise.resolve();
    }
    wanted++;
    busy ??= asked(began).finally(() => { busy = null; });
    return busy;
  }

  // The last wish wins: while one answer is on its way, later ones wait as one.
  async function asked(began) {
    for (let now = 0; now !== wanted;) {
      now = wanted;
      try {
        show(revived(await ask(Object.fromEntries(ASKED.map((name) => [name, state[name]])))), began);
      } catch (error) {
        notice.textContent = error instanceof TypeError ? words.wrong.gone : error.message;
      }
    }
  }

  function show(found, began) {
    answer = found;
    notice.textContent = "";
    draw();
    if (hash) keepHash();
    root.rocpredict?.redraws.push(performance.now() - began);
    for (const listener of listeners) listener(state, answer);
  }

  function resolved(patch) {
    const next = { ...state, ...patch }, data = payload.datasets.find(({ key }) => key === next.data);
    if (data && patch.contrastLabels) next.contrast = data.contrasts.findIndex(({ negative, positive }) => negative === patch.contrastLabels[0] && positive === patch.contrastLabels[1]);
    if (data && patch.featureName) next.feature = data.features.findIndex(({ name }) => name === patch.featureName);
    for (const [name, [low, high]] of Object.entries(COUNTS)) next[name] = Number.isFinite(next[name]) ? clamp(Math.round(next[name]), low, high) : START[name];
    if (!Object.hasOwn(words.names, next.names)) next.names = START.names;
    if (next.direction !== "lower") next.direction = "higher";
    delete next.contrastLabels;
    delete next.featureName;
    if (!data) Object.assign(next, { data: next.data ? next.data : "", feature: 0, contrast: 0, family: "gaussian" });
    else if (next.data !== state.data) for (const name of ["feature", "contrast"]) if (!(name in patch) && !(`${name}Name` in patch) && !patch.contrastLabels) next[name] = 0;
    if (data && !("feature" in patch) && !patch.featureName && contrastOf(next, payload)?.facts.error) next.feature = Math.max(0, data.contrasts[next.contrast].facts.findIndex(({ mean }) => mean));
    const chosen = ["data", "feature", "contrast"].some((name) => next[name] !== state[name]), facts = contrastOf(next, payload)?.facts;
    if (chosen && facts?.mean) {
      Object.assign(next, fitOf(facts), { threshold: NaN }, Object.fromEntries(Object.entries(patch).filter(([name]) => name in START)));
    }
    if (Number.isNaN(next.threshold) && !problem({ ...next, threshold: 0 })) next.threshold = bestIn(next);
    if (!frame.mean || chosen || patch.fresh || beyond(next)) frame = frameOf(next);
    delete next.fresh;
    return next;
  }

  function beyond(next) {
    return ["mean", "std"].some((kind) => [0, 1].some((i) => next[kind + i] < frame[kind][0] || next[kind + i] > frame[kind][1]));
  }

  function bestIn(next) {
    const { best, range } = answerOf({ ...next, threshold: 0 }, payload);
    return Number.isFinite(best.threshold) ? best.threshold : (range[0] + range[1]) / 2;
  }

  function problem(next) {
    if (next.data && !(payload.datasets.some(({ key }) => key === next.data) && contrastAt(next))) return words.wrong.data;
    if (next.data && contrastAt(next).facts.error) return contrastAt(next).facts.error;
    const name = FINITE.find((key) => !(Math.abs(next[key]) <= LARGEST)) ?? ABOVE_0.find((key) => !(next[key] >= 1 / LARGEST && next[key] <= LARGEST));
    if (name) return `${words.labels[name]}: ${words.wrong[FINITE.includes(name) ? "finite" : "above"]}`;
    if (!(next.prevalence > 0 && next.prevalence < 1)) return `${words.labels.prevalence}: ${words.wrong.share}`;
    const wide = Math.abs(next.mean1 - next.mean0) + Math.max(next.std0, next.std1), far = Math.max(Math.abs(next.mean0), Math.abs(next.mean1));
    return wide < 1e-9 * far ? words.wrong.close : "";
  }

  function contrastAt(next) {
    const { contrasts, features } = payload.datasets.find(({ key }) => key === next.data);
    return contrasts[next.contrast] && features[next.feature] && contrastOf(next, payload);
  }

  function frameOf({ mean0, mean1, std0, std1 }) {
    const reach = 4 * Math.max(std0, std1), small = Math.min(std0, std1), large = Math.max(std0, std1);
    return { mean: [Math.min(mean0, mean1) - reach, Math.max(mean0, mean1) + reach], std: [small / 5, large * 5] };
  }

  function fromHash() {
    const patch = {};
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
      if (Object.hasOwn(START, name)) patch[name] = typeof START[name] === "number" ? (value.trim() ? Number(value) : NaN) : typeof START[name] === "boolean" ? value === "true" || value === "1" : value;
    }
    return patch;
  }

  function hashOf() {
    return new URLSearchParams(Object.entries(state).filter(([name, value]) => value !== START[name])).toString();
  }

  function keepHash() {
    clearTimeout(said);
    said = setTimeout(() => {
      try { history.replaceState(null, "", `#${hashOf()}`); } catch { /* a page without an address of its own */ }
    }, 250);
  }

  // ---- words about the state
  function featureName() {
    const found = contrastOf(state, payload);
    return found ? found.feature.unit && found.feature.unit !== "1" ? `${cut(found.feature.name)} [${found.feature.unit}]` : cut(found.feature.name) : words.x;
  }

  function classNames() {
    const found = contrastOf(state, payload);
    return found ? [cut(found.contrast.negative), cut(found.contrast.positive)] : [words.negative, words.positive];
  }

  function cut(name) {
    return name.length > 40 ? `${name.slice(0, 39)}…` : name;
  }

  function pointWords() {
    const names = page.rateNames(), { tpr, fpr, ameans } = answer.rates;
    return `${names.tpr} ${rateShown(tpr)}, ${names.fpr} ${rateShown(fpr)}, Ameans ${rateShown(ameans)}`;
  }

  function say(sentence) {
    clearTimeout(spoken);
    spoken = setTimeout(() => { live.textContent = sentence; }, 300);
  }

  // ---- drawing
  function draw() {
    if (!answer) return;
    root.classList.toggle("lecture", state.lecture);
    sections.strip.hidden = !state.strip;
    const widths = Object.fromEntries(Object.entries(views).map(([name, { element }]) => [name, element.parentNode.clientWidth])), scene = { ...sceneOf(state, answer, payload, cloud), widths };
    for (const [name, view] of Object.entries(views)) if (name !== "strip" || state.strip) view.draw(scene);
    const names = page.rateNames();
    for (const [name, { output, format, term }] of Object.entries(outputs)) {
      term.textContent = words.readouts[name] ?? names[name.split(".")[1]];
      const value = name.split(".").reduce((held, key) => held?.[key], answer), known = typeof value === "number";
      output.parentNode.parentNode.hidden = value === undefined || value === null;
      put(output, { "data-value": known ? value : "" }).textContent = known ? format(value) : "";
    }
    for (const input of Object.values(inputs)) input.show();
    sections.rows.hidden = !answer.empirical;
    remarks.textContent = remarksOf().join(" ");
  }

  // A notebook has keys of its own; they rest where the page has the focus.
  function silence() {
    for (const element of root.querySelectorAll("button,input,select,textarea,[tabindex]")) element.dataset.lmSuppressShortcuts = "true";
  }

  function remarksOf() {
    const said = [], facts = contrastOf(state, payload)?.facts, worst = answer.crossings.find((t) => t !== answer.best.threshold && t > answer.range[0] && t < answer.range[1]);
    if (!answer.crossings.length) said.push(words.remarks.none);
    if (worst !== undefined && answer.crossings.length > 1) said.push(words.remarks.two.replace("{best}", significant(answer.best.threshold)).replace("{worst}", significant(worst)));
    if (answer.dips && answer.dips[0] > 0.0005 && answer.dips[0] < 0.9995) said.push(words.remarks.dips.replace("{fpr}", rateShown(answer.dips[0])));
    if (answer.locked) said.push(answer.locked);
    if (facts && !isFit(state, facts) && state.family === "gaussian") said.push(words.remarks.moved);
    if (facts?.missing) said.push(words.remarks.missing.replace("{n}", facts.missing));
    return said;
  }

  // ---- moving
  function move(patch) {
    set(patch).then(() => { if (answer) say(page.thresholdWords()); });
  }

  function arrows(event) {
    if (!answer) return;
    const [low, high] = answer.range, point = event.currentTarget.dataset.handle === "point" && state.direction !== "lower", step = (high - low) / (event.shiftKey ? 2000 : 200);
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key], end = { Home: 0, End: 1 }[event.key];
    if ((steps === undefined && end === undefined) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move({ threshold: end === undefined ? clamp(state.threshold + (point ? -steps : steps) * step, low, high) : (end === 1) === point ? low : high });
  }

  function toPoint(x, y) {
    if (!answer) return;
    move({ threshold: nearestThreshold(answer.curve, clamp(x, 0, 1), clamp(y, 0, 1)) });
  }

  function shortcuts(event) {
    if (suppress) event.stopPropagation();
    const typing = event.target.closest?.("textarea,select,input:not([type=range],[type=checkbox],[type=radio])");
    if (!answer || !state.keys || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "b" || event.key === "B") toBest();
    else if (event.key === "p" || event.key === "P") toggleLecture();
    else if (event.key === " " && !event.target.closest?.("button,input,summary,a")) sweep();
    else return;
    event.preventDefault();
  }

  function toBest() {
    move({ threshold: clamp(number(answer.best.threshold), ...answer.range) });
  }

  function toggleLecture() {
    set({ lecture: !state.lecture });
    if (state.lecture) root.querySelector("[data-handle]").focus();
  }

  function sweep() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    if (moving) { moving = 0; return; }
    const mine = moving = performance.now();
    (function step() {
      if (moving !== mine) return;
      const [low, high] = answer.range, next = state.threshold + (high - low) / 240;
      set({ threshold: next > high || next < low ? low : next }).then(() => requestAnimationFrame(step));
    })();
  }

  // ---- building
  function build() {
    root.classList.add("rocpredict");
    root.append(
      make("header", {}, make(hash ? "h1" : "h2", {}, payload.title || words.title), make("p", { class: "lead" }, words.lead), toolbar()), notice, live, offered,
      section("lesson"), source(), make("div", { class: "pictures" }, figure("densities"), figure("roc")), make("p", { class: "remarks" }), figure("strip"),
      make("div", { class: "numbers" }, section("table", make("h3", {}, words.table), views.table.element), controls()), readoutsSection(), section("chance"), make("p", { class: "keys" }, words.keyhelp),
    );
    sections.strip = root.querySelector(".strip");
    sections.rows = root.querySelector(".rows");
    remarks = root.querySelector(".remarks");
  }

  function section(name, ...children) {
    return make("section", { class: name, "aria-label": words[name] ?? words.sections[name] }, ...children);
  }

  function figure(name) {
    const buttons = [["svg", saveSvg], ["png", savePng]].map(([kind, save]) => button(words.save[kind].replace("{picture}", words[name]), () => save(name)));
    return section(name, views[name].element, make("div", { class: "tools" }, ...buttons));
  }

  function readoutsSection() {
    const groups = Object.entries(READOUTS).map(([group, list]) => make("div", { class: group }, make("h3", {}, words.groups[group]), make("dl", {}, ...list.map(([name, format]) => {
      const output = make("output", { "data-name": name }), term = make("dt");
      outputs[name] = { output, format, term };
      return make("div", {}, term, make("dd", {}, output));
    }))));
    return section("readouts", ...groups);
  }

  function toolbar() {
    const acts = { best: toBest, sweep, lecture: toggleLecture, reset, python: () => offer(pythonOf()), embed: () => offer(embedOf()), print: () => window.print() };
    return make("div", { class: "tools toolbar" }, ...Object.entries(acts).map(([word, act]) => button(words.buttons[word], act)));
  }

  function reset() {
    const facts = contrastOf(state, payload)?.facts, { data, feature, contrast, names, keys, step } = state;
    set({ ...START, ...(facts ? { data, feature, contrast, ...fitOf(facts) } : payload.start), names, keys, step, fresh: true });
  }

  function source() {
    const presets = payload.presets.map(({ key }) => [key, words.presets[key] ?? key]);
    return section("source", dropdown("data", () => [["", words.typed], ...payload.datasets.map(({ key, name }) => [key, name])]),
      dropdown("contrast", () => dataset()?.contrasts.map(({ negative, positive }, i) => [i, words.against.replace("{positive}", positive).replace("{negative}", negative)])),
      dropdown("feature", () => dataset()?.features.map(({ name }, i) => [i, name])),
      payload.families?.length ? dropdown("family", () => dataset() && payload.families.map((name) => [name, name])) : null,
      choose("preset", [["", "…"], ...presets], toPreset), dropdown("direction", () => [["higher", words.higher], ["lower", words.lower]]));
  }

  function toPreset(key) {
    const found = payload.presets.find((preset) => preset.key === key);
    if (found) set({ ...START, names: state.names, keys: state.keys, ...found.state, fresh: true });
  }

  function controls() {
    const group = (name, ...parts) => make("fieldset", {}, make("legend", {}, words.groups[name]), ...parts);
    return section("controls",
      group("use", slider("threshold", () => linear(answer.range)), slider("prevalence", () => odds, 100), slider("cost", () => onLog([Math.min(0.01, state.cost), Math.max(100, state.cost)]))),
      group("classes", ...["mean0", "std0", "mean1", "std1"].map((name) => slider(name, () => name.startsWith("mean") ? linear(frame.mean) : onLog(frame.std))), button(words.buttons.fit, reset)),
      group("show", ...["weighted", "empirical", "strip", "costline", "keys"].map(tick), dropdown("names", () => Object.keys(words.names).map((name) => [name, words.namings[name]]))));
  }

  function dataset() {
    return payload.datasets.find(({ key }) => key === state.data);
  }

  // A slider writes only what a hand moved it to: a fitted mean keeps its digits.
  function slider(name, scaleOf, times = 1) {
    const range = make("input", { type: "range", min: 0, max: STEPS, step: 1, id: page.id(name) }), box = make("input", { type: "number", step: "any", "aria-label": `${words.labels[name]}, ${words.exact}` });
    range.addEventListener("input", () => answer && set({ [name]: scaleOf().value(range.value / STEPS) }).then(() => say(name === "threshold" ? page.thresholdWords() : `${words.labels[name]} ${box.value}; ${pointWords()}`)));
    if (name === "threshold") range.addEventListener("keydown", (event) => arrows(event));
    else range.addEventListener("keydown", (event) => fine(event, range));
    box.addEventListener("change", () => set({ [name]: box.value === "" ? Infinity : Number(box.value) / times }).then(() => inputs[name].mark()));
    const mark = () => box.setAttribute("aria-invalid", Number(box.value) / times !== state[name] && !!notice.textContent);
    inputs[name] = {
      mark,
      show() {
        range.value = Math.round(clamp(scaleOf().share(state[name]), 0, 1) * STEPS);
        range.setAttribute("aria-valuetext", significant(state[name] * times, 5));
        if (document.activeElement !== box || !notice.textContent) box.value = Number((state[name] * times).toPrecision(7));
        box.removeAttribute("aria-invalid");
        range.disabled = box.disabled = !!answer.locked && (name.startsWith("mean") || name.startsWith("std"));
      },
    };
    return make("div", { class: "slider" }, make("label", { for: range.id }, words.labels[name]), range, box);
  }

  function fine(event, range) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!steps) return;
    event.preventDefault();
    range.value = Number(range.value) + steps * (event.shiftKey ? 1 : 10);
    range.dispatchEvent(new Event("input"));
  }

  function tick(name) {
    const box = make("input", { type: "checkbox", id: page.id(name), onchange: () => set({ [name]: box.checked }) });
    inputs[name] = { show: () => { box.checked = state[name]; } };
    return make("div", { class: "tick" }, box, make("label", { for: box.id }, words.labels[name]));
  }

  function choose(name, options, act) {
    const select = make("select", { id: page.id(name), onchange: () => act(select.value) }, ...options.map(([value, label]) => make("option", { value }, label)));
    return make("div", { class: "choice" }, make("label", { for: select.id }, words.labels[name]), select);
  }

  function dropdown(name, optionsOf) {
    const kind = typeof START[name] === "number" ? Number : String, choice = choose(name, [], (value) => set({ [name]: kind(value) })), select = choice.lastChild;
    let held = "";
    inputs[name] = {
      show() {
        const options = optionsOf() ?? [], key = JSON.stringify(options);
        choice.hidden = !options.length;
        if (key !== held) select.replaceChildren(...options.map(([value, label]) => make("option", { value }, label)));
        held = key;
        select.value = state[name];
      },
    };
    return choice;
  }

  // ---- what leaves the page
  function pythonOf() {
    const found = contrastOf(state, payload), lower = state.direction === "lower" ? ", direction=\"lower\"" : "", quoted = (name) => JSON.stringify(name);
    const lines = ["import rocpredict as rp", ""], gaussians = `rp.PredictedRoc(negative=rp.Gaussian(${state.mean0}, ${state.std0}), positive=rp.Gaussian(${state.mean1}, ${state.std1})${lower})`;
    if (found && found.data.key !== "own") {
      lines.push(`data = rp.datasets.load_${found.data.key}()`, `x, y = data.column(${quoted(found.feature.name)}), data.y`);
    } else if (found) {
      lines.push(words.ownrows.replace("{feature}", found.feature.name.replaceAll("\n", " ")));
      lines.push("y = [str(label) for label in y]");
    }
    if (found) {
      const options = `x, y, positive=${quoted(found.contrast.positive)}${found.data.labels.includes(found.contrast.negative) ? `, negative=${quoted(found.contrast.negative)}` : ""}${lower}, nan_policy="omit"`, family = state.family === "gaussian" ? "" : `, family=${quoted(state.family)}`;
      lines.push(`empirical = rp.empirical_roc(${options})`, isFit(state, found.facts) ? `roc = rp.predict_roc(${options}${family})` : `roc = ${gaussians}`, "rp.compare(roc, empirical)");
    } else lines.push(`roc = ${gaussians}`);
    lines.push("roc.auc()", "roc.best_threshold()", `roc.rates(${state.threshold}, prevalence=${state.prevalence})`, `roc.best_threshold("cost", prevalence=${state.prevalence}, cost_fp=${state.cost})`);
    return `${lines.join("\n")}\n`;
  }

  function embedOf() {
    const address = `${location.href.split("#")[0]}#${hashOf()}`.replaceAll("&", "&amp;").replaceAll("\"", "&quot;");
    return `<iframe src="${address}" title="${words.title}" width="960" height="720" loading="lazy" style="border:0"></iframe>\n`;
  }

  function offer(content) {
    offered.hidden = false;
    offered.value = content;
    offered.focus();
    offered.select();
    navigator.clipboard?.writeText(content).then(() => say(words.copied), () => say(words.selected)) ?? say(words.selected);
  }

  function download(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function svgBlob(name) {
    const copy = views[name].element.cloneNode(true);
    put(copy, { xmlns: "http://www.w3.org/2000/svg" });
    return new Blob([new XMLSerializer().serializeToString(copy).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, "")], { type: "image/svg+xml" });
  }

  function saveSvg(name) {
    download(svgBlob(name), `${name}.svg`);
  }

  function savePng(name) {
    const image = new Image(), address = URL.createObjectURL(svgBlob(name)), { width, height } = views[name].element.viewBox.baseVal;
    image.onerror = () => { notice.textContent = words.wrong.png; };
    image.onload = () => {
      const canvas = put(make("canvas"), { width: 2 * width, height: 2 * height }), pen = canvas.getContext("2d");
      pen.fillStyle = "#ffffff";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(address);
      canvas.toBlob((blob) => download(blob, `${name}.png`));
    };
    image.src = address;
  }
}

const button = (words, onclick) => make("button", { type: "button", onclick }, words);
const fitOf = ({ mean, std, direction }) => ({ mean0: mean[0], mean1: mean[1], std0: std[0], std1: std[1], direction });

function revived(answer) {
  for (const part of ["best", "costbest", "accuracybest"]) answer[part].threshold = number(answer[part].threshold);
  for (const [name, value] of Object.entries(answer.rates)) answer.rates[name] = number(value);
  return answer;
}
