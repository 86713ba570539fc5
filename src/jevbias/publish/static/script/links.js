/* Links to rows: a row that a filter hides, or that is not built yet, is brought out first. */
let places = null;
const placeOf = (anchor) => {
  if (!places) {
    const { rows } = tables.questions;
    places = new Map(tables.questions.inReadingOrder.map((i) => [rows.anchor(i), i]));
  }
  return places.get(anchor);
};
const followLink = () => {
  const anchor = location.hash.slice(1);
  document.querySelectorAll("tr.linked").forEach((row) => row.classList.remove("linked"));
  if (!anchor.includes("/")) return;
  let row = document.getElementById(anchor);
  if (!row && tables.pooled) {
    tables.pooled.clear();
    row = document.getElementById(anchor);
  }
  if (!row && tables.questions) {
    const place = placeOf(anchor);
    if (place === undefined) return;
    const { form, rows } = tables.questions;
    form.reset();
    form.elements.condition.value = rows.condition(place).name;
    form.elements.attribute.value = rows.swap(place).attribute;
    form.elements.question.value = rows.question(place).name;
    tables.questions.update();
    row = document.getElementById(anchor);
  }
  if (!row) return;
  row.classList.add("linked");
  row.scrollIntoView({ block: "center" });
};
