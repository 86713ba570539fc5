/* The matrix: pointing at a cell tells its figures, choosing it leads to its row. */
const startMatrix = () => {
  const table = document.getElementById("matrix-table");
  if (!table || !tables.questions) return;
  const { rows } = tables.questions;
  const idOf = (cell) => {
    const line = cell.parentElement;
    const { swap } = line.querySelector("th.level")?.dataset ?? {};
    if (!swap) return null;
    const column = [...line.querySelectorAll("td")].indexOf(cell) - 1;
    return column < 0 ? swap : `${swap}/${data.questions[column].id}`;
  };
  table.classList.add("live");
  table.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("td");
    if (!cell || cell.title) return;
    const place = placeOf(idOf(cell));
    if (place === undefined) return;
    const swap = rows.swap(place);
    const at = (key) => rows.figure(key, place);
    cell.title = `${swap.attribute}: ${swap.level}, ${rows.condition(place).name}, ${rows.question(place).name}\n`
      + `${delta(at("delta"))} (${interval(at("noiseLow"), at("noiseHigh"))}), q ${probability(at("q"))}, `
      + `q of claim (b) ${probability(at("qPeople"))}, ${counted(at("pairs"), "pair")}: ${rows.outcome(place)}`;
  });
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    const id = cell && idOf(cell);
    if (!id) return;
    if (location.hash === `#${id}`) followLink();
    else location.hash = id;
  });
};
