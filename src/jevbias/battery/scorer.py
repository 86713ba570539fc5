"""Who scores the replies, from what a user writes after `--scorer`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from jevbias.battery.pairs import PairSet
from jevbias.battery.python_scorer import PYTHON, PythonScorer, load_function
from jevbias.battery.questions import BUILT_IN, SCORE, ScoringQuestion, read_question
from jevbias.battery.score_file import FILE, ScoreFile, ScoreFileScorer, read_score_file
from jevbias.catalogue.keypath import one_line
from jevbias.drivers.base import Driver
from jevbias.drivers.providers import Provider
from jevbias.drivers.select import DriverChoice
from jevbias.errors import UsageError

_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_QUESTIONS, _SCORES = (".yaml", ".yml"), (".jsonl", ".csv")


@dataclass(frozen=True)
class Scorer:
    """What `--scorer` names: a question for a model, a Python function or a file of scores.

    `question` is what a model is asked; for the other two it only names what is measured. `scores` are those
    of a file.
    """

    kind: Literal["question", "python", "file"]
    text: str
    question: ScoringQuestion
    scores: ScoreFile | None = None

    def setting(self) -> dict[str, Any]:
        """What a run keeps of it."""
        kept: dict[str, Any] = {"scorer": self.text, "kind": self.kind, "asked": self.kind == "question"}
        if self.scores is not None:
            kept["path"] = str(Path(self.text).resolve())
            kept["repeats_lost"] = self.scores.repeats_lost
            kept["scores_hash"] = self.scores.hash
            kept["unusable"] = {f"{pair} {side}": why for (pair, side), why in self.scores.unusable.items()}
        return kept

    def choice(self) -> DriverChoice:
        """The driver of a scorer that is no model, as a run names it."""
        described = "a Python function" if self.kind == "python" else "a file of scores"
        provider = Provider(PYTHON if self.kind == "python" else FILE, described, None, None, None)
        model = Path(self.text).name if self.kind == "file" else self.text
        where = PythonScorer.base_url if self.kind == "python" else ScoreFileScorer.base_url
        return DriverChoice(provider, model, where, needs_key=False)

    @asynccontextmanager
    async def open(self, pairs: PairSet) -> AsyncIterator[Driver]:
        """The scorer as a driver. Raises UsageError where the function is not there."""
        if self.scores is not None:
            yield ScoreFileScorer(self.scores, pairs)
        else:
            yield PythonScorer(self.text, load_function(self.text))


def read_scorer(text: str, pairs: PairSet) -> Scorer:
    """The scorer that a user names: `noul`, `score`, a question file (.yaml), a file of scores (.jsonl, .csv)
    or `module:function`. Raises UsageError, CatalogueError for a file that cannot be used.
    """
    if text in BUILT_IN:
        return Scorer("question", text, BUILT_IN[text])
    suffix = Path(text).suffix.lower()
    if suffix in _QUESTIONS:
        return Scorer("question", text, read_question(Path(text)))
    if suffix in _SCORES:
        return Scorer("file", text, SCORE, read_score_file(Path(text), pairs))
    if _FUNCTION.fullmatch(text):
        load_function(text)
        return Scorer("python", text, SCORE)
    raise UsageError(
        f"--scorer: '{one_line(text)}' is none; give noul, score, a question file (.yaml), a file of scores "
        "(.jsonl, .csv) or module:function"
    )


def stored_scorer(setting: Mapping[str, Any], question: ScoringQuestion, pairs: PairSet) -> Scorer:
    """The scorer of a run that goes on. Raises UsageError where its file of scores has changed."""
    text, kind = str(setting["scorer"]), setting["kind"]
    if kind == "file":
        scores = read_score_file(Path(setting["path"]), pairs)
        if scores.hash != setting["scores_hash"]:
            raise UsageError(f"{text}: its scores have changed since the run was planned; start another run")
        return Scorer("file", setting["path"], question, scores)
    return Scorer("python" if kind == "python" else "question", text, question)
