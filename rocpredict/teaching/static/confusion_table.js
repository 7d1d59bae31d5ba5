// The two-by-two table of expected counts.
import { createHtmlElement, setAttributes } from "./elements.js";

const CELLS = ["tp", "fp", "fn", "tn"], SUMS = ["called", "uncalled", "positives", "negatives", "total"];

export function createConfusionTable(page) {
  const words = page.words.page, createHead = (label, scope = "col") => createHtmlElement("th", { scope }, label);
  const createOutput = (name) => createHtmlElement("output", { "data-name": name });
  const outputs = Object.fromEntries([...CELLS, ...SUMS].map((name) => [name, createOutput(name)]));
  const createTag = (name) =>
    CELLS.includes(name) ? createHtmlElement("span", { class: "tag" }, words.areas[name]) : null;
  const createCell = (name) => createHtmlElement("td", { class: name }, createTag(name), outputs[name]);
  const createRow = (label, ...names) =>
    createHtmlElement("tr", {}, createHead(label, "row"), ...names.map(createCell));
  const caption = createHtmlElement("caption"), classHeads = [createHead(""), createHead("")];
  const headCells = [createHtmlElement("td"), classHeads[1], classHeads[0], createHead(words.sum)];
  const element = createHtmlElement("table", { class: "counts" }, caption,
    createHtmlElement("thead", {}, createHtmlElement("tr", {}, ...headCells)),
    createHtmlElement("tbody", {}, createRow(words.called, "tp", "fp", "called"),
      createRow(words.uncalled, "fn", "tn", "uncalled"), createRow(words.sum, "positives", "negatives", "total")));

  function draw({ counts }) {
    const values = { ...counts, called: counts.tp + counts.fp, uncalled: counts.fn + counts.tn };
    for (const [name, output] of Object.entries(outputs)) {
      setAttributes(output, { "data-value": values[name] }).textContent = values[name];
    }
    caption.textContent = words.of.replace("{total}", counts.total);
    classHeads.forEach((head, i) => { head.textContent = page.getClassNames()[i]; });
  }
  return { element, draw };
}
