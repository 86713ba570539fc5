"""What makes lines a run, wherever they come from: their order, references, hashes and counts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import pairwise

from pydantic import ValidationError

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.keypath import one_line
from jevbias.catalogue.models import Profile
from jevbias.errors import UsageError
from jevbias.plan.model import Frame
from jevbias.store.archive.ask_order import FrameKey, OpenAsk, frame_key
from jevbias.store.archive.faults import Fault, described
from jevbias.store.archive.planned_order import PlannedOrder
from jevbias.store.archive.records import (
    AskLine,
    BatchLine,
    Counts,
    EndLine,
    FrameLine,
    HypothesisLine,
    Line,
    PersonLine,
    ProbeLine,
    RunFields,
    RunLine,
    as_bytes,
    unpack_response,
)
from jevbias.store.archive.snapshots import CATALOGUES, SnapshotReaders
from jevbias.store.planning import check_run_name


class RunCheck:
    """Takes the lines of a run in, one by one, to the last. Memory grows by some bytes a probe."""

    def __init__(self, readers: SnapshotReaders = CATALOGUES) -> None:
        self._readers = readers
        self._header: _Header | None = None
        self._end: EndLine | None = None
        self._digest = hashlib.sha256()
        self._counts = dict.fromkeys(Counts.model_fields, 0)
        self._order = PlannedOrder()
        self._frame: Frame | None = None
        self._frame_hash = ""
        self._frame_key: FrameKey | None = None
        self._ask: OpenAsk | None = None
        self._last_ask: tuple[int, int] | None = None

    @property
    def run(self) -> RunFields:
        """The run that the lines are of, once the first of them is known. Raises Fault before."""
        return self._known.run

    @property
    def places(self) -> Mapping[str, int]:
        """The place of each scenario, once the first line is known. Raises Fault before."""
        return self._known.snapshot.places

    @property
    def is_complete(self) -> bool:
        """Whether the last line has come."""
        return self._end is not None

    @property
    def end_line(self) -> EndLine:
        """The line that would end what has come so far."""
        return self._end or EndLine(counts=Counts(**self._counts), sha256=self._digest.hexdigest())

    def take(self, line: Line) -> bytes:
        """Take the next line in, and return it as it is written. Raises Fault where it cannot come next."""
        if self._end is not None:
            raise Fault("comes after the end")
        try:
            written = as_bytes(line)
        except (ValueError, RecursionError):
            raise Fault("holds what JSON in UTF-8 cannot say") from None
        match line:
            case RunLine():
                if self._header is not None:
                    raise _out_of_place(line)
                self._header = _Header(line, self._readers)
            case EndLine():
                self._take_end(line)
            case HypothesisLine():
                self._need_none_of("batches", "people", "frames", line=line)
                self._counts["hypotheses"] += 1
            case BatchLine():
                self._need_none_of("people", "frames", line=line)
                self._in_turn("batches", line.number, "a batch's number")
            case PersonLine():
                self._need_none_of("frames", line=line)
                self._in_turn("people", line.idx, "a person's idx")
                self._known.snapshot.check_person(line)
            case FrameLine():
                self._take_frame(line)
            case AskLine():
                self._take_ask(line)
            case ProbeLine():
                self._take_probe(line)
        self._digest.update(written)
        return written

    @property
    def _known(self) -> _Header:
        if self._header is None:
            raise Fault("is not the first line of a run archive")
        return self._header

    def _take_end(self, line: EndLine) -> None:
        self._close_frame()
        expected = self.end_line
        for what, count in expected.counts:
            if count != getattr(line.counts, what):
                raise Fault(f"says {getattr(line.counts, what)} {what}, and there are {count}")
        if line.sha256 != expected.sha256:
            raise Fault("the lines before it do not have the SHA-256 that it says")
        run, profile = self.run, self._known.profile
        if run.plan_hash != self._order.plan_hash(run.profile, profile, run.seed, run.catalogue_hash):
            raise Fault("the probes are not those that the run's plan hash names")
        self._end = line

    def _take_frame(self, line: FrameLine) -> None:
        snapshot = self._known.snapshot
        self._close_frame()
        content = line.content.model_dump()
        if canonical_hash(content) != line.hash:
            raise Fault("the frame is not what its hash names")
        try:
            frame = Frame.from_content(content)
        except ValidationError as error:
            raise Fault(f"the frame's questions: {described(error)}") from None
        snapshot.check_frame(frame)
        key = frame_key(snapshot.places, frame.scenario, frame.variant, line.hash)
        if self._frame_key is not None and key <= self._frame_key:
            raise Fault("the frame comes after one that it should come before")
        self._frame, self._frame_key, self._frame_hash = frame, key, line.hash
        self._order.add_frame(frame)
        self._counts["frames"] += 1

    def _take_ask(self, line: AskLine) -> None:
        if self._frame is None:
            raise Fault("an ask comes before any frame")
        self._close_ask()
        # As `Ask.hash` has it, but with the hash of the frame as it was stored.
        if canonical_hash({"frame": self._frame_hash, "person": line.person}) != line.hash:
            raise Fault("the ask is not what its hash names")
        self._order.add_ask(line.hash)
        self._ask = OpenAsk()
        self._counts["asks"] += 1

    def _take_probe(self, line: ProbeLine) -> None:
        if self._frame is None or self._ask is None:
            raise Fault("a probe comes before any ask")
        if line.person >= self._counts["people"]:
            raise Fault(f"there is no person {line.person}")
        if line.batch is not None and line.batch >= self._counts["batches"]:
            raise Fault(f"there is no batch {line.batch}")
        if line.status == "pending" and self.run.status == "finished":
            raise Fault("a probe of a finished run is pending")
        self._ask.add(line)
        _check_sends(line)
        _check_answers(line, self._frame)
        self._order.add_probe(line.position, line.person, line.condition, line.replicate)
        self._counts["probes"] += 1
        self._counts["sends"] += len(line.sends)
        self._counts["answers"] += len(line.answers)

    def _close_ask(self) -> None:
        if self._ask is None:
            return
        place = self._ask.place
        if self._last_ask is not None and place <= self._last_ask:
            raise Fault("the ask before it comes after one that it should come before")
        self._last_ask, self._ask = place, None

    def _close_frame(self) -> None:
        self._close_ask()
        if self._frame is not None and self._last_ask is None:
            raise Fault("the frame before it has no ask")
        self._last_ask = None

    def _in_turn(self, what: str, number: int, named: str) -> None:
        if number != self._counts[what]:
            raise Fault(f"{named} is {number} where {self._counts[what]} comes next")
        self._counts[what] += 1

    def _need_none_of(self, *later: str, line: Line) -> None:
        if self._header is None or any(self._counts[what] for what in later):
            raise _out_of_place(line)


class _Header:
    """What the first line says, read."""

    def __init__(self, line: RunLine, readers: SnapshotReaders):
        self.run = line.run
        try:
            check_run_name(line.run.name)
        except UsageError as error:
            raise Fault(one_line(str(error), 300)) from None
        if line.run.kind not in readers:
            raise Fault(f"is of a {line.run.kind} run; archives hold {' and '.join(readers)} runs")
        if canonical_hash(line.catalogue) != line.run.catalogue_hash:
            raise Fault("the catalogue is not the one that the run's catalogue hash names")
        self.snapshot = readers[line.run.kind](line.run, line.catalogue)
        self.profile = _read_profile(line.run)


def _read_profile(run: RunFields) -> Profile:
    try:
        return Profile.model_validate(run.settings.get("profile"))
    except ValidationError as error:
        raise Fault(f"the profile in the run's settings: {described(error)}") from None


def _check_sends(line: ProbeLine) -> None:
    if any(later.number <= earlier.number for earlier, later in pairwise(line.sends)):
        raise Fault("sends do not go up by their numbers")
    for held in (line.response, *(send.response for send in line.sends)):
        try:
            unpack_response(held)
        except ValueError as error:
            raise Fault(str(error)) from None


def _check_answers(line: ProbeLine, frame: Frame) -> None:
    if any(later.question <= earlier.question for earlier, later in pairwise(line.answers)):
        raise Fault("answers do not go up by their questions")
    for answer in line.answers:
        question = frame.questions.get(answer.question)
        if question is None or question.kind != answer.kind:
            named = one_line(answer.question)
            raise Fault(f"there is no question that {named} ({answer.kind}) would be the answer to")


def _out_of_place(line: Line) -> Fault:
    return Fault(f"a line {line.record} is out of its place")
