"""A page as a reader without a browser sees it: elements, ids and the cells of its tables."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "wbr", "img", "input", "path", "circle", "rect", "use"}
CLOSED_BY = {
    "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"},
    "tr": {"tr"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
}
"""Elements that HTML closes by itself, and what opens when it does; the end of their parent does too."""


class ParsedPage(HTMLParser):
    """Collects start tags, checks that they nest, and reads tables by id."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.text: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._open: list[str] = []
        self._table: list[list[str]] | None = None
        self._cell: list[str] | None = None
        self.feed(html)
        self.close()
        assert self._open == [], f"left open: {self._open}"

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"an attribute twice on {tag}"
        self.tags.append((tag, attributes))
        while self._open and tag in CLOSED_BY.get(self._open[-1], ()):
            self._end(self._open[-1])
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self._table = self.tables.setdefault(attributes.get("id") or f"table {len(self.tables)}", [])
        elif tag == "tr" and self._table is not None:
            self._table.append([])
        elif tag in {"th", "td"} and self._table is not None:
            self._cell = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open[-1] != tag and self._open[-1] in CLOSED_BY:
            self._end(self._open[-1])
        assert self._open[-1:] == [tag], f"{tag} closes {self._open[-3:]}"
        self._end(tag)

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag in {"th", "td"} and self._table is not None and self._cell is not None:
            self._table[-1].append("".join(self._cell).strip())
            self._cell = None
        elif tag == "table":
            self._table = None

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        if inside in self.raw:
            self.raw[inside].append(data)
            return
        self.text.append(data)
        if self._cell is not None:
            self._cell.append(data)
