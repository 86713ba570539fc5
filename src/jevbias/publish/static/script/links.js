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
const followLink = () => {
  const id = location.hash.slice(1);
  document.querySelectorAll("tr.linked").forEach((row) => row.classList.remove("linked"));
  if (!id.includes("/")) return;
  let row = document.getElementById(id);
  if (!row && tables.pooled) {
    tables.pooled.clear();
    if (!document.getElementById(id)) tables.pooled.extend(Infinity);
    row = document.getElementById(id);
  }
  if (!row && tables.questions) {
    const place = placeOf(id);
    if (place === undefined) return;
    const { form, rows } = tables.questions;
    form.reset();
    form.elements.condition.value = rows.condition(place).name;
    form.elements.attribute.value = rows.swap(place).attribute;
    form.elements.question.value = rows.question(place).name;
    tables.questions.update();
    row = document.getElementById(id);
  }
  if (!row) return;
  row.classList.add("linked");
  row.scrollIntoView({ block: "center" });
};
