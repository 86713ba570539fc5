"""A file of scores that were made elsewhere: JSONL or CSV, one score or one pair a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jevbias.battery.pairs import SIDES, PairSet, Side
from jevbias.battery.questions import QUESTION
from jevbias.battery.raw_scores import read_score, score_body, score_fault
from jevbias.battery.read_pairs import family_name
from jevbias.catalogue.canonical import canonical_hash, canonical_json
from jevbias.catalogue.keypath import one_line
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.json_text import REPEATED, BrokenJson, read_json
from jevbias.errors import CatalogueError
from jevbias.plan.model import Ask

FILE = "file"
"""The name of this way of asking."""
_KEYS = ("axis", "family", "pair", "side", "score", "with", "without")


@dataclass(frozen=True)
class ScoreFile:
    """The scores of each reply in the order of the file, and per reply without one why, with its line."""

    name: str
    scores: Mapping[tuple[str, Side], tuple[float, ...]]
    unusable: Mapping[tuple[str, Side], str]
    repeats_lost: int
    """Lines without a usable score of replies that other lines score."""

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of the scores."""
        return canonical_hash([[pair, side, list(values)] for (pair, side), values in self.scores.items()])


def read_score_file(path: Path, pairs: PairSet) -> ScoreFile:
    """Read the scores of a set of pairs.

    A line names `axis`, `family` and, where the family has several pairs, `pair` (its number there, from 1);
    then either `side` (`with` or `without`) and `score`, or both `with` and `without` as scores. Several
    lines for one reply are its repeats. A score that is absent, empty, NaN or infinite is none, and its line
    is the reason. Raises CatalogueError for a line that is no such thing or names a pair that the set does
    not have.
    """
    known: dict[tuple[str, str], list[str]] = {}
    for pair in pairs.pairs:
        known.setdefault((pair.axis, pair.family), []).append(pair.id)
    scores: dict[tuple[str, Side], list[float]] = {}
    unusable: dict[tuple[str, Side], list[str]] = {}
    for line, row in _rows(path):
        for reply, given in _replies(path, line, row, known):
            value = _number(given)
            fault = score_fault(value)
            if fault is not None:
                unusable.setdefault(reply, []).append(f"{fault} ({path.name}:{line})")
            else:
                scores.setdefault(reply, []).append(float(value))  # type: ignore[arg-type]
    if not scores:
        raise CatalogueError("holds no usable score of any pair of the set", path=path)
    replies = [(pair.id, side) for pair in pairs.pairs for side in SIDES]
    without = {
        reply: unusable.get(reply, [f"no score in {path.name}"])[-1]
        for reply in replies
        if reply not in scores
    }
    repeats_lost = sum(len(lines) for reply, lines in unusable.items() if reply in scores)
    return ScoreFile(path.name, {r: tuple(scores[r]) for r in replies if r in scores}, without, repeats_lost)


class ScoreFileScorer:
    """Answers from a file of scores: the ask says which pair, which reply and which repeat."""

    name = FILE
    base_url = "a file"

    def __init__(self, scores: ScoreFile, pairs: PairSet) -> None:
        self.model = scores.name
        self._scores = scores
        self._sides = {(pair.id, pair.text(side)): side for pair in pairs.pairs for side in SIDES}

    def render(self, ask: Ask) -> bytes:
        """Which score is wanted, as JSON."""
        side = self._sides[ask.frame.title, ask.person["text"]]
        return canonical_json({"pair": ask.frame.title, "side": side, "repeat": int(ask.person["repeat"])})

    async def send(self, body: bytes) -> Reply:
        """Look the score up."""
        wanted = read_json(body)
        if not isinstance(wanted, dict):
            raise ValueError("not a body of this driver")
        values = self._scores.scores.get((wanted["pair"], wanted["side"]), ())
        place = wanted["repeat"] - 1
        return Reply(200, score_body(values[place] if place < len(values) else None), 0.0)

    def read(self, ask: Ask, reply: Reply) -> Reading:
        """What a reply means."""
        del ask
        return read_score(QUESTION, reply)

    async def aclose(self) -> None:
        """Nothing is open."""


