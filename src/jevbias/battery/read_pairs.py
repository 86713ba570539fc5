"""Reading a pair set: a YAML or JSONL file, or a folder of them; every fault with its file and line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jevbias.battery.pairs import Control, Pair, PairEntry, PairFile, PairSet
from jevbias.catalogue.keypath import KeyPath, YamlValue, one_line
from jevbias.catalogue.load import catalogue_root
from jevbias.catalogue.rules.fault import same_text
from jevbias.catalogue.shape import Reading, read_shape
from jevbias.catalogue.yaml12 import YamlDocument, read_yaml
from jevbias.drivers.json_text import REPEATED, BrokenJson, read_json
from jevbias.errors import CatalogueError

_SUFFIXES = (".yaml", ".yml", ".jsonl")
_BUILT_IN = "built-in"
MOST_CHARACTERS = 50_000
"""A prompt or a reply may have."""


@dataclass(frozen=True)
class ReadPairs:
    """A set as far as it can be read, and every fault in the order of files and lines."""

    pairs: PairSet
    errors: tuple[CatalogueError, ...]


def load_pairs(path: Path | None) -> PairSet:
    """The set in a file or a folder, the built-in one for None. Raises CatalogueError: the first fault, and
    how many there are besides.
    """
    read = read_pairs(path)
    if read.errors:
        first = read.errors[0]
        more = len(read.errors) - 1
        if more:
            rest = f"{first.message} (and {more:,} more: `jevbias battery pairs` lists every fault)"
            raise CatalogueError(rest, path=first.path, line=first.line, key=first.key)
        raise first
    return read.pairs


def family_name(text: str) -> str:
    """A family by its name, however its accents are encoded (NFC)."""
    return unicodedata.normalize("NFC", text)


def built_in_folder() -> Path:
    """Where the built-in set is: the checkout that the package runs from, else the installed package."""
    return catalogue_root(None) / "pairs"


def read_pairs(path: Path | None) -> ReadPairs:
    """Read a set; faults are collected, none is raised."""
    root = built_in_folder() if path is None else path
    files, errors = _files(root)
    collected = _Collected(errors=errors)
    for file in files:
        collected.add(file)
    if not collected.pairs and not collected.errors:
        collected.errors.append(CatalogueError("holds no pair", path=root))
    source = _BUILT_IN if path is None else path.name or str(path)
    pairs = PairSet(tuple(collected.pairs), source, collected.controls, collected.about)
    return ReadPairs(pairs, tuple(collected.errors))


def _files(root: Path) -> tuple[list[Path], list[CatalogueError]]:
    try:
        if not root.is_dir():
            if root.suffix.lower() in _SUFFIXES or not root.exists():
                return [root], []
            wanted = CatalogueError("a file of pairs ends in .yaml or .jsonl", path=root)
            return [], [wanted]
        found = sorted(file for file in root.iterdir() if file.suffix.lower() in _SUFFIXES and file.is_file())
    except OSError as error:
        return [], [CatalogueError(f"cannot be read: {error.strerror}", path=root)]
    return found, [] if found else [CatalogueError("holds no file of pairs (.yaml, .jsonl)", path=root)]


@dataclass
class _Collected:
    """Pairs as their files are read, held against each other."""

    errors: list[CatalogueError]
    pairs: list[Pair] = field(default_factory=list)
    controls: dict[str, Control] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _said: dict[str, tuple[Control | None, str]] = field(default_factory=dict)

    def add(self, path: Path) -> None:
        """Take in one file."""
        if path.suffix.lower() == ".jsonl":
            for document in _lines(path):
                reading = read_shape(document, PairEntry)
                self.errors.extend(reading.errors)
                if reading.content is not None:
                    self._take(reading, (), reading.content, None, None)
            return
        document = read_yaml(path)
        if isinstance(document.data, list):
            document = _wrapped(document)
        reading_file = read_shape(document, PairFile)
        self.errors.extend(reading_file.errors)
        content = reading_file.content
        if content is None:
            return
        for place, entry in enumerate(content.pairs):
            self._take(reading_file, ("pairs", place), entry, content.axis, content.control)
        if content.about is not None and content.axis is not None:
            self.about.setdefault(content.axis, content.about)

    def _take(
        self,
        reading: Reading[PairEntry] | Reading[PairFile],
        at: KeyPath,
        entry: PairEntry,
        axis: str | None,
        control: Control | None,
    ) -> None:
        document = reading.document
        faults = [document.error((*at, *path), message) for path, message in _faults(entry)]
        axis = entry.axis or axis
        if axis is None:
            faults.insert(
                0, document.error((*at, "axis"), "missing: neither the pair nor its file names one")
            )
            self.errors.extend(faults)
            return
        place = f"{document.path}:{document.line(at)}"
        known, where = self._said.setdefault(axis, (entry.control or control, place))
        if known != (entry.control or control):
            says = f"is a {known} control at {where}" if known else f"is no control at {where}"
            faults.append(
                document.error((*at, "control"), f"axis '{axis}' {says}: an axis is one or the other")
            )
        self.errors.extend(faults)
        if known is not None:
            self.controls[axis] = known
        family = family_name(entry.family)
        number = self._numbers[axis, family] = self._numbers.get((axis, family), 0) + 1
        texts = entry.prompt, entry.with_feature, entry.without_feature
        self.pairs.append(Pair(axis, family, number, *texts, tuple(entry.keep), place))


def _faults(entry: PairEntry) -> Iterator[tuple[KeyPath, str]]:
    texts = {"prompt": entry.prompt, "with": entry.with_feature, "without": entry.without_feature}
    for key, text in texts.items():
        if len(text) > MOST_CHARACTERS:
            yield (key,), f"has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed"
    if entry.with_feature == entry.without_feature:
        yield ("with",), "says the same as 'without': there is no difference to measure"
    for place, kept in enumerate(entry.keep):
        lacking = [key for key in ("with", "without") if same_text(kept) not in same_text(texts[key])]
        if lacking:
            yield ("keep", place), f"'{one_line(kept)}' is not in {' and not in '.join(map(repr, lacking))}"


def _lines(path: Path) -> Iterator[YamlDocument]:
    """Each line of a JSONL file that is not empty, as a document of its own."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = "no such file" if not path.exists() else f"cannot be read: {error.strerror}"
        yield YamlDocument(path, None, {}, (CatalogueError(reason, path=path),))
        return
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line.strip():
            yield _line(path, number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)


