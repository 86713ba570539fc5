/* Sorting, filtering, links to rows and copying for the page's tables. Without it the page is complete but still. */
(() => {
  "use strict";

  const MISSING = "n/a";
  const MINUS = "\u2212";
  const STEP = 100;
  const collator = new Intl.Collator("en", { numeric: true });
  const data = JSON.parse(document.getElementById("report-data").textContent);

  /* Figures: the same texts as the page's own, for the rows that are built here. */
  const delta = (value) => {
    if (value === null) return MISSING;
    const digits = Math.abs(value).toFixed(4);
    if (Number(digits) === 0) return digits;
    return (value < 0 ? MINUS : "+") + digits;
  };
  const probability = (value) => (value === null ? MISSING : value < 0.0001 ? "<0.0001" : value.toFixed(4));
  const interval = (low, high) => (low === null ? MISSING : `${delta(low)} to ${delta(high)}`);
  const effective = (value) => (value === null ? MISSING : value.toFixed(1).replace(/\.0$/, ""));
  const whole = (value) => value.toLocaleString("en-GB");

  /* One comparison by its number, whichever table it is in. */
  const reader = (columns) => {
    const swap = (i) => data.swaps[columns.swap[i]];
    const question = (i) => (columns.question[i] === null ? null : data.questions[columns.question[i]]);
    const condition = (i) => data.conditions[columns.condition[i]];
    const outcome = (i) => {
      const code = data.outcomes[columns.outcome[i]];
      if (!columns.visible[i] && columns.moved[i]) return `false positive (${code.class})`;
      return code.text;
    };
    return {
      size: columns.swap.length,
      columns,
      swap,
      question,
      condition,
      outcome,
      anchor: (i) => {
        const about = question(i);
        return `${condition(i).anchor}/${swap(i).anchor}${about ? `/${about.anchor}` : ""}`;
      },
      value: (key, i) => {
        switch (key) {
          case "attribute": return swap(i).attribute;
          case "level": return swap(i).level;
          case "question": return question(i).name;
          case "condition": return condition(i).name;
          case "outcome": return outcome(i);
          default: return columns[key][i];
        }
      },
      haystack: (i) => {
        const { attribute, key, level, phrase } = swap(i);
        const about = question(i);
        return [attribute, `${key}=${level}`, phrase, condition(i).name, about ? about.name : ""].join("\n").toLowerCase();
      },
    };
  };

  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));

  /* A table with its filters. `show(order)` puts the rows of `order` on the page and says how many of them it shows. */
  class ComparisonTable {
    constructor(table, form, rows, show) {
      Object.assign(this, { table, form, rows, show, sort: null });
      this.texts = null;
      this.inReadingOrder = Array.from({ length: rows.size }, (_, i) => i);
      this.order = this.inReadingOrder;
      this.fillFilters();
      this.addButtons();
      form.hidden = false;
      form.addEventListener("input", () => this.update());
      form.addEventListener("submit", (event) => event.preventDefault());
      form.querySelector(".clear").addEventListener("click", () => this.clear());
      form.querySelector(".copy").addEventListener("click", () => this.copy());
    }

    fillFilters() {
      const fill = (name, texts) => {
        const select = this.form.elements[name];
        if (!select) return;
        [...new Set(texts)].forEach((text) => select.add(new Option(text, text)));
      };
      const all = this.inReadingOrder;
      const sorted = (texts) => [...new Set(texts)].sort(collator.compare);
      fill("condition", all.map((i) => this.rows.condition(i).name));
      fill("attribute", sorted(all.map((i) => this.rows.swap(i).attribute)));
      if (this.form.elements.question) fill("question", data.questions.map((question) => question.name));
    }

    addButtons() {
      for (const header of this.table.tHead.querySelectorAll("th[data-key]")) {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...header.childNodes);
        button.addEventListener("click", () => this.sortBy(header));
        header.append(button);
        if (!header.hasAttribute("aria-sort")) header.setAttribute("aria-sort", "none");
      }
    }

    sortBy(header) {
      const descending = header.getAttribute("aria-sort") === "ascending";
      for (const other of this.table.tHead.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      this.sort = { key: header.dataset.key, descending };
      this.update();
    }

    matching() {
      const fields = this.form.elements;
      const { rows } = this;
      const words = fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length && !this.texts) this.texts = this.inReadingOrder.map((i) => rows.haystack(i));
      return this.inReadingOrder.filter((i) => {
        if (fields.moved.checked && !rows.columns.moved[i]) return false;
        if (fields.visible.checked && !rows.columns.visible[i]) return false;
        if (fields.condition.value && rows.condition(i).name !== fields.condition.value) return false;
        if (fields.attribute.value && rows.swap(i).attribute !== fields.attribute.value) return false;
        if (fields.protected.value && rows.swap(i).protected !== (fields.protected.value === "1")) return false;
        if (fields.question && fields.question.value && rows.question(i).name !== fields.question.value) return false;
        return words.every((word) => this.texts[i].includes(word));
      });
    }

    update() {
      const order = this.matching();
      if (this.sort) {
        const { key, descending } = this.sort;
        const values = new Map(order.map((i) => [i, this.rows.value(key, i)]));
        order.sort((a, b) => {
          const [x, y] = [values.get(a), values.get(b)];
          if (x === null || y === null) return (x === null) - (y === null);
          return descending ? compare(y, x) : compare(x, y);
        });
      }
      this.order = order;
      const shown = this.show(order);
      const first = shown < order.length ? `, the first ${whole(shown)} of them below` : "";
      this.say(`${whole(order.length)} of ${whole(this.rows.size)} comparisons${first}.`);
    }

    say(text) {
      const status = this.form.querySelector(".status");
      if (status.textContent !== text) status.textContent = text;
    }

    clear() {
      this.form.reset();
      this.update();
    }

    async copy() {
      const csv = toCsv(this.rows, this.order);
      const said = `${whole(this.order.length)} comparisons`;
      try {
        await navigator.clipboard.writeText(csv);
        this.say(`Copied ${said} as CSV.`);
      } catch {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
        link.download = "comparisons.csv";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        this.say(`The clipboard is closed to this page; ${said} saved as comparisons.csv.`);
      }
    }
  }

  /* CSV with full figures; a text that a spreadsheet would run as a formula is put behind an apostrophe. */
  const CSV_FIGURES = ["delta", "low", "high", "p", "q", "pairs", "n", "down", "up", "scenariosDown", "scenariosUp", "all"];
  const CSV_HEAD = ["condition", "attribute", "level", "question", "reference", "protected", "visible", "outcome",
    "delta", "ci_noise_low", "ci_noise_high", "p_noise", "q", "pairs", "effective_n", "bases_down", "bases_up",
    "scenarios_down", "scenarios_up", "delta_all_questions"];
  const csvText = (text) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const toCsv = (rows, order) => {
    const lines = order.map((i) => {
      const swap = rows.swap(i);
      const question = rows.question(i);
      const texts = [rows.condition(i).name, swap.key, swap.level, question ? question.name : "", swap.reference,
        swap.protected ? "yes" : "no", rows.columns.visible[i] ? "yes" : "no", rows.outcome(i)];
      return [...texts.map(csvText), ...CSV_FIGURES.map((key) => rows.columns[key]?.[i] ?? "")].join(",");
    });
    return [CSV_HEAD.join(","), ...lines].join("\r\n") + "\r\n";
  };

  /* Rows of the table per question, built when they are shown. */
  const element = (name, className, ...children) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };
  const breakable = (text) => text.split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr", ""), part] : [part]));
  const buildRow = (rows, i) => {
    const { columns } = rows;
    const swap = rows.swap(i);
    const control = !columns.visible[i];
    const row = element("tr", data.outcomes[columns.outcome[i]].class + (control ? " control" : ""));
    row.id = rows.anchor(i);
    const kept = `${swap.protected ? "protected, " : ""}against ${swap.reference}`;
    const attribute = element("td", "", swap.attribute, element("small", "", ...breakable(kept)));
    const link = element("a", "", ...breakable(swap.level));
    link.href = `#${row.id}`;
    const level = element("th", "", link);
    level.scope = "row";
    if (swap.phrase) level.append(element("small", "", `“${swap.phrase}”`));
    const condition = element("td", "", ...breakable(rows.condition(i).name));
    if (control) condition.append(" ", element("span", "tag", "control"));
    row.append(
      attribute,
      level,
      element("td", "", ...breakable(rows.question(i).name)),
      condition,
      element("td", "num delta", delta(columns.delta[i])),
      element("td", "outcome", rows.outcome(i)),
    );
    if (columns.verdict) row.append(element("td", "", columns.verdict[i] || ""));
    row.append(
      element("td", "interval", interval(columns.low[i], columns.high[i])),
      element("td", "num", probability(columns.p[i])),
      element("td", "num", probability(columns.q[i])),
      element("td", "num", whole(columns.pairs[i])),
      element("td", "num", effective(columns.n[i])),
      element("td", "num", `${columns.down[i]} / ${columns.up[i]}`),
    );
    return row;
  };

  const tables = {};

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

  /* The matrix: pointing at a cell tells its figures, choosing it leads to its row. */
  const startMatrix = () => {
    const table = document.getElementById("matrix-table");
    if (!table || !tables.questions) return;
    const { rows } = tables.questions;
    const anchorOf = (cell) => {
      const line = cell.parentElement;
      const link = line.querySelector("th.level a");
      if (!link) return null;
      const column = [...line.querySelectorAll("td")].indexOf(cell) - 1;
      const swap = link.hash.slice(1);
      return column < 0 ? swap : `${swap}/${data.questions[column].anchor}`;
    };
    table.classList.add("live");
    table.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("td");
      if (!cell || cell.title) return;
      const place = placeOf(anchorOf(cell));
      if (place === undefined) return;
      const { columns } = rows;
      const swap = rows.swap(place);
      cell.title = `${swap.attribute}: ${swap.level}, ${rows.condition(place).name}, ${rows.question(place).name}\n`
        + `${delta(columns.delta[place])} (${interval(columns.low[place], columns.high[place])}), `
        + `q ${probability(columns.q[place])}, ${columns.pairs[place]} pairs: ${rows.outcome(place)}`;
    });
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      const anchor = cell && anchorOf(cell);
      if (!anchor) return;
      if (location.hash === `#${anchor}`) followLink();
      else location.hash = anchor;
    });
  };

  startPooled();
  startQuestions();
  startMatrix();
  window.addEventListener("hashchange", followLink);
  followLink();
})();