def _replies(
    path: Path, line: int, row: Mapping[str, object], known: Mapping[tuple[str, str], list[str]]
) -> Iterator[tuple[tuple[str, Side], object]]:
    def fault(message: str) -> CatalogueError:
        return CatalogueError(message, path=path, line=line)

    axis, family = str(row.get("axis") or ""), family_name(str(row.get("family") or ""))
    if not axis or not family:
        raise fault("names no axis and family")
    ids = known.get((axis, family))
    if ids is None:
        raise fault(f"the set has no family '{one_line(family)}' on an axis '{one_line(axis)}'")
    number = row.get("pair")
    if number in (None, "") and len(ids) > 1:
        raise fault(f"family '{one_line(family)}' has {len(ids)} pairs: name one, pair 1 to {len(ids)}")
    place = 1 if number in (None, "") else _number(number)
    if isinstance(place, bool) or not isinstance(place, int | float) or place not in range(1, len(ids) + 1):
        raise fault(f"pair {one_line(str(number))}: family '{one_line(family)}' has pairs 1 to {len(ids)}")
    pair = ids[int(place) - 1]
    side = row.get("side")
    single = [key for key in ("side", "score") if row.get(key) not in (None, "")]
    double = [key for key in SIDES if row.get(key) not in (None, "")]
    if single and double:
        raise fault(f"has both '{single[0]}' and '{double[0]}': give side and score, or with and without")
    if side in (None, ""):
        if "with" not in row and "without" not in row:
            raise fault("has neither a side with a score nor scores under 'with' and 'without'")
        yield from (((pair, each), row.get(each)) for each in SIDES)
    elif side in SIDES:
        yield (pair, "with" if side == "with" else "without"), row.get("score")
    else:
        raise fault(f"side '{one_line(str(side))}' is neither 'with' nor 'without'")


def _number(given: object) -> object:
    """A number that is written as text, such as a cell of a table; anything else as it is."""
    if not isinstance(given, str):
        return given
    text = given.strip()
    if not text:
        return None
    try:
        return text if "_" in text else float(text)
    except ValueError:
        return text


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = "no such file" if not path.exists() else f"cannot be read: {error.strerror}"
        raise CatalogueError(reason, path=path) from None
    except UnicodeDecodeError:
        raise CatalogueError("is not UTF-8 text; save the file as UTF-8", path=path) from None
    if path.suffix.lower() == ".csv":
        yield from _csv_rows(path, text)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _json_row(path, number, line)


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, [])
        if not {"axis", "family"} <= set(names):
            raise CatalogueError("the first line names no columns axis and family", path=path, line=1)
        _check_keys(path, 1, names)
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise CatalogueError(f"two columns are called '{one_line(repeated[0])}'", path=path, line=1)
        line = reader.line_num + 1
        for row in reader:
            if len(row) > len(names):
                extra = f"has {len(row)} cells, and the first line names {len(names)} columns"
                raise CatalogueError(extra, path=path, line=line)
            if reader.line_num > line:
                raise CatalogueError("a quotation mark is not closed on its line", path=path, line=line)
            if row:
                yield line, dict(zip(names, row, strict=False))
            line = reader.line_num + 1
    except csv.Error as error:
        raise CatalogueError(f"is not CSV: {error}", path=path, line=reader.line_num) from None


def _json_row(path: Path, number: int, line: str) -> Mapping[str, object]:
    try:
        row = read_json(line)
    except BrokenJson:
        raise CatalogueError("is not JSON: every line is one object", path=path, line=number) from None
    if not isinstance(row, dict):
        raise CatalogueError("is JSON, but no object", path=path, line=number)
    repeated = [key for key, value in row.items() if value is REPEATED]
    if repeated:
        raise CatalogueError(f"duplicate key '{one_line(repeated[0])}'", path=path, line=number)
    _check_keys(path, number, row)
    return row


def _check_keys(path: Path, line: int, keys: object) -> None:
    unknown = [str(key) for key in keys if key not in _KEYS]  # type: ignore[attr-defined]
    if unknown:
        message = f"unknown key '{one_line(unknown[0])}'; expected {', '.join(_KEYS)}"
        raise CatalogueError(message, path=path, line=line)
