// The definitions of terms. A term is a button; its card opens inside the panel.
import { createButton, createHtmlElement } from "./elements.js";

/** Returns the card, and the functions that make a term, open it and close it. */
export function createTerms(page) {
  const words = page.words.terms, { formatFixed, formatRate, formatCount } = page.formatter;
  const title = createHtmlElement("h2", { tabindex: -1 }), aliases = createHtmlElement("p", { class: "aliases" });
  const text = createHtmlElement("p"), formula = createHtmlElement("p", { class: "formula" });
  const closeButton = createButton("✕", close, { class: "quiet close", "aria-label": page.words.page.buttons.close });
  const { glossary } = page.payload;
  const glossaryLink = createHtmlElement("a", { target: "_blank" }, glossary ? page.words.page.glossary : "");
  const card = createHtmlElement("section", { class: "card", "aria-label": page.words.page.sections.term,
    hidden: true },
    createHtmlElement("header", {}, title, closeButton), aliases, text, formula, glossaryLink);
  let opener = null, current = "";
  card.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  page.on(() => { if (current) fillFormula(); });

  function open(name) {
    if (!card.contains(document.activeElement)) opener = document.activeElement;
    current = name;
    const { title: heading, also = "", text: story, own = story } = words[name];
    [title.textContent, aliases.textContent] = [heading, also];
    text.textContent = page.fillClasses(page.isStory() ? story : own);
    fillFormula();
    if (glossary) glossaryLink.href = `${glossary}#term-${heading}`;
    card.hidden = false;
    page.root.dataset.term = name;
    title.focus();
    card.scrollIntoView({ block: "nearest" });
  }

  function close() {
    card.hidden = true;
    current = "";
    delete page.root.dataset.term;
    opener?.focus();
  }

  // The formula has the colors of the classes, and the present numbers.
  function fillFormula() {
    const { rates, auc, dprime } = page.answer, { counts, state } = page, { tp, fp, fn, tn } = counts;
    const positive = (content) => createHtmlElement("b", { class: "of-ill" }, content);
    const negative = (content) => createHtmlElement("b", { class: "of-healthy" }, content);
    const [TP, FN] = ["TP", "FN"].map(positive), [FP, TN] = ["FP", "TN"].map(negative);
    const again = { TP: positive("TP"), FP: negative("FP"), TN: negative("TN") };
    const format = (n) => formatCount(n), isGaussian = state.family === "gaussian";
    const difference = state.direction === "lower" ? "m₀ − m₁" : "m₁ − m₀";
    const color = (text) => text.split(/([ms][₀₁])/).map((part) =>
      part.endsWith("₁") ? positive(part) : part.endsWith("₀") ? negative(part) : part);
    const formulas = {
      threshold: [`x ${state.direction === "lower" ? "≤" : "≥"} ${page.formatThreshold(state.threshold)}`],
      tpr: [TP, "/(", again.TP, " + ", FN, `) = ${formatRate(rates.tpr)}`],
      fpr: [FP, "/(", again.FP, " + ", TN, `) = ${formatRate(rates.fpr)}`],
      tnr: [TN, "/(", FP, " + ", again.TN, `) = ${formatRate(rates.tnr)}`],
      auc: color(`${isGaussian ? `Φ((${difference})/√(s₀² + s₁²))` : "AUC"} = ${formatRate(auc)}`),
      ameans: [`(${formatRate(rates.tpr)} + ${formatRate(rates.tnr)})/2 = ${formatRate(rates.ameans)}`],
      prevalence: [`${format(counts.positives)}/${format(counts.total)}`],
      precision: [TP, "/(", again.TP, " + ", FP,
        `) = ${format(tp)}/${format(tp + fp)} = ${formatRate(tp + fp ? rates.precision : NaN)}`],
      npv: [TN, "/(", again.TN, " + ", FN, `) = ${format(tn)}/${format(tn + fn)} = ${
        formatRate(tn + fn ? rates.npv : NaN)}`],
      accuracy: [`(${format(tp)} + ${format(tn)})/${format(counts.total)} = ${formatRate(rates.accuracy)}`],
      mcc: [formatFixed(rates.mcc)], dprime: color(`(${difference})/√((s₀² + s₁²)/2) = ${formatFixed(dprime)}`),
    };
    formula.replaceChildren(...formulas[current]);
  }
  return { card, open, close };
}

/** Returns a button that opens the definition of a term. */
export function createTerm(page, name, label) {
  return createButton(label, () => page.openTerm(name), { class: "term", "data-term": name });
}
