/* The figures of a comparison beyond its table's columns, claim by claim: what row_figures.py writes. */
const rowFigures = (rows, i) => {
  const at = (key) => rows.figure(key, i);
  const joined = (...parts) => parts.filter(Boolean).join("; ");
  const smallest = (single, alone) => (at(single) === null ? ""
    : `smallest effect ${spread(at(single))} (corrected ${at(alone) === null ? "none" : spread(at(alone))})`);
  const within = (low, high, percent = 95) => (at(low) === null ? "" : `${percent}% ${interval(at(low), at(high))}`);
  const floor = at("pFloor") === null ? "" : ` (smallest possible ${probability(at("pFloor"))})`;
  const lines = [
    ["missing", at("missing")],
    ["(a) noise", joined(
      within("noiseLow", "noiseHigh"),
      at("p") === null ? "" : `p ${probability(at("p"))}`,
      smallest("mde", "mdeAlone"),
    )],
    ["(b) people", joined(
      within("peopleLow", "peopleHigh"),
      within("people90Low", "people90High", 90),
      at("pPeople") === null ? "" : `p ${probability(at("pPeople"))}${floor}`,
      at("pMaxT") === null ? "" : `max-T p ${probability(at("pMaxT"))}`,
      smallest("mdePeople", "mdePeopleAlone"),
    )],
    ["evidence", joined(
      counted(at("pairs"), "pair"),
      `effective n ${short(at("n"))}`,
      `bases down / up ${at("down")} / ${at("up")}`,
      at("d") === null ? "" : `Cohen's d ${delta(at("d"), 2)}`,
    )],
    ["decisions", at("flips") === null ? "" : decisionText(at)],
    ["placebos", at("within") === null ? "" : at("within") ? "within placebo range" : "beyond placebo range"],
  ];
  return lines.filter(([, text]) => text);
};

const FEWEST_PAIRS = 10;
const decisionText = (at) => {
  const enough = at("pairs") >= FEWEST_PAIRS;
  const beyond = at("excessFlips") !== null && at("excessFlips") > 0;
  const between = share(at("repeatFlips"));
  const repeats = at("repeatFlips") === null ? ""
    : beyond ? `, ${between} between identical repeats: ${points(at("excessFlips"))} beyond them`
      : `, no more often than identical repeats (${between})`;
  const below = at("fourFifths") !== null && at("fourFifths") < 0.8 && enough && beyond ? ", below four fifths" : "";
  const against = at("fourFifths") === null ? "" : ` (ratio ${ratio(at("fourFifths"))}${below})`;
  return `${counted(at("pairs"), "pair")}${enough ? "" : ": too few to judge"}; flips ${share(at("flips"))} of decisions`
    + `${repeats}; decided for the person ${share(at("favourable"))} against ${share(at("anchorFavourable"))}${against}; `
    + `log-odds ${delta(at("logOdds"), 2)}`;
};
