"""Which pair of a comparison is opened."""

from __future__ import annotations

from jevbias.analysis.trace.comparisons import strongest_first
from jevbias.analysis.trace.evidence import Pair, QuestionOfPair, Trace
from jevbias.errors import UsageError


def choose_pair(trace: Trace, wanted: str | None) -> tuple[Pair, tuple[QuestionOfPair, ...]]:
    """The pair that `BASE/SCENARIO[/VARIANT]` names, else the strongest; with its questions.

    Raises UsageError for a pair that the comparison does not have, naming those that it has.
    """
    pair = strongest_first(trace.pairs)[0] if wanted is None else _named(trace, wanted)
    return pair, trace.questions[pair.base, pair.scenario]


def _named(trace: Trace, wanted: str) -> Pair:
    parts = wanted.split("/")
    shown = "".join(sign if sign.isprintable() else "?" for sign in wanted[:80])
    first = trace.pairs[0]
    example = f"{first.base}/{first.scenario}"
    if len(parts) not in (2, 3) or not (parts[0].isascii() and parts[0].isdigit()):
        raise UsageError(
            f"--pair: '{shown}' is not BASE/SCENARIO or BASE/SCENARIO/VARIANT, such as {example}"
        )
    for pair in trace.pairs:
        if (pair.base, pair.scenario) == (int(parts[0]), parts[1]):
            if len(parts) == 3 and parts[2] != pair.variant:
                raise UsageError(
                    f"--pair: base {pair.base} meets {pair.scenario} as {pair.variant}; "
                    f"give {pair.base}/{pair.scenario}"
                )
            return pair
    bases = ", ".join(str(base) for base in dict.fromkeys(pair.base for pair in trace.pairs))
    scenarios = ", ".join(dict.fromkeys(pair.scenario for pair in trace.pairs))
    raise UsageError(f"--pair: there is no pair '{shown}'; bases are {bases}, scenarios {scenarios}")
