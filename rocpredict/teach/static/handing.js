// What leaves the page: Python and an embed code to copy, pictures to save.
import { make, put } from "./drawing.js";
import { contrastOf, isFit } from "./model.js";
import { hashOf } from "./state.js";

export const button = (words, onclick) => make("button", { type: "button", onclick }, words);
const quoted = (name) => JSON.stringify(name);

/** A text to copy: the browser's clipboard where there is one, and a selection where there is none. */
export function handingOf(page) {
  const words = page.words.page, { clipboard } = navigator;
  const offered = { readonly: true, rows: 6, hidden: true, spellcheck: "false", "aria-label": words.copied };
  const element = make("textarea", offered);

  function offer(content) {
    const done = () => page.say(words.copied), byHand = () => page.say(words.selected);
    element.hidden = false;
    element.value = content;
    element.focus();
    element.select();
    if (clipboard) clipboard.writeText(content).then(done, byHand);
    else byHand();
  }
  return { element, python: () => offer(pythonOf(page)), embed: () => offer(embedOf(page)) };
}

// ---- texts
function pythonOf(page) {
  const { state, payload } = page, { threshold, prevalence, cost } = state, found = contrastOf(state, payload);
  const made = found ? rowsAsPython(page, found) : [`roc = ${gaussiansAsPython(state)}`];
  const rates = `roc.rates(${threshold}, prevalence=${prevalence})`;
  const best = `roc.best_threshold("cost", prevalence=${prevalence}, cost_fp=${cost})`;
  const asked = ["roc.auc()", "roc.best_threshold()", rates, best];
  return `${["import rocpredict as rp", "", ...made, ...asked].join("\n")}\n`;
}

const directed = ({ direction }) => direction === "lower" ? ", direction=\"lower\"" : "";

function gaussiansAsPython(state) {
  const [negative, positive] = [0, 1].map((i) => `rp.Gaussian(${state[`mean${i}`]}, ${state[`std${i}`]})`);
  return `rp.PredictedRoc(negative=${negative}, positive=${positive}${directed(state)})`;
}

function rowsAsPython({ state, words }, { data, contrast, feature, facts }) {
  const { negative } = contrast, other = data.labels.includes(negative) ? `, negative=${quoted(negative)}` : "";
  const options = `x, y, positive=${quoted(contrast.positive)}${other}${directed(state)}, nan_policy="omit"`;
  const family = state.family === "gaussian" ? "" : `, family=${quoted(state.family)}`;
  const roc = isFit(state, facts) ? `rp.predict_roc(${options}${family})` : gaussiansAsPython(state);
  const loaded = data.key === "own"
    ? [words.page.ownrows.replace("{feature}", feature.name.replaceAll("\n", " ")), "y = [str(label) for label in y]"]
    : [`data = rp.datasets.load_${data.key}()`, `x, y = data.column(${quoted(feature.name)}), data.y`];
  return [...loaded, `empirical = rp.empirical_roc(${options})`, `roc = ${roc}`, "rp.compare(roc, empirical)"];
}

function embedOf({ state, payload, words }) {
  const address = `${location.href.split("#")[0]}#${hashOf(state, payload)}`;
  const src = address.replaceAll("&", "&amp;").replaceAll("\"", "&quot;"), title = words.page.title;
  return `<iframe src="${src}" title="${title}" width="960" height="720" loading="lazy" style="border:0"></iframe>\n`;
}

// ---- pictures
export function saveButtons(page, name, picture) {
  const words = page.words.page, saves = { svg: () => download(svgBlob(picture), `${name}.svg`) };
  saves.png = () => savePng(picture, `${name}.png`, () => { page.notice.textContent = words.wrong.png; });
  const said = (kind) => words.save[kind].replace("{picture}", words[name]);
  return make("div", { class: "tools" }, ...Object.entries(saves).map(([kind, save]) => button(said(kind), save)));
}

function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// XML has no place for control characters.
function svgBlob(picture) {
  const copy = put(picture.cloneNode(true), { xmlns: "http://www.w3.org/2000/svg" });
  const text = new XMLSerializer().serializeToString(copy).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, "");
  return new Blob([text], { type: "image/svg+xml" });
}

function savePng(picture, name, onerror) {
  const image = new Image(), address = URL.createObjectURL(svgBlob(picture));
  const { width, height } = picture.viewBox.baseVal;
  image.onerror = onerror;
  image.onload = () => {
    const canvas = put(make("canvas"), { width: 2 * width, height: 2 * height }), brush = canvas.getContext("2d");
    brush.fillStyle = "#ffffff";
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    canvas.toBlob((blob) => download(blob, name));
  };
  image.src = address;
}
