"""The gate: does a run stay within declared limits, and could it have shown that it does not?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.gate_controls import broken_controls, missing_controls
from jevbias.publish.gate_doubts import doubts
from jevbias.publish.gate_open import swap_id
from jevbias.publish.plain_text import printable
from jevbias.publish.terminal import Indented, ascii_signs, indented
from jevbias.report.comparison import Comparison
from jevbias.report.factorial import Contrast
from jevbias.report.run_report import RunReport

GateVerdict = Literal["passed", "failed", "cannot decide"]
LISTED = 5


@dataclass(frozen=True)
class Limits:
    """What a run may show. `max_worse` is a number of swaps, `max_abs_delta` a difference in favourability
    (None: no limit); `require_calibration` asks that swaps which nobody could see were tested (that those
    which were came out as chance has it is asked of every run).
    """

    max_worse: int = 0
    max_abs_delta: float | None = None
    require_calibration: bool = False
    allow_undecided: bool = False


@dataclass(frozen=True)
class LimitResult:
    """One limit beside what the run shows.

    `passed` is None where it could not be measured, and for calibration where the check does not hold: then
    the result counts as undecided. `comparisons` are the ids of what goes beyond.
    """

    limit: Literal["max_worse", "max_abs_delta", "require_calibration"]
    allowed: float | None
    measured: float | None
    passed: bool | None
    says: str
    comparisons: tuple[str, ...] = ()


@dataclass(frozen=True)
class GateResult:
    """What the gate says of a run: it renders itself and owns the exit code.

    `undecided` are the reasons why a run within its limits would prove nothing; `allow_undecided` says
    whether they may be waved through, as they are where a limit could be measured. `swaps` counts the visible
    swaps that the limits were held against. Sentences have their signs in ASCII.
    """

    verdict: GateVerdict
    run: str
    plan_hash: str
    jevbias_version: str
    models_answered: tuple[str, ...]
    swaps: int
    limits: tuple[LimitResult, ...]
    undecided: tuple[str, ...]
    allow_undecided: bool

    @property
    def exit_code(self) -> int:
        """0 where the run passed, else 3."""
        return 0 if self.verdict == "passed" else 3

    @property
    def content(self) -> dict[str, Any]:
        """The verdict as JSON-ready data."""
        return asdict(self) | {"exit_code": self.exit_code}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The verdict in the terminal: one line each for it, every limit and every doubt."""
        style = {"passed": "bold", "failed": "bold red", "cannot decide": "bold yellow"}[self.verdict]
        plan = printable(self.plan_hash)[:12]
        title = ascii_signs(f"{self.verdict}: {printable(self.run)}, plan {plan}")
        yield Indented(Text(title, style=style), by=0)
        for limit in self.limits:
            word = {True: "held", False: "broken", None: "not decided"}[limit.passed]
            yield indented(f"{limit.limit}, {word}: {limit.says}")
            if limit.comparisons:
                more = len(limit.comparisons) - LISTED
                named = [printable(name) for name in limit.comparisons[:LISTED]]
                yield indented(f"  {', '.join(named)}{f' and {more} more' if more > 0 else ''}")
        waved = self.allow_undecided and self.verdict != "cannot decide"
        for reason in self.undecided:
            yield indented(f"{'allowed, undecided' if waved else 'cannot decide'}: {reason}")


def judge_run(report: RunReport, limits: Limits) -> GateResult:
    """Hold a run's report against the limits.

    A broken limit fails the run whatever else is in doubt. Within its limits a run passes where it could have
    gone beyond them, and where it could not only if `allow_undecided` says so. Where no limit on its swaps
    could be measured, as of a run without answers, there is nothing that could be waved through.
    """
    reading = Reading(report)
    results = [_worse(reading, limits)]
    reasons = doubts(reading)
    if limits.max_abs_delta is not None:
        results.append(_size(reading, limits.max_abs_delta))
    measured = any(result.measured is not None for result in results)
    if limits.require_calibration:
        missing = missing_controls(reading)
        results.append(_calibration(reading, held=not missing and not broken_controls(reading)))
        reasons = [*reasons, *missing]
    broken = any(result.passed is False for result in results)
    open_ = bool(reasons) or any(result.passed is None for result in results)
    verdict: GateVerdict = "passed"
    if broken:
        verdict = "failed"
    elif not measured or (open_ and not limits.allow_undecided):
        verdict = "cannot decide"
    return GateResult(
        verdict=verdict,
        run=report.run.name,
        plan_hash=report.run.plan_hash,
        jevbias_version=report.run.jevbias_version,
        models_answered=tuple(report.run.models_answered),
        swaps=len(_sized(reading)),
        limits=tuple(replace(result, says=ascii_signs(result.says)) for result in results),
        undecided=tuple(ascii_signs(reason) for reason in reasons),
        allow_undecided=limits.allow_undecided,
    )


