// The sentence that follows the threshold, and the messages about the state.
import { createButton, createHtmlElement } from "./elements.js";
import { listNotes } from "./readouts.js";
import { createTerm } from "./terms.js";

/** Returns the section of the sentence, the messages for the panel, and the functions that update both. */
export function createSentence(page) {
  const words = page.words.page, paragraph = createHtmlElement("p");
  const element = createHtmlElement("section", { class: "sentence", "aria-label": words.sections.result }, paragraph);
  const notes = createHtmlElement("p", { class: "notes" }), remark = createHtmlElement("p", { class: "state-note" });
  const turn = createButton(words.buttons.turn, () => {
    const direction = page.state.direction === "lower" ? "higher" : "lower";
    page.set({ direction, threshold: NaN });
  });
  const linkText = createHtmlElement("span"), closeLink = createButton("✕", () => { linkNote.hidden = true; },
    { class: "quiet", "aria-label": words.buttons.close });
  const linkNote = createHtmlElement("p", { class: "link-note", role: "status", hidden: true }, linkText, closeLink);
  const messages = createHtmlElement("div", { class: "messages" }, page.notice, linkNote, remark, turn, notes);
  // The table of a phone is below the messages.
  if (window.ResizeObserver) new ResizeObserver(() => {
    page.root.style.setProperty("--messages", `${messages.offsetHeight}px`);
  }).observe(messages);

  function showInvalid(invalid) {
    const [{ name, text, value } = {}] = invalid, names = invalid.map((entry) => entry.name).join(", ");
    linkNote.hidden = !invalid.length;
    linkText.textContent = invalid.length === 1
      ? words.link.one.replace("{entry}", `${name}=${text}`).replace("{value}", value === "" ? "–" : value)
      : words.link.many.replace("{names}", names);
  }

  // The numbers of the sentence have the colors of their classes.
  function draw({ counts, state, observations, answer }) {
    const [negative, positive] = page.getClassNames(), { formatCount } = page.formatter;
    const empirical = observations && answer.empirical, data = empirical ? words.sentence.data : "";
    const template = page.isStory() ? words.sentence.story : words.sentence.own.replace("{data}", data);
    element.classList.toggle("long", !page.isStory());
    const threshold = createTerm(page, "threshold", page.formatThreshold(state.threshold));
    // A count, with the size of its class if the sentence does not have it yet.
    const share = (className, count, total, shownTotal) => createHtmlElement("b", { class: className },
      total === shownTotal ? formatCount(count) : words.sentence.share.replace("{n}", formatCount(count))
        .replace("{of}", formatCount(total)));
    const dataShare = (className, rate, { length }, shownTotal) =>
      share(className, Math.round(rate * length), length, shownTotal);
    const name = (title) => title && createHtmlElement("span", { class: "name", title }, title);
    const parts = {
      at: state.direction === "lower" ? words.sentence.below : words.sentence.at, t: threshold,
        positive: name(positive), negative: name(negative), unit: name(page.getUnit()),
      tp: share("of-ill", counts.tp, counts.positives), fp: share("of-healthy", counts.fp, counts.negatives),
      dataTp: empirical && dataShare("of-ill", empirical.tpr, observations.positive, counts.positives),
      dataFp: empirical && dataShare("of-healthy", empirical.fpr, observations.negative, counts.negatives),
    };
    const hadFocus = paragraph.contains(document.activeElement);
    paragraph.replaceChildren(...template.split(/\{(\w+)\}/).map((part, i) => i % 2 ? parts[part] : part)
      .map((part, i, all) => part === " " && all[i + 1] === "" ? "" : part));
    if (hadFocus) threshold.focus();
    const isReversed = page.answer.auc < 0.5 - 1e-12, isEven = Math.abs(page.answer.auc - 0.5) < 1e-9;
    const evenRemark = words.remarks[Number.isFinite(page.answer.best.threshold) ? "noauc" : "none"];
    const noteTexts = listNotes(page), doubt = noteTexts.find((note) => note === words.remarks.doubt) ?? "";
    remark.textContent = page.answer.locked ?? (isReversed ? words.remarks.reversed : isEven ? evenRemark : doubt);
    turn.textContent = state.direction === "lower" ? words.buttons.turnback : words.buttons.turn;
    turn.hidden = !isReversed;
    notes.textContent = noteTexts.filter((note) => note !== remark.textContent).join(" ");
  }
  return { element, messages, showInvalid, draw };
}
