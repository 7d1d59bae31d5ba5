"use strict";
// The table is complete without this script, which makes each heading a button that sorts the rows.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const keyOf = (row, place) => {
    const cell = row.cells[place];
    return cell.dataset.value ?? cell.textContent.trim();
  };
  const compare = (a, b) => {
    const numbers = [Number(a), Number(b)];
    return numbers.some(Number.isNaN) ? a.localeCompare(b, undefined, { numeric: true }) : numbers[0] - numbers[1];
  };
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      const rows = [...body.rows].map((row) => [keyOf(row, place), row]);
      rows.sort(([a], [b]) => (a === "" || b === "" ? (a === "") - (b === "") : (down ? -1 : 1) * compare(a, b)));
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...rows.map(([, row]) => row));
    });
  });
}
