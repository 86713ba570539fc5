/* Rows of the table per question, built when they are shown. */
const element = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};
const breakable = (text) => text.split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr", ""), part] : [part]));
/* Written when they are opened: a table of them at every choice would be felt. */
const foldedFigures = (rows, i) => {
  const summary = element("summary", "", "figures");
  const list = element("dl", "row-figures");
  const write = () => {
    for (const [about, text] of rowFigures(rows, i)) {
      list.append(element("dt", "", about), element("dd", "", text));
    }
    list.append(element("dt", "", "trace"), element("dd", "", element("code", "", traceCommand(rows.traced(i)))));
  };
  summary.addEventListener("click", write, { once: true });
  return element("details", "", summary, list);
};
const buildRow = (rows, i) => {
  const swap = rows.swap(i);
  const state = rows.state(i);
  const at = (key) => rows.figure(key, i);
  const row = element("tr", state.css);
  row.id = rows.id(i);
  const kept = `${swap.protected ? "protected, " : ""}against ${swap.reference}`;
  const attribute = element("td", "", swap.attribute, element("small", "", ...breakable(kept)));
  const link = element("a", "", ...breakable(swap.level));
  link.href = `#${row.id}`;
  const level = element("th", "", link);
  level.scope = "row";
  if (swap.phrase) level.append(element("small", "", `“${swap.phrase}”`));
  const condition = element("td", "", ...breakable(rows.condition(i).name));
  if (!rows.visible(i)) condition.append(" ", element("span", "tag", "control"));
  const verdict = element("td", "outcome", rows.outcome(i));
  if (at("within") && state.moved) verdict.append(element("small", "", "within placebo range"));
  row.append(
    attribute,
    level,
    element("td", "", ...breakable(rows.question(i).name)),
    condition,
    verdict,
    element("td", "claims", rows.claims(i)),
    element("td", "num delta", delta(at("delta"))),
    element("td", "num", half(at("noiseLow"), at("noiseHigh"))),
    element("td", "num", probability(at("q"))),
    element("td", "num", half(at("peopleLow"), at("peopleHigh"))),
    element("td", "num", probability(at("pPeople"))),
    element("td", "num", probability(at("qPeople"))),
    element("td", "num", pairs(at("pairs"), at("n"))),
    element("td", "num", spread(at("mde"))),
    element("td", "num", spread(at("mdePeople"))),
  );
  if (rows.has("flips")) {
    const decided = at("flips") !== null;
    row.append(
      element("td", "num", decided ? points(at("excessFlips")) : ""),
      element("td", "num", decided ? ratio(at("fourFifths")) : ""),
      element("td", "num", decided ? delta(at("logOdds"), 2) : ""),
    );
  }
  verdict.append(foldedFigures(rows, i));
  return row;
};
