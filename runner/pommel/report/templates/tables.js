// What makes tables sortable by their heads, and long ones searchable. They can be read without.
(() => {
  "use strict";
  const FEWEST_SEARCHED = 8;
  const plain = (text) => text.normalize("NFKC").toLowerCase();

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.number === undefined ? cell.textContent.trim() : Number(cell.dataset.number);
  };

  const compared = (one, other) => {
    const places = [one, other].map((value) => typeof value === "number" ? 0 : value ? 1 : 2);
    if (places[0] !== places[1]) return places[0] - places[1];
    return places[0] === 0 ? one - other : one.localeCompare(other, undefined, { numeric: true });
  };

  const sortBy = (table, head, column) => {
    const isNumber = head.classList.contains("number") && !head.classList.contains("rank");
    const now = head.getAttribute("aria-sort");
    // Numbers begin with the highest, ranks and texts with the first.
    const next = now ? (now === "ascending" ? "descending" : "ascending") : isNumber ? "descending" : "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", next);
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [valueOf(row, column), row]);
    keyed.sort(([one], [other]) => {
      const isMissing = (value) => typeof value !== "number" && (!value || value === "–");
      // What is missing stands last, whichever way.
      if (isMissing(one) || isMissing(other)) return isMissing(one) - isMissing(other);
      return compared(one, other) * (next === "ascending" ? 1 : -1);
    });
    body.append(...keyed.map(([, row]) => row));
  };

  const addSearch = (table) => {
    const rows = [...table.tBodies[0].rows].map((row) => [row, plain(row.textContent)]);
    if (rows.length < FEWEST_SEARCHED) return;
    const form = document.createElement("p");
    form.className = "search";
    const label = form.appendChild(document.createElement("label"));
    label.append("Search ");
    const field = label.appendChild(document.createElement("input"));
    field.type = "search";
    field.autocomplete = "off";
    // What is found is told to those who do not see it, too.
    const found = form.appendChild(document.createElement("output"));
    field.addEventListener("input", () => {
      const words = plain(field.value).split(/\s+/).filter(Boolean);
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        row.classList.toggle("found", words.length > 0 && !row.hidden);
      }
      const n = rows.filter(([row]) => !row.hidden).length;
      found.textContent = words.length ? `${n} of ${rows.length}` : "";
    });
    (table.closest(".wide") ?? table).before(form);
  };

  const prepare = (root) => root.querySelectorAll("table.sortable").forEach((table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("drawn")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(table, head, column));
    });
    if (table.classList.contains("searchable")) addSearch(table);
  });
  prepare(document);
  // What was text until somebody looked at it.
  document.addEventListener("filled", (event) => prepare(event.target));
})();
