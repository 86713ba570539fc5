/* The command that opens the evidence behind a figure: what tracing.py writes. It can be copied wherever it stands. */
const word = (text) => {
  const plain = withoutIsolates(text);
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'"'"'`)}'`;
};
const traceCommand = (id) => `jevbias trace ${word(id)} --run ${word(data.run)}`;

const copyText = async (button, text) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    button.textContent = "the clipboard is closed to this page";
  }
};
const copyButton = (text, name = "copy") => {
  const button = element("button", "copy-trace", name);
  button.title = text;
  button.type = "button";
  button.setAttribute("aria-label", `Copy ${text}`);
  button.addEventListener("click", () => copyText(button, text));
  return button;
};
/* A row's own command gets its button when the row is opened. */
const offerCopy = (event) => {
  const code = event.target.open && event.target.querySelector?.("dd code");
  if (code && !code.nextElementSibling) code.after(" ", copyButton(code.textContent));
};
/* Rows of the other tables have one beside their name; their ids are the report's. */
const startTraces = () => {
  for (const row of document.querySelectorAll("tr[id*='/']")) {
    const head = row.querySelector("th[scope=row]");
    if (!head || row.closest("#pooled-table, #questions-table")) continue;
    head.append(" ", copyButton(traceCommand(decodeURIComponent(row.id)), "trace"));
  }
};