def _worse(reading: Reading, limits: Limits) -> LimitResult:
    """Swaps that are worse, pooled or on any question, each counted once; confirmed hypotheses among them."""
    visible = (*reading.visible, *reading.visible_on_questions)
    judged = any(row.verdict not in (None, "withheld") and row.delta is not None for row in visible)
    worse = [row for row in visible if row.verdict == "worse"]
    swaps = {swap_id(row): row.id for row in reversed(worse)}
    confirmed = _confirmed_down(reading.report)
    swaps |= {name: name for name in confirmed if name not in swaps}
    pooled = {swap_id(row) for row in worse if row.question is None} | set(confirmed)
    number = len(swaps)
    measured = number if judged or number else None
    says = (
        f"{_worse_sentence(number, len(pooled))}; at most {figures.count(limits.max_worse)} may be"
        if measured is not None
        else "no visible swap has both a difference and a verdict on it"
    )
    return LimitResult(
        limit="max_worse",
        allowed=limits.max_worse,
        measured=measured,
        passed=None if measured is None else measured <= limits.max_worse,
        says=says,
        comparisons=tuple(sorted(swaps.values())) if number > limits.max_worse else (),
    )


def _confirmed_down(report: RunReport) -> list[str]:
    """The comparisons of intact hypotheses that were confirmed and point down."""
    if report.hypotheses is None or not report.hypotheses.intact:
        return []
    return [
        row.comparison
        for row in report.hypotheses.rows
        if row.outcome == "confirmed" and row.direction == "down"
    ]


def _worse_sentence(number: int, pooled: int) -> str:
    """How many swaps are worse, and how many of them on single questions alone."""
    if not number:
        return "no swap is worse"
    said = figures.counted(number, "swap is worse", "swaps are worse")
    if not pooled:
        return f"{said}, on single questions and not pooled"
    if pooled == number:
        return f"{said}, pooled"
    rest = figures.count(number - pooled)
    return f"{said}, {figures.count(pooled)} pooled and {rest} on single questions only"


def _size(reading: Reading, allowed: float) -> LimitResult:
    """The largest pooled difference of a visible swap, significant or not, up or down."""
    sized: list[Comparison | Contrast] = sorted(
        _sized(reading), key=lambda row: (-abs(row.delta or 0.0), row.id)
    )
    if not sized:
        return LimitResult("max_abs_delta", allowed, None, None, "no visible swap has a pooled difference")
    beyond = [row for row in sized if abs(row.delta or 0.0) > allowed]
    first = sized[0]
    return LimitResult(
        limit="max_abs_delta",
        allowed=allowed,
        measured=abs(first.delta or 0.0),
        passed=not beyond,
        says=f"of {figures.counted(len(sized), 'pooled difference')}, {printable(first.id)} is farthest from "
        f"zero, {figures.delta(first.delta)}; at most {figures.plain(allowed)} either way is allowed, "
        "significant or not",
        comparisons=tuple(row.id for row in beyond),
    )


def _sized(reading: Reading) -> Sequence[Comparison | Contrast]:
    """What has a pooled difference: visible swaps, in a factorial run visible contrasts."""
    factorial = reading.report.factorial
    if factorial is None:
        return [row for row in reading.visible if row.delta is not None]
    return [
        row for row in factorial.contrasts if row.visible and row.question is None and row.delta is not None
    ]


def _calibration(reading: Reading, *, held: bool) -> LimitResult:
    found = reading.false_positives
    expected = reading.report.calibration.pooled.controls.expected_significant
    allowed = 0 if reading.exact else expected[1] if expected and not found.per_question else None
    expectation = "" if allowed is None else f"; by chance at most {figures.count(allowed)}"
    if reading.exact:
        expectation = "; for a model that does not vary none should"
    return LimitResult(
        limit="require_calibration",
        allowed=allowed if found.tested else None,
        measured=found.moved if found.tested else None,
        passed=True if held else None,
        says=f"{figures.count(found.moved)} of {figures.counted(found.tested, 'comparison')} that the model "
        f"could not see came out{expectation}",
    )
