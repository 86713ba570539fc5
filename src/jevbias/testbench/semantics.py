"""What the numbers of an answer mean: sums, choices, formulas, and what an answer does not depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from jevbias.drivers.providers import find_provider
from jevbias.plan.model import Ask
from jevbias.report.testbench_answers import Argmax, ProbabilitySums, Semantics
from jevbias.testbench.bench import Bench, Told
from jevbias.testbench.confidence import (
    CHOICE_CONFIDENCE,
    FEWEST_DECIMALS,
    SCORE,
    SCORE_CONFIDENCE,
    Formula,
    Sample,
    decimals_of,
    search_formula,
)
from jevbias.testbench.movements import CaseAnswers, movements
from jevbias.testbench.observed import Distribution, observe
from jevbias.testbench.options import SemanticsOptions
from jevbias.testbench.semantics_asks import semantics_case

EXACT = 1e-9


async def measure_semantics(bench: Bench, options: SemanticsOptions, asks: Sequence[Ask]) -> Semantics:
    """Put every case as it is, twice, and with one thing changed at a time."""
    person_first = not find_provider(bench.driver.name).writes_numbers
    cases = [semantics_case(number, ask, person_first=person_first) for number, ask in enumerate(asks)]
    calls = [call for case in cases for call in case.asks]
    bench.say(f"semantics: {len(calls)} calls about {len(cases)} cases of {options.scenario}")
    told = await bench.answers(calls, options.at_once)
    answered: dict[int, dict[str, Told]] = {case.number: {} for case in cases}
    for one in told:
        if one.answered:
            _, number, what = one.recorded.key.rpartition("#")[0].split("/", 2)
            answered[int(number)][what] = one
    if len(told) < len(calls) or sum(map(len, answered.values())) < len(told):
        left = len(calls) - sum(map(len, answered.values()))
        bench.notes.append(f"semantics: {left} of {len(calls)} calls have no answer")
    distributions = [found for one in told if one.answered for found in observe(one).distributions]
    if any(answered.values()) and not distributions:
        bench.notes.append(
            "semantics: this model returns no probabilities of options, so sums, choices and formulas have "
            "nothing to go by"
        )
    return Semantics(
        scenario=options.scenario,
        cases=len(cases),
        calls=len(told),
        sums=[row for kind in ("choice", "score") if (row := _sums(kind, distributions)) is not None],
        argmax=_argmax([found for found in distributions if found.kind == "choice"]),
        formulas=[
            search
            for of, samples, candidates in _searches(distributions)
            if (search := search_formula(of, samples, candidates)) is not None
        ],
        movements=movements([CaseAnswers(told) for told in answered.values()], _grid(told)),
    )


def _grid(told: Sequence[Told]) -> float:
    """The step of the grid that answers lie on; 0 where they lie on none."""
    decimals = decimals_of(
        [answer.value for one in told for answer in one.reading.answers if answer.kind == "noul"]
    )
    return 0.0 if decimals is None else 10.0 ** -max(decimals, FEWEST_DECIMALS)


def _sums(kind: Literal["choice", "score"], found: Sequence[Distribution]) -> ProbabilitySums | None:
    these = [one.probabilities for one in found if one.kind == kind]
    if not these:
        return None
    decimals = decimals_of([p for probabilities in these for p in probabilities])
    sums = [sum(probabilities) for probabilities in these]
    step = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    return ProbabilitySums(
        kind=kind,
        answers=len(these),
        decimals=decimals,
        lowest=min(sums),
        highest=max(sums),
        exact=sum(abs(total - 1) <= EXACT for total in sums),
        explained=sum(
            abs(total - 1) <= step * len(probabilities) + EXACT
            for total, probabilities in zip(sums, these, strict=True)
        ),
    )


def _argmax(choices: Sequence[Distribution]) -> Argmax | None:
    if not choices:
        return None
    agree = ties = named_none = 0
    for found in choices:
        highest = max(found.probabilities)
        best = [name for name, p in zip(found.options, found.probabilities, strict=True) if p == highest]
        if found.choice is None:
            named_none += 1
        elif len(best) > 1 and found.choice in best:
            ties += 1
        elif found.choice in best:
            agree += 1
    return Argmax(answers=len(choices), agree=agree, ties=ties, named_none=named_none)


def _searches(
    found: Sequence[Distribution],
) -> list[tuple[str, list[Sample], Mapping[str, Formula]]]:
    choices = [one for one in found if one.kind == "choice"]
    scores = [one for one in found if one.kind == "score"]
    return [
        ("choice confidence", _samples(choices, "confidence"), CHOICE_CONFIDENCE),
        ("score confidence", _samples(scores, "confidence"), SCORE_CONFIDENCE),
        ("score", _samples(scores, "score"), SCORE),
    ]


def _samples(found: Sequence[Distribution], name: Literal["confidence", "score"]) -> list[Sample]:
    values = ((getattr(one, name), one.probabilities) for one in found)
    return [Sample(value, probabilities) for value, probabilities in values if value is not None]
