// Data sets and class summaries from a table that the user enters. Independent of the document.
import { checkDecimalMarks, createTableError, isMissing, parseCell, parseColumn, parseTable } from "./csv.js";
import { PASTED_KEY } from "./fitted.js";
import { computeEmpiricalRates, normalUpperTail } from "./model.js";

const MAX_LABELS = 12, MAX_FEATURES = 400, MAX_VALUES = 500000, LARGEST_MAGNITUDE = 1e100;
const ROUNDING = 4 * Number.EPSILON;

/** Returns a table with class summaries or with observations, as { kind, ... }. */
export function readTable(text) {
  const table = parseTable(text);
  return readClassRows(table) ?? readSummaryColumns(table) ?? readObservations(table);
}

// ---- class summaries: names, unit, mean, SD and n
const UNIT = /^(.*?)\s*(?:\[([^\]]+)\]|\(([^)]+)\)|,\s*(\S+))$/, COUNT = /\(?\bn\s*=\s*([\d,. ]+)\)?/i;
const MEAN_AND_STD = /^([^±(]+?)\s*(?:±|\+\/?[-−])\s*([^±()]+)$|^([^±()]+?)\s*\(([^±()]+)\)$/;
const COLUMN_NAMES = {
  mean: ["mean", "mittelwert", "mittel"], std: ["sd", "std", "standard deviation", "standardabweichung"], n: ["n"],
  unit: ["unit", "einheit"], feature: ["feature", "merkmal"],
};
const ANY_FEATURE = new Set(["", "name", "names", "class", "group", "klasse", "gruppe", "feature", "merkmal"]);

const splitUnit = (text) => {
  const [, name, ...units] = UNIT.exec(text.trim()) ?? [null, text.trim()];
  return { name, unit: units.find(Boolean) ?? "" };
};
const parseCount = (text) => {
  const count = Number(String(text).replace(/[,. ]/g, ""));
  return count > 0 ? count : null;
};

// A mean or an SD may have a decimal comma whatever separates the cells, since a cell holds nothing else.
const parseNumberText = (text) => parseCell(text.replace("−", "-"), "") ?? NaN;

function createSummary(line, names, means, stds, counts, feature) {
  if (!names[0] || !names[1] || names[0] === names[1]) throw createTableError("names");
  means.forEach((mean, i) => {
    if (!(Math.abs(mean) <= LARGEST_MAGNITUDE)) throw createTableError("mean", { line: line[i] });
    if (!(stds[i] > 0 && stds[i] <= LARGEST_MAGNITUDE)) throw createTableError("std", { line: line[i] });
  });
  return { names, mean: means, std: stds, n: counts.every(Boolean) ? counts : null, ...feature };
}

// Two rows, one for each class, with columns for mean and SD.
function readClassRows({ header, rows }) {
  const find = (name) => header.findIndex((cell) => COLUMN_NAMES[name].includes(cell.toLowerCase()));
  const [mean, std, n, unit, feature] = ["mean", "std", "n", "unit", "feature"].map(find);
  if (mean < 0 || std < 0) return null;
  if (rows.length !== 2) throw createTableError("classes", { found: rows.length });
  const column = (index) => rows.map(({ cells }) => index < 0 ? "" : cells[index].trim());
  const name = header.findIndex((_, i) => ![mean, std, n, unit, feature].includes(i));
  if (name < 0) throw createTableError("names");
  const title = feature >= 0 ? column(feature)[0] : ANY_FEATURE.has(header[name].toLowerCase()) ? "" : header[name];
  const summary = createSummary(rows.map(({ line }) => line), column(name), column(mean).map(parseNumberText),
    column(std).map(parseNumberText), column(n).map(parseCount), { name: title, unit: column(unit)[0] });
  return { kind: "summary", features: [summary] };
}

// A row for each feature and a column for each class, with cells such as 5.1 ± 0.9 or 5.1 (0.9).
function readSummaryColumns({ header, rows }) {
  const isSummary = (cell) => MEAN_AND_STD.test(cell.trim());
  if (header.length < 3 || !rows.some(({ cells }) => isSummary(cells[1]) && isSummary(cells[2]))) return null;
  const names = header.slice(1, 3).map((cell) => cell.replace(COUNT, "").trim());
  let counts = header.slice(1, 3).map((cell) => parseCount(COUNT.exec(cell)?.[1]));
  const countRow = rows.find(({ cells }) => /^n$/i.test(cells[0].trim()));
  if (countRow) counts = countRow.cells.slice(1, 3).map(parseCount);
  const features = rows.filter((row) => row !== countRow).map(({ line, cells }) => {
    const parts = cells.slice(1, 3).map((cell) => {
      const match = MEAN_AND_STD.exec(cell.trim());
      const [mean, std] = match ? [match[1] ?? match[3], match[2] ?? match[4]].map(parseNumberText) : [NaN, NaN];
      if (Number.isNaN(mean) || Number.isNaN(std)) throw createTableError("summary", { line, cell: cell.trim() });
      return { mean, std };
    });
    const label = cells[0].replace(/,?\s*mean\s*(±|\()\s*SD\)?/i, "");
    const [means, stds] = ["mean", "std"].map((key) => parts.map((part) => part[key]));
    return createSummary([line, line], names, means, stds, counts, splitUnit(label));
  });
  return { kind: "summary", features };
}

/** Returns the patch of the state and the names of the page for a summary. `positive` is the index of a class. */
export function describeSummary({ names, mean, std, n, name, unit }, positive) {
  const [low, high] = [1 - positive, positive];
  const prevalence = n ? n[high] / (n[low] + n[high]) : 0.5;
  return {
    patch: {
      data: "", mean0: mean[low], mean1: mean[high], std0: std[low], std1: std[high], prevalence, threshold: NaN,
      direction: mean[high] < mean[low] ? "lower" : "higher",
    },
    names: { pair: { negative: names[low], positive: names[high] }, feature: name ? { name, unit } : null },
  };
}

// ---- observations
function readObservations(table) {
  const { header } = table, columns = [], omitted = [];
  header.forEach((name, index) => {
    const { values, text } = parseColumn(table, index);
    if (values) columns.push({ index, values, ...splitUnit(name) });
    else if (text) omitted.push({ column: name, ...text });
  });
  checkDecimalMarks(table, columns.map(({ index }) => index));
  const labels = header.map((_, index) => listLabels(table, index)).map((list, index) => ({ index, list }))
    .filter(({ list }) => list.length > 1 && list.length <= MAX_LABELS);
  if (!labels.length) throw createTableError("labels", { most: MAX_LABELS });
  return { kind: "observations", table, columns, omitted, labelColumns: labels };
}

// Labels in the order of the library: as numbers if different cells are different numbers, else as text.
export function listLabels({ rows }, index) {
  const labels = new Set();
  for (const { cells } of rows) {
    const label = cells[index].trim();
    if (!isMissing(label)) labels.add(label);
    if (labels.size > MAX_LABELS) return [...labels];
  }
  const list = [...labels], numbers = list.map((label) => parseCell(label, ","));
  const areNumbers = numbers.every(Number.isFinite) && new Set(numbers).size === list.length;
  const compareText = (a, b) => a < b ? -1 : 1;
  return areNumbers ? list.sort((a, b) => Number(a) - Number(b)) : list.sort(compareText);
}

/** Returns the data set of a page. `negative` is a label, or null for all other labels. */
export function createDataset({ table, columns, omitted }, labelIndex, positive, negative, words, normal) {
  const { header, rows } = table, unlabelled = rows.find(({ cells }) => isMissing(cells[labelIndex].trim()));
  if (unlabelled) throw createTableError("label", { line: unlabelled.line, column: header[labelIndex] });
  const rowLabels = rows.map(({ cells }) => cells[labelIndex].trim()), labels = listLabels(table, labelIndex);
  const features = columns.filter(({ index }) => index !== labelIndex);
  if (!features.length) {
    const first = omitted.find(({ column }) => column !== header[labelIndex]);
    throw first ? createTableError("text", first) : createTableError("none");
  }
  const nFeatures = features.length, nValues = nFeatures * rows.length;
  if (nFeatures > MAX_FEATURES) throw createTableError("features", { found: nFeatures, most: MAX_FEATURES });
  if (nValues > MAX_VALUES) throw createTableError("values", { found: nValues, most: MAX_VALUES });
  const used = negative === null ? labels : labels.filter((label) => label === negative || label === positive);
  const others = used.filter((label) => label !== positive);
  const pair = { negative: negative ?? (others.length === 1 ? others[0] : words.rest), positive };
  const isNegative = (label) => label !== positive && (pair.negative === label || !used.includes(pair.negative));
  const select = ({ values }, isOfClass) =>
    values.filter((_, i) => used.includes(rowLabels[i]) && isOfClass(rowLabels[i]));
  const facts = features.map((feature) => {
    const samples = [select(feature, isNegative), select(feature, (label) => label === positive)];
    return computeFacts(feature.name, samples, words, normal);
  });
  const sortFinite = (values) => values.filter(Number.isFinite).sort((a, b) => a - b);
  return {
    key: PASTED_KEY, name: words.name, source: "", labels: used, pairs: [{ ...pair, facts }],
    features: features.map(({ name, unit }) => ({ name, unit })),
    columns: Object.fromEntries(used.map((label) =>
      [label, features.map((feature) => sortFinite(select(feature, (other) => other === label)))])),
  };
}

function computeFacts(name, samples, words, normal) {
  const [negative, positive] = samples.map((values) => values.filter(Number.isFinite).sort((a, b) => a - b));
  const sorted = [negative, positive], count = sorted.map((values) => values.length);
  const facts = { count, missing: samples[0].length + samples[1].length - count[0] - count[1] };
  const error = (key) => ({ ...facts, error: words.wrong[key].replace("{feature}", name) });
  if (Math.min(...count) < 2) return error("few");
  if (sorted.some((values) => values[0] === values.at(-1))) return error("constant");
  const moments = sorted.map(computeMoments), mean = moments.map((moment) => moment.mean);
  const std = moments.map((moment) => moment.std);
  const isLarge = (values) => Math.max(-values[0], values.at(-1)) > LARGEST_MAGNITUDE;
  if (sorted.some(isLarge) || Math.min(...std) < 1 / LARGEST_MAGNITUDE) return error("beyond");
  const direction = mean[1] < mean[0] ? "lower" : "higher", distance = -Math.abs(mean[1] - mean[0]);
  return {
    ...facts, mean, std, direction, doubt: false, auc: normalUpperTail(distance / Math.hypot(...std), normal),
    empirical: computeEmpiricalFacts({ negative, positive }, direction),
  };
}

// Mean and SD of sorted values, from deviations from their middle one.
function computeMoments(values) {
  const n = values.length, origin = values[n >> 1], average = (list) => list.reduce((sum, value) => sum + value, 0) / n;
  const shift = average(values.map((value) => value - origin));
  const deviations = values.map((value) => value - origin - shift);
  const variance = (average(deviations.map((value) => value * value)) - average(deviations) ** 2) * n / (n - 1);
  return { mean: origin + shift, std: Math.sqrt(variance) };
}

// The empirical AUC, and the middle one of the best thresholds between values.
function computeEmpiricalFacts(observations, direction) {
  const { negative, positive } = observations, sign = direction === "lower" ? -1 : 1;
  const values = [...new Set([...negative, ...positive])].sort((a, b) => sign * (b - a));
  const middles = values.slice(1).map((value, i) => {
    const middle = (values[i] + value) / 2;
    return sign * middle > sign * value ? middle : values[i];
  });
  const points = [sign * Infinity, ...middles, -sign * Infinity].map((threshold) =>
    ({ threshold, ...computeEmpiricalRates(observations, threshold, direction) }));
  let auc = 0;
  points.slice(1).forEach((point, i) => { auc += (point.fpr - points[i].fpr) * (point.tpr + points[i].tpr) / 2; });
  const first = points.reduce((best, point) => point.tpr - point.fpr > best.tpr - best.fpr ? point : best);
  const least = first.tpr - first.fpr - ROUNDING * (first.tpr + first.fpr);
  const equal = points.filter((point) => point.tpr - point.fpr >= least);
  const { threshold, tpr, fpr, ameans } = equal[(equal.length - 1) >> 1];
  return { auc, best: { threshold, tpr, fpr, ameans } };
}
