/* A table with its filters. `show(order)` puts the rows of `order` on the page and says how many of them it shows. */
const collator = new Intl.Collator("en", { numeric: true });
const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));

const tables = {};

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
    form.elements.text.addEventListener("focus", () => this.readTexts());
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
    const byRank = [...data.states].sort((a, b) => a.rank - b.rank);
    const present = new Set(all.map((i) => this.rows.state(i).verdict));
    fill("verdict", byRank.map((state) => state.verdict).filter((verdict) => present.has(verdict)));
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

  readTexts() {
    this.texts ??= this.inReadingOrder.map((i) => this.rows.haystack(i));
  }

  matching() {
    const fields = this.form.elements;
    const { rows } = this;
    const words = fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) this.readTexts();
    return this.inReadingOrder.filter((i) => {
      if (fields.moved.checked && !rows.state(i).moved) return false;
      if (fields.visible.checked && !rows.visible(i)) return false;
      if (fields.verdict.value && rows.state(i).verdict !== fields.verdict.value) return false;
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
    this.count(this.show(order));
  }

  count(shown) {
    const first = shown < this.order.length ? `, the first ${whole(shown)} of them below` : "";
    this.say(`${whole(this.order.length)} of ${whole(this.rows.size)} comparisons${first}.`);
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
