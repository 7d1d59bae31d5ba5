// Exports: Python code and embed code to copy, plots to save.
import { createButton, createHtmlElement, createSvgElement, setAttributes } from "./elements.js";
import { PASTED_KEY } from "./fitted.js";
import { findPair, isFitted } from "./model.js";
import { getPublicAddress } from "./qr.js";
import { toHash } from "./state.js";

const quote = (text) => JSON.stringify(text);

/** Returns the panel of a text to copy. The text is also written to the clipboard if the browser has one. */
export function createExportPanel(page) {
  const words = page.words.page, { clipboard } = navigator;
  const attributes = { readonly: true, rows: 6, hidden: true, spellcheck: "false", "aria-label": words.copied };
  const element = createHtmlElement("textarea", attributes);

  function offerText(text) {
    const announceCopied = () => page.announce(words.copied), announceSelected = () => page.announce(words.selected);
    element.hidden = false;
    element.value = text;
    element.focus();
    element.select();
    if (clipboard) clipboard.writeText(text).then(announceCopied, announceSelected);
    else announceSelected();
  }
  return {
    element, exportLink: () => offerText(getPublicAddress(page) ?? location.href),
      exportPython: () => offerText(toPythonCode(page)), exportEmbed: () => offerText(toEmbedCode(page)),
  };
}

// ---- code
function toPythonCode(page) {
  const { state, payload } = page, { threshold, prevalence, cost } = state, selection = findPair(state, payload);
  const setup = selection ? createDataLines(page, selection) : [`roc = ${createGaussianCall(state)}`];
  const rates = `roc.rates(${threshold}, prevalence=${prevalence})`;
  const best = `roc.best_threshold("cost", prevalence=${prevalence}, cost_fp=${cost})`;
  const queries = ["roc.auc()", "roc.best_threshold()", rates, best];
  return `${["import rocpredict as rp", "", ...setup, ...queries].join("\n")}\n`;
}

const createDirectionArgument = ({ direction }) => direction === "lower" ? ", direction=\"lower\"" : "";

function createGaussianCall(state) {
  const [negative, positive] = [0, 1].map((i) => `rp.Gaussian(${state[`mean${i}`]}, ${state[`std${i}`]})`);
  return `rp.PredictedRoc(negative=${negative}, positive=${positive}${createDirectionArgument(state)})`;
}

function createDataLines({ state, words }, { data, pair, feature, facts }) {
  const negative = data.labels.includes(pair.negative) ? `, negative=${quote(pair.negative)}` : "";
  const classes = `positive=${quote(pair.positive)}${negative}`;
  const options = `x, y, ${classes}${createDirectionArgument(state)}, nan_policy="omit"`;
  const family = state.family === "gaussian" ? "" : `, family=${quote(state.family)}`;
  const roc = isFitted(state, facts) ? `rp.predict_roc(${options}${family})` : createGaussianCall(state);
  const comment = words.page.ownrows.replace("{feature}", feature.name.replaceAll("\n", " "));
  const loading = ["own", PASTED_KEY].includes(data.key)
    ? [comment, "y = [str(label) for label in y]"]
    : [`data = rp.datasets.load_${data.key}()`, `x, y = data.column(${quote(feature.name)}), data.y`];
  return [...loading, `empirical = rp.empirical_roc(${options})`, `roc = ${roc}`, "rp.compare(roc, empirical)"];
}

// A page without a public address, such as a file, has a placeholder and a comment instead.
function toEmbedCode(page) {
  const address = getPublicAddress(page), { words } = page, title = page.payload.title || words.page.title;
  const quoteAttribute = (text) => text.replaceAll("&", "&amp;").replaceAll("\"", "&quot;");
  const src = quoteAttribute(address ?? `https://example.org/teach.html#${toHash(page.state, page.payload)}`);
  const style = "width=\"960\" height=\"768\" loading=\"lazy\" style=\"border:0\"";
  const comment = address ? "" : `<!-- ${words.dialog.upload} -->\n`;
  return `${comment}<iframe src="${src}" title="${quoteAttribute(title)}" ${style}></iframe>\n`;
}

// ---- plots
export function createSaveButtons(page, name, plot) {
  const words = page.words.page, showError = () => { page.notice.textContent = words.wrong.png; };
  const savers = {
    svg: () => downloadBlob(createSvgBlob(plot), `${name}.svg`), png: () => savePng(plot, `${name}.png`, showError),
  };
  const createSaveButton = ([format, save]) =>
    createButton(words.save[format].replace("{picture}", words[name]), save);
  return createHtmlElement("div", { class: "tools" }, ...Object.entries(savers).map(createSaveButton));
}

function downloadBlob(blob, fileName) {
  const link = createHtmlElement("a", { href: URL.createObjectURL(blob), download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Control characters are removed, since XML does not allow them.
// Variables of the theme become their values.
function createSvgBlob(plot) {
  const copy = setAttributes(plot.cloneNode(true), { xmlns: "http://www.w3.org/2000/svg" });
  for (const element of copy.querySelectorAll("[hidden]")) element.remove();
  const { width, height } = plot.viewBox.baseVal, style = getComputedStyle(plot);
  copy.prepend(createSvgElement("rect", { width, height, fill: "var(--bg)" }));
  const text = new XMLSerializer().serializeToString(copy)
    .replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim())
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, "");
  return new Blob([text], { type: "image/svg+xml" });
}

function savePng(plot, fileName, onerror) {
  const image = new Image(), url = URL.createObjectURL(createSvgBlob(plot));
  const { width, height } = plot.viewBox.baseVal;
  image.onerror = onerror;
  image.onload = () => {
    const canvas = setAttributes(createHtmlElement("canvas"), { width: 2 * width, height: 2 * height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => downloadBlob(blob, fileName));
  };
  image.src = url;
}
