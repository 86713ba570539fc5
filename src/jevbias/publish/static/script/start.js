/* What happens when the page opens; tables that the page does not have are passed over. */
const FIRST = { pooled: 25, questions: 15 };
const MORE = 100;

/* A table shows its first rows and more on demand: laying out hundreds of them at every choice would be felt. */
const startTable = (name, rows, line) => {
  const table = document.getElementById(`${name}-table`);
  const body = table.tBodies[0];
  const more = document.querySelector(`[data-more=${name}]`);
  let limit = FIRST[name];
  let last = [];
  const draw = () => {
    body.replaceChildren(...last.slice(0, limit).map(line));
    more.parentElement.hidden = last.length <= limit;
    return Math.min(limit, last.length);
  };
  const show = (order) => {
    limit = FIRST[name];
    last = order;
    return draw();
  };
  const made = new ComparisonTable(table, document.querySelector(`form[data-table=${name}]`), rows, show);
  made.extend = (number) => {
    limit += number;
    made.count(draw());
  };
  more.addEventListener("click", () => made.extend(MORE));
  made.update();
  tables[name] = made;
};

const startPooled = () => {
  const table = document.getElementById("pooled-table");
  if (!table) return;
  const lines = [...table.tBodies[0].rows];
  startTable("pooled", reader(data.pooled), (i) => lines[i]);
  window.addEventListener("beforeprint", () => tables.pooled.extend(Infinity));
};

const startQuestions = () => {
  if (!document.getElementById("questions-table")) return;
  const rows = reader(data.perQuestion);
  startTable("questions", rows, (i) => buildRow(rows, i));
  document.getElementById("questions-scroll").hidden = false;
};

const start = (unpacked) => {
  data = unpacked;
  document.addEventListener("toggle", offerCopy, true);
  document.addEventListener("toggle", fitFigures, true);
  startPooled();
  startQuestions();
  startMatrix();
  startMoved();
  startTraces();
  window.addEventListener("hashchange", followLink);
  followLink();
};

unpack(document.getElementById("report-data").textContent).then(start).then(
  () => document.documentElement.classList.add("live"),
  (error) => {
    document.querySelectorAll(".not-unpacked").forEach((said) => { said.hidden = false; });
    console.error(error);
  },
);
