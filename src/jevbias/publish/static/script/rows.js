/* What printable() wraps a right-to-left text in: for the eye, and not part of the text. */
const withoutIsolates = (text) => text.replace(/[\u2068\u2069]/g, "");

/* One comparison by its number, whichever table it is in. A column that the data leaves out holds nothing. */
const reader = (columns) => {
  const swap = (i) => data.swaps[columns.swap[i]];
  const question = (i) => (columns.question[i] === null ? null : data.questions[columns.question[i]]);
  const condition = (i) => data.conditions[columns.condition[i]];
  const state = (i) => data.states[columns.state[i]];
  const figure = (key, i) => (columns[key] ? columns[key][i] : null);
  const halfOf = (low, high, i) => (figure(low, i) === null ? null : figure(high, i) - figure(low, i));
  const outcome = (i) => (question(i) ? state(i).onQuestion : state(i).text);
  return {
    size: columns.swap.length,
    has: (key) => columns[key] !== undefined,
    visible: (i) => Boolean(columns.visible[i]),
    significant: (i) => Boolean(columns.claims[i] & 1) && !columns.notSignificant.includes(i),
    swap,
    question,
    condition,
    state,
    figure,
    outcome,
    claims: (i) => {
      const marks = ["a", "b", "c"].map((letter, place) => ((columns.claims[i] >> place) & 1 ? letter : "\u2013"));
      return marks.slice(0, question(i) ? 2 : 3).join(" ");
    },
    id: (i) => {
      const about = question(i);
      return `${condition(i).id}/${swap(i).id}${about ? `/${about.id}` : ""}`;
    },
    traced: (i) => {
      const about = question(i);
      return `${condition(i).name}/${swap(i).key}=${swap(i).level}${about ? `/${about.name}` : ""}`;
    },
    value: (key, i) => {
      switch (key) {
        case "attribute": return swap(i).attribute;
        case "level": return swap(i).level;
        case "question": return question(i).name;
        case "condition": return condition(i).name;
        case "verdict": return state(i).rank;
        case "noiseHalf": return halfOf("noiseLow", "noiseHigh", i);
        case "peopleHalf": return halfOf("peopleLow", "peopleHigh", i);
        case "claims": return -columns.claims[i];
        default: return figure(key, i);
      }
    },
    haystack: (i) => {
      const { attribute, key, level, phrase } = swap(i);
      const about = question(i);
      return [attribute, `${key}=${level}`, phrase, condition(i).name, about ? about.name : ""].join("\n").toLowerCase();
    },
  };
};
