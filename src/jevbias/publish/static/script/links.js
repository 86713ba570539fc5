/* Links to rows: a row that a filter hides, or that is not built yet, is brought out first. */
let places = null;
const placeOf = (id) => {
  if (!places) {
    const { rows } = tables.questions;
    places = new Map(tables.questions.inReadingOrder.map((i) => [rows.id(i), i]));
  }
  return places.get(id);
};
const startMoved = () => {
  const table = document.getElementById("on-questions-table");
  if (!table || !tables.questions) return;
  const { rows, inReadingOrder } = tables.questions;
  const ids = new Map(inReadingOrder.map((i) => [rows.traced(i), rows.id(i)]));
  for (const line of table.tBodies[0].rows) {
    const [swap, question, condition] = [...line.cells].map((cell) => cell.textContent);
    const id = ids.get(`${condition}/${swap}/${question}`);
    if (!id) continue;
    const link = element("a", "", swap);
    link.href = `#${id}`;
    line.cells[0].replaceChildren(link);
  }
};
/* Whoever follows a link is told at once where it led: the keyboard goes on from there, and a reader reads it. */
const goTo = (place, block) => {
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block, behavior: "instant" });
};
const noSuchRow = (id) => {
  const main = document.getElementById("main");
  const named = element("code", "", decoded(id));
  const said = element("p", "warning no-row", "No row of this report has the id ", named,
    ". The address may come from another run\u2019s page.");
  main.prepend(said);
  goTo(said, "center");
};
const decoded = (id) => {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};
const followLink = () => {
  const id = location.hash.slice(1);
  document.querySelectorAll("tr.linked").forEach((row) => row.classList.remove("linked"));
  document.querySelectorAll(".no-row").forEach((said) => said.remove());
  if (!id || (!id.includes("/") && document.getElementById(id))) return;
  let row = document.getElementById(id);
  if (!row && tables.pooled) {
    tables.pooled.clear();
    if (!document.getElementById(id)) tables.pooled.extend(Infinity);
    row = document.getElementById(id);
  }
  if (!row && tables.questions) {
    const place = placeOf(id);
    if (place !== undefined) {
      const { form, rows } = tables.questions;
      form.reset();
      form.elements.condition.value = rows.condition(place).name;
      form.elements.attribute.value = rows.swap(place).attribute;
      form.elements.question.value = rows.question(place).name;
      tables.questions.update();
      row = document.getElementById(id);
    }
  }
  if (!row) {
    noSuchRow(id);
    return;
  }
  row.closest("details:not([open])")?.setAttribute("open", "");
  row.classList.add("linked");
  goTo(row, "center");
};