def _line(path: Path, number: int, raw: bytes) -> YamlDocument:
    def fault(message: str) -> YamlDocument:
        return YamlDocument(path, None, {}, (CatalogueError(message, path=path, line=number),))

    try:
        data = read_json(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return fault("is not UTF-8 text; save the file as UTF-8")
    except BrokenJson:
        return fault("is not JSON: every line is one object")
    if not isinstance(data, dict):
        return fault("is JSON, but no object")
    repeated = [key for key, value in data.items() if value is REPEATED]
    if repeated:
        return fault(f"duplicate key '{one_line(repeated[0])}'")
    found = next((sign for text in _texts(data) for sign in text if _is_control(sign)), None)
    if found is not None:
        half = "\ud800" <= found <= "\udfff"
        return fault(
            "holds half of a surrogate pair, which is no text"
            if half
            else f"the text holds the control character U+{ord(found):04X}"
        )
    return YamlDocument(path, data, {(): number}, ())


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for part in pair for text in _texts(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _texts(part))


def _is_control(sign: str) -> bool:
    """What YAML refuses in a text too: halves of surrogate pairs, and controls but tabs and line ends."""
    return unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\t\n\r"


def _wrapped(document: YamlDocument) -> YamlDocument:
    """A bare list of pairs as the file that it is short for."""
    data: YamlValue = {"pairs": document.data}
    lines = {("pairs", *path): line for path, line in document.lines.items()}
    return YamlDocument(document.path, data, {(): 1, **lines}, document.errors)
