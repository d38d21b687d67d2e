// A table that is too wide for its page stands on a phone as one card for each row, each cell below the head of its column.
function fit() {
  for (const table of document.querySelectorAll(".bd-article table.table")) {
    table.classList.remove("stacked");
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    if (innerWidth > 720 || !heads.length || table.scrollWidth <= table.parentElement.clientWidth) continue;
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, at) => cell.setAttribute("data-head", heads[at] ?? ""));
    for (const [role, parts] of [["table", [table]], ["row", table.rows], ["cell", table.querySelectorAll("td")]])
      for (const part of parts) part.setAttribute("role", role); // what a table is, whatever it looks like
    table.classList.add("stacked");
  }
}
addEventListener("DOMContentLoaded", fit);
addEventListener("resize", fit);
