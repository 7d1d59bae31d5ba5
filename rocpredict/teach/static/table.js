// The two by two table, in people instead of rates.
import { make, put } from "./drawing.js";

const CELLS = ["tp", "fp", "fn", "tn"], SUMS = ["called", "uncalled", "positives", "negatives", "total"];

export function tableView(page) {
  const words = page.words.page, head = (said, scope = "col") => make("th", { scope }, said);
  const cells = Object.fromEntries([...CELLS, ...SUMS].map((name) => [name, make("output", { "data-name": name })]));
  const tag = (name) => CELLS.includes(name) ? make("span", { class: "tag" }, words.areas[name]) : null;
  const cell = (name) => make("td", { class: name }, tag(name), cells[name]);
  const row = (said, ...names) => make("tr", {}, head(said, "row"), ...names.map(cell));
  const caption = make("caption"), heads = [head(""), head("")];
  const element = make("table", { class: "counts" }, caption,
    make("thead", {}, make("tr", {}, make("td"), heads[1], heads[0], head(words.sum))),
    make("tbody", {}, row(words.called, "tp", "fp", "called"), row(words.uncalled, "fn", "tn", "uncalled"),
      row(words.sum, "positives", "negatives", "total")));

  function draw({ counts }) {
    const all = { ...counts, called: counts.tp + counts.fp, uncalled: counts.fn + counts.tn };
    for (const name of Object.keys(cells)) put(cells[name], { "data-value": all[name] }).textContent = all[name];
    caption.textContent = words.of.replace("{total}", counts.total);
    heads.forEach((held, i) => { held.textContent = page.classNames()[i]; });
  }
  return { element, draw };
}
