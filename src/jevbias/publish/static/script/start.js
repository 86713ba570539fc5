/* What happens when the page opens; tables that the page does not have are passed over. */
const STEP = 100;

const startPooled = () => {
  const table = document.getElementById("pooled-table");
  if (!table) return;
  const body = table.tBodies[0];
  const lines = [...body.rows];
  const show = (order) => {
    body.replaceChildren(...order.map((i) => lines[i]));
    return order.length;
  };
  const form = document.querySelector("form[data-table=pooled]");
  tables.pooled = new ComparisonTable(table, form, reader(data.pooled), show);
  tables.pooled.update();
};

const startQuestions = () => {
  const table = document.getElementById("questions-table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = reader(data.perQuestion);
  const more = document.getElementById("questions-more");
  let limit = STEP;
  let last = [];
  const show = (order) => {
    limit = STEP;
    last = order;
    return draw();
  };
  const draw = () => {
    body.replaceChildren(...last.slice(0, limit).map((i) => buildRow(rows, i)));
    more.parentElement.hidden = last.length <= limit;
    return Math.min(limit, last.length);
  };
  const form = document.querySelector("form[data-table=questions]");
  tables.questions = new ComparisonTable(table, form, rows, show);
  tables.questions.update();
  document.getElementById("questions-scroll").hidden = false;
  more.addEventListener("click", () => {
    limit += STEP;
    const shown = draw();
    tables.questions.say(`${whole(last.length)} of ${whole(rows.size)} comparisons, the first ${whole(shown)} of them below.`);
  });
};

document.addEventListener("toggle", fitFigures, true);
startPooled();
startQuestions();
startMatrix();
window.addEventListener("hashchange", followLink);
followLink();
