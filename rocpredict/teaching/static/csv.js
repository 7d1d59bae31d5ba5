// Tables of text: CSV in the forms that the library reads, as columns of cells. Independent of the document.
const MISSING_MARKERS = new Set(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]);
const SEPARATORS = ["\t", ";", ","], MAX_ROWS = 100000;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/, INFINITE_NUMBER = /^[+-]?(inf|infinity)$/i;
const DECIMAL_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/, DECIMAL_POINT = /^[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Returns an error with the key of its sentence and the values in it. */
export const createTableError = (key, values = {}) => Object.assign(new Error(key), { key, values });
export const isMissing = (cell) => MISSING_MARKERS.has(cell);

/** Returns the header, the rows as { line, cells }, and the separator of a table. */
export function parseTable(text) {
  if (text.includes("\ufffd") || text.includes("\0")) throw createTableError("encoding");
  const content = text.replace(/^\ufeff/, ""), separator = detectSeparator(content);
  const [first, ...rows] = splitRows(content, separator);
  const header = (first?.cells ?? []).map((cell) => cell.trim());
  if (!header.some(Boolean)) throw createTableError("empty");
  const column = header.find((name, i) => header.indexOf(name) < i);
  if (column !== undefined) throw createTableError("twice", { column });
  if (!rows.length) throw createTableError("header");
  if (rows.length > MAX_ROWS) throw createTableError("rows", { rows: rows.length, most: MAX_ROWS });
  const other = rows.find(({ cells }) => cells.length !== header.length);
  if (other) {
    const key = separator === "," && other.cells.length > header.length ? "commas" : "cells";
    throw createTableError(key, { line: other.line, found: other.cells.length, expected: header.length });
  }
  return { header, rows, separator };
}

// The separator that splits the header and the first row into equally many cells, else the header into the most.
function detectSeparator(content) {
  const lines = content.split(/\r\n|\r|\n/).slice(0, 10).join("\n");
  const counts = SEPARATORS.map((separator) =>
    splitRows(lines, separator, false).map(({ cells }) => cells.length));
  const equal = counts.findIndex(([header, row]) => header > 1 && header === row);
  if (equal >= 0) return SEPARATORS[equal];
  const widths = counts.map(([header = 0]) => header), best = widths.lastIndexOf(Math.max(...widths));
  return SEPARATORS[best];
}

// Cells of each line that is not empty. A cell in quotes may contain separators, line breaks and doubled quotes.
function splitRows(content, separator, isStrict = true) {
  const rows = [], special = new RegExp(`["\\r\\n${separator}]`, "g");
  let cells = [], cell = "", line = 1, start = 1, position = 0;
  const endRow = () => {
    if (cells.length || cell) rows.push({ line: start, cells: [...cells, cell] });
    [cells, cell] = [[], ""];
  };
  while (position < content.length) {
    special.lastIndex = position;
    const end = special.exec(content)?.index ?? content.length, mark = content[end];
    cell += content.slice(position, end);
    position = end + 1;
    if (mark === '"' && !cell) {
      const quoted = readQuotedCell(content, position, isStrict ? line : null);
      [cell, position] = [quoted.cell, quoted.end];
      line += quoted.breaks;
    } else if (mark === '"') {
      cell += mark;
    } else if (mark === separator) {
      cells.push(cell);
      cell = "";
    } else if (mark !== undefined) {
      if (mark === "\r" && content[position] === "\n") position++;
      endRow();
      start = ++line;
    }
  }
  endRow();
  return rows;
}

// Without a line, an open quotation mark is closed at the end.
function readQuotedCell(content, position, line) {
  let cell = "";
  for (let from = position; ;) {
    const quote = content.indexOf('"', from);
    if (quote < 0 && line !== null) throw createTableError("quote", { line });
    if (quote < 0) return { cell, end: content.length, breaks: 0 };
    cell += content.slice(from, quote);
    if (content[quote + 1] !== '"') return { cell, end: quote + 1, breaks: cell.split(/\r\n|\r|\n/).length - 1 };
    cell += '"';
    from = quote + 2;
  }
}

/** Returns a number, NaN for a missing or infinite value, or null for text. */
export function parseCell(cell, separator) {
  const text = cell.trim();
  if (NUMBER.test(text)) return Number(text);
  if (separator !== "," && DECIMAL_COMMA.test(text)) return Number(text.replace(",", "."));
  return isMissing(text) || INFINITE_NUMBER.test(text) ? NaN : null;
}

/** Returns the numbers of a column, or the first cell that is text as { line, cell } if some cells are numbers. */
export function parseColumn({ rows, separator }, index) {
  const values = rows.map(({ cells }) => parseCell(cells[index], separator));
  const text = values.indexOf(null);
  if (text < 0) return { values };
  const hasNumbers = values.some((value) => value !== null && !Number.isNaN(value));
  const { line, cells } = rows[text], cell = cells[index].trim();
  if (DECIMAL_COMMA.test(cell)) {
    throw createTableError("comma", { line, cell, decimal: cell.replace(",", "."), grouped: cell.replace(",", "") });
  }
  return hasNumbers ? { text: { line, cell } } : {};
}

/** Throws an error if the numbers of a table have decimal commas and decimal points. */
export function checkDecimalMarks({ rows }, indices) {
  const find = (pattern) => {
    for (const index of indices) {
      const row = rows.find(({ cells }) => pattern.test(cells[index].trim()));
      if (row) return row.cells[index].trim();
    }
    return null;
  };
  const comma = find(DECIMAL_COMMA), point = find(DECIMAL_POINT);
  if (comma && point) throw createTableError("marks", { comma, point });
}
