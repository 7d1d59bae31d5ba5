// The dialog for data of the user: a table to paste or drop, and a choice of its classes.
import { openDialog } from "./dialog.js";
import { createButton, createHtmlElement, createOptions } from "./elements.js";
import { PASTED_KEY } from "./fitted.js";
import { createDataset, describeSummary, listLabels, readTable } from "./own_data.js";
import { DEFAULT_STATE, toFittedState } from "./state.js";

const READ_DELAY_MS = 200, MAX_SHOWN_TEXT = 100000;

/** Opens the dialog. Nothing that the user enters leaves the page. */
export function showDataDialog(root, page) {
  const words = page.words.entry, form = createForm(page, (patch) => {
    dialog.close();
    page.set(patch);
  });
  const dialog = openDialog(root, page, words.title, createHtmlElement("p", {}, words.intro), ...form.elements);
  dialog.addEventListener("dragover", (event) => event.preventDefault());
  dialog.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    form.readFile(file);
  });
  form.focus();
}

const fillSentence = (sentence, values) => sentence.replaceAll(/\{(\w+)\}/g, (mark, name) => values[name] ?? mark);

function createForm(page, apply) {
  const words = page.words.entry, createField = (...parts) => createHtmlElement("div", { class: "field" }, ...parts);
  const text = createHtmlElement("textarea", { id: page.createId("paste"), rows: 6, spellcheck: "false" });
  text.placeholder = words.example;
  const file = createHtmlElement("input", {
    type: "file", id: page.createId("file"), accept: ".csv,.tsv,.txt", class: "visually-hidden" });
  const message = createHtmlElement("p", { class: "message", role: "alert" }), note = createHtmlElement("p", {});
  const choices = createHtmlElement("div", { class: "choices" });
  const useButton = createButton(words.use, () => attempt(use), { class: "use" });
  let read = null, content = "", timer = 0;

  const showRead = () => attempt(() => {
    clearTimeout(timer);
    [read, useButton.disabled] = [null, true];
    choices.replaceChildren();
    note.textContent = "";
    if (!content.trim()) return;
    read = readTable(content);
    (read.kind === "summary" ? showSummary : showObservations)();
    useButton.disabled = false;
  });

  // The sentence of an error replaces the note.
  function attempt(action) {
    message.textContent = "";
    try {
      action();
    } catch (error) {
      if (!error.key) throw error;
      const values = { ...error.values };
      for (const name of ["rows", "found", "most"]) values[name] &&= values[name].toLocaleString(page.payload.lang);
      message.textContent = fillSentence(words.wrong[error.key], values);
    }
  }

  // ---- choices
  function fill(select, options, selected) {
    select.replaceChildren(...createOptions(options));
    select.value = selected;
  }

  function addChoice(name, options = [], selected = "") {
    const select = createHtmlElement("select", { id: page.createId(`choice-${name}`) });
    fill(select, options, selected);
    choices.append(createField(createHtmlElement("label", { for: select.id }, words[name]), select));
    return select;
  }

  function showSummary() {
    const { names, n } = read.features[0], { features } = read;
    const options = features.map(({ name }, i) => [String(i), name]);
    const feature = features.length > 1 ? addChoice("feature", options, "0") : null;
    const { mean } = features[0], larger = mean[0] > mean[1] ? 0 : 1;
    const positive = addChoice("positive", names.map((name, i) => [String(i), name]), String(larger));
    const describe = () => {
      const high = Number(positive.value), total = n && n[0] + n[1];
      const share = n ? fillSentence(words.share, { n1: n[high], total }) : "";
      const why = high === larger ? words.larger : "";
      const chosen = fillSentence(words.chosen, { positive: names[high], why });
      note.textContent = `${chosen} ${share}`;
    };
    positive.addEventListener("change", describe);
    describe();
    read.choose = () => ({ summary: features[Number(feature?.value ?? 0)], positive: Number(positive.value) });
  }

  function showObservations() {
    const { table, columns, omitted, labelColumns } = read;
    const isNumeric = ({ index }) => columns.some((column) => column.index === index);
    const preferred = labelColumns.findLast((column) => !isNumeric(column)) ?? labelColumns.at(-1);
    const options = labelColumns.map(({ index }) => [String(index), table.header[index]]);
    const label = addChoice("label", options, String(preferred.index));
    const positive = addChoice("positive"), negative = addChoice("negative");
    const countRows = (name) => table.rows.filter(({ cells }) => cells[Number(label.value)].trim() === name).length;
    const findRarest = () => listLabels(table, Number(label.value)).reduce((rarest, name) =>
      countRows(name) <= countRows(rarest) ? name : rarest);
    const fillNegative = () => {
      const others = listLabels(table, Number(label.value)).filter((name) => name !== positive.value);
      const items = others.map((name) => [`=${name}`, name]);
      fill(negative, others.length > 1 ? [["", words.others], ...items] : items, others.length > 1 ? "" : items[0][0]);
    };
    const fillPositive = () => {
      const labels = listLabels(table, Number(label.value));
      fill(positive, labels.map((name) => [name, name]), 
        labels.some((name) => isNaN(name)) ? findRarest() : labels.at(-1));
      fillNegative();
      describe();
    };
    const describe = () => {
      const features = columns.filter(({ index }) => index !== Number(label.value)).length;
      const rows = table.rows.length.toLocaleString(page.payload.lang);
      const left = omitted.filter(({ column }) => column !== table.header[Number(label.value)]);
      const sentences = left.map((values) => fillSentence(words.omitted, values));
      const why = positive.value === findRarest() ? words.rarer : "";
      const chosen = fillSentence(words.chosen, { positive: positive.value, why });
      note.textContent = [fillSentence(words.found, { rows, features }), chosen, ...sentences].join(" ");
    };
    label.addEventListener("change", fillPositive);
    positive.addEventListener("change", () => {
      fillNegative();
      describe();
    });
    fillPositive();
    read.choose = () => {
      const isAll = !negative.value;
      return { label: Number(label.value), positive: positive.value, negative: isAll ? null : negative.value.slice(1) };
    };
  }

  // ---- use
  function use() {
    if (!read) return;
    const { payload, state } = page, kept = { names: state.names, keys: state.keys }, choice = read.choose();
    if (read.kind === "summary") {
      const { patch, names } = describeSummary(choice.summary, choice.positive);
      payload.names = { pair: names.pair, ...(names.feature ? { feature: names.feature } : {}) };
      apply({ ...DEFAULT_STATE, ...kept, ...patch, fresh: true });
      return;
    }
    const dataset = createDataset(read, choice.label, choice.positive, choice.negative, words, payload.normal);
    const [{ facts }] = dataset.pairs, feature = facts.findIndex(({ mean }) => mean);
    if (feature < 0) {
      message.textContent = facts[0].error;
      return;
    }
    payload.datasets = [dataset, ...payload.datasets.filter(({ key }) => key !== PASTED_KEY)];
    const fit = { ...toFittedState(facts[feature]), threshold: NaN };
    apply({ ...DEFAULT_STATE, ...kept, data: PASTED_KEY, pair: 0, feature, ...fit, fresh: true });
  }

  // A long table is kept, and its beginning is shown.
  function readFile(dropped) {
    dropped.text().then((all) => {
      content = all;
      text.value = all.length > MAX_SHOWN_TEXT ? `${all.slice(0, MAX_SHOWN_TEXT)}…` : all;
      showRead();
    });
  }
  text.addEventListener("input", () => {
    clearTimeout(timer);
    content = text.value;
    timer = setTimeout(showRead, READ_DELAY_MS);
  });
  text.addEventListener("change", showRead);
  file.addEventListener("change", () => { if (file.files[0]) readFile(file.files[0]); });
  useButton.disabled = true;
  const elements = [
    createField(createHtmlElement("label", { for: text.id }, words.table), text),
    createHtmlElement("p", {}, file, createHtmlElement("label", { for: file.id }, words.file)), choices,
    note, message, useButton,
  ];
  return { elements, readFile, focus: () => text.focus() };
}
