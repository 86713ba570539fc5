/* Opened figures that would reach beyond what is seen of their table go under their row, as wide as is seen. */
const fitFigures = (event) => {
  const details = event.target;
  const list = details.querySelector ? details.querySelector(".row-figures") : null;
  const scroll = details.closest ? details.closest(".scroll") : null;
  if (!list || !scroll) return;
  list.removeAttribute("style");
  list.classList.remove("fitted");
  if (!details.open) return;
  const seen = scroll.getBoundingClientRect();
  const line = list.getBoundingClientRect();
  if (line.right <= seen.right && line.left >= seen.left) return;
  list.hidden = true;
  const closed = details.closest("tr").getBoundingClientRect();
  const own = details.getBoundingClientRect();
  list.hidden = false;
  list.classList.add("fitted");
  list.style.marginLeft = `${seen.left - own.left}px`;
  list.style.marginTop = `${Math.max(closed.bottom - own.bottom, 0)}px`;
  list.style.setProperty("--seen", `${scroll.clientWidth}px`);
};
