"""From what an exploratory run found to what a confirmatory run will test, and on whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from jevbias.catalogue.models import Profile
from jevbias.errors import UsageError

Direction = Literal["down", "up"]
CONFIRMABLE = ("worse", "better", "these cases")
"""The verdicts of an exploratory run that are worth a run of their own."""


@dataclass(frozen=True)
class Finding:
    """A comparison of an exploratory run. `question` is None where it is pooled; `delta` is in favourability,
    None where it could not be estimated.
    """

    comparison: str
    condition: str
    attribute: str
    level: str
    question: str | None
    visible: bool
    delta: float | None
    verdict: str | None


@dataclass(frozen=True)
class Hypothesis:
    """A claim made before the first call: the comparison moves answers in this direction. `margin` is the
    smallest difference that matters, `alpha` the level of the test before Holm's correction.
    """

    comparison: str
    direction: Direction
    margin: float
    alpha: float


@dataclass(frozen=True)
class Confirmation:
    """What a confirmatory run tests, in order, and the swaps it needs as `attribute=level`."""

    hypotheses: tuple[Hypothesis, ...]
    swaps: tuple[str, ...]

    def profile(self, confirm: Profile) -> Profile:
        """The confirm profile with these swaps.

        Raises UsageError where it does not run under the condition of a hypothesis.
        """
        for hypothesis in self.hypotheses:
            condition = hypothesis.comparison.partition("/")[0]
            if condition not in confirm.conditions:
                listed = ", ".join(confirm.conditions)
                raise UsageError(
                    f"{hypothesis.comparison} cannot be confirmed: the confirm profile runs under {listed} "
                    f"and not under {condition}"
                )
        return confirm.model_copy(update={"swept": list(self.swaps)})


def choose_hypotheses(
    source: str, findings: Sequence[Finding], named: Sequence[str], *, margin: float, alpha: float
) -> Confirmation:
    """The hypotheses that the run `source` leads to: its `named` comparisons, or without names its visible
    pooled rows called `worse`, `better` or `these cases`. Each goes in the direction that the run saw.

    Raises UsageError for a name that is no visible pooled row with a direction, and where nothing is left.
    """
    if named:
        by_id = {finding.comparison: finding for finding in findings}
        chosen = [_named(source, by_id, name) for name in dict.fromkeys(named)]
    else:
        chosen = [
            finding
            for finding in findings
            if finding.question is None
            and finding.visible
            and finding.delta
            and finding.verdict in CONFIRMABLE
        ]
    if not chosen:
        raise UsageError(
            f"run {source} has nothing to confirm: no pooled comparison is called "
            f"{', '.join(CONFIRMABLE[:-1])} or {CONFIRMABLE[-1]}; name one with --comparison, "
            f"such as --comparison {_example(findings)}"
        )
    return Confirmation(
        tuple(
            Hypothesis(finding.comparison, "down" if (finding.delta or 0) < 0 else "up", margin, alpha)
            for finding in chosen
        ),
        tuple(dict.fromkeys(f"{finding.attribute}={finding.level}" for finding in chosen)),
    )


def check_seed(seed: int, source: str, source_seed: int) -> int:
    """The seed, unless it is that of the source. Raises UsageError."""
    if seed == source_seed:
        raise UsageError(
            f"--seed {seed} is the seed of {source}: a confirmation needs other people, so give another"
        )
    return seed


def _named(source: str, by_id: Mapping[str, Finding], name: str) -> Finding:
    finding = by_id.get(name)
    if finding is None:
        shown = "".join(ch if ch.isprintable() else "?" for ch in name[:120])
        raise UsageError(
            f"--comparison: {source} has no comparison '{shown}'; near it: {', '.join(_near(name, by_id))}"
        )
    if finding.question is not None:
        pooled = f"{finding.condition}/{finding.attribute}={finding.level}"
        raise UsageError(
            f"--comparison: {name} is about one question; hypotheses are about pooled comparisons, "
            f"such as {pooled}"
        )
    if not finding.visible:
        raise UsageError(
            f"--comparison: {name} is a control: the model cannot see the swap, so it has nothing to confirm"
        )
    if not finding.delta:
        reason = "could not be estimated" if finding.delta is None else "is 0"
        raise UsageError(
            f"--comparison: {name} has no direction to confirm: its difference in {source} {reason}"
        )
    return finding


def _near(name: str, by_id: Mapping[str, Finding]) -> Collection[str]:
    eligible = [key for key, finding in by_id.items() if finding.question is None and finding.visible]
    return get_close_matches(name, eligible, n=3, cutoff=0.3) or eligible[:3] or ["nothing"]


def _example(findings: Sequence[Finding]) -> str:
    eligible = (f.comparison for f in findings if f.question is None and f.visible and f.delta)
    return next(eligible, "full/religion=muslim")
