/* CSV with full figures; a text that a spreadsheet would run as a formula is put behind an apostrophe. */
const CSV_FIGURES = {
  delta: "delta", ci_noise_low: "noiseLow", ci_noise_high: "noiseHigh", p_noise: "p", q: "q",
  mde_noise: "mde", mde_noise_adjusted: "mdeAlone",
  ci_people_low: "peopleLow", ci_people_high: "peopleHigh", p_people: "pPeople", p_people_floor: "pFloor",
  ci_people_90_low: "people90Low", ci_people_90_high: "people90High",
  q_people: "qPeople", p_max_t: "pMaxT", mde_people: "mdePeople", mde_people_adjusted: "mdePeopleAlone",
  ci_general_low: "generalLow", ci_general_high: "generalHigh",
  ci_general_99_low: "general99Low", ci_general_99_high: "general99High",
  p_general: "pGeneral", q_general: "qGeneral",
  pairs: "pairs", bases: "bases", effective_n: "n", bases_down: "down", bases_up: "up",
  scenarios_down: "scenariosDown", scenarios_up: "scenariosUp", sd: "sd", cohens_d: "d", delta_all_questions: "all",
  within_placebo_range: "within", flip_rate: "flips", repeat_flip_rate: "repeatFlips", excess_flips: "excessFlips",
  favourable_swap: "favourable", favourable_anchor: "anchorFavourable", four_fifths: "fourFifths", log_odds: "logOdds",
};
const CSV_TEXTS = ["id", "condition", "attribute", "level", "question", "reference", "protected", "visible", "significant",
  "verdict", "outcome", "missing_claim"];
const csvText = (text) => {
  const plain = withoutIsolates(text);
  const safe = /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const toCsv = (rows, order) => {
  const lines = order.map((i) => {
    const swap = rows.swap(i);
    const question = rows.question(i);
    const yes = (holds) => (holds ? "yes" : "no");
    const texts = [rows.traced(i), rows.condition(i).name, swap.key, swap.level, question ? question.name : "",
      swap.reference, yes(swap.protected), yes(rows.visible(i)), yes(rows.significant(i)), rows.state(i).verdict,
      rows.outcome(i), rows.figure("missing", i) || ""];
    return [...texts.map(csvText), ...Object.values(CSV_FIGURES).map((key) => rows.figure(key, i) ?? "")].join(",");
  });
  return [[...CSV_TEXTS, ...Object.keys(CSV_FIGURES)].join(","), ...lines].join("\r\n") + "\r\n";
};
