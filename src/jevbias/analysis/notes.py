"""Sentences about what could not be estimated, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jevbias.analysis.comparison_notes import comparison_notes
from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import Noise
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.validity import Validity
from jevbias.analysis.wording import count, listed
from jevbias.report.run_report import ValidityRow
from jevbias.report.validity_rule import WITHHELD


def write_notes(
    dataset: Dataset,
    *,
    pairs: Pairs,
    noise: Noise,
    validity: Validity,
    blocks: Sequence[Block],
) -> list[str]:
    """The report's notes, from what happened to the run down to single figures."""
    return [
        *_about_the_run(dataset),
        *_about_batches(dataset, noise),
        *_about_noise(dataset, noise),
        *_about_questions(dataset, validity),
        *comparison_notes(dataset, pairs=pairs, noise=noise, validity=validity, blocks=blocks),
    ]


def _about_the_run(dataset: Dataset) -> Iterator[str]:
    outcomes = dataset.outcomes
    if not outcomes.answered:
        yield "Nothing has been answered, so nothing can be estimated."
    waiting = outcomes.by_status["pending"] + outcomes.by_status["running"]
    if waiting:
        of = f"{count(waiting)} of {count(outcomes.planned)} probes"
        yield f"{of} are not finished; this report covers the others."
    ended = {status: outcomes.by_status[status] for status in ("refused", "malformed", "failed")}
    if any(ended.values()):
        named = listed(f"{count(number)} {status}" for status, number in ended.items() if number)
        of = f"Of {count(outcomes.planned)} probes"
        yield f"{of}, {named}: what they would have entered rests on the others."
    unknown = [
        ("tokens", outcomes.without_tokens, outcomes.input_tokens),
        ("cost", outcomes.without_cost, outcomes.cost),
    ]
    for name, without, total in unknown:
        if without and total is not None:
            yield f"The sum of {name} leaves out answered probes of which nobody said it: {count(without)}."


def _about_batches(dataset: Dataset, noise: Noise) -> Iterator[str]:
    share = dataset.batches
    if share is None or not share.in_batches:
        return
    alone = f"; {count(share.alone)} calls went one by one, in shuffled order" if share.alone else ""
    repeats = (
        "; no two repeats of a cell went in one batch, so that the noise is that between batches"
        if noise.repeats
        else ""
    )
    yield (
        f"{count(share.in_batches)} calls were answered in {count(share.batches)} batches, where requests "
        f"that begin alike go one after the other{repeats}{alone}."
    )


def _about_noise(dataset: Dataset, noise: Noise) -> Iterator[str]:
    if not dataset.outcomes.answered:
        return
    if noise.repeats == 0:
        yield (
            "No cell was answered twice, so the model's noise is unknown: no comparison has a p_noise, a q "
            "or a ci_noise, and so none gets a verdict beyond unclear. Plan replicates."
        )
        return
    if noise.exact:
        yield (
            f"The model does not vary: every repeat agreed ({count(noise.repeats)} degrees of freedom). A p "
            "is not applicable; read |delta| against the margin instead."
        )
        return
    if len(dataset.conditions) > 1:
        yield f"Noise is measured over the conditions {listed(dataset.conditions)} together."
    if noise.grid.strays:
        steps = {step for steps in noise.grid.steps for step in steps if step is not None}
        yield (
            f"Yes/no answers come in steps of {listed(f'{step:g}' for step in sorted(steps))}; answers that "
            f"lie off the step of their question: {count(noise.grid.strays)}."
        )
    lifted: dict[float, list[str]] = {}
    for scenario, key in enumerate(dataset.scenarios):
        for question, name in enumerate(dataset.questions[scenario]):
            step = noise.grid.steps[scenario][question]
            raised = noise.question_pool(scenario, question).sd
            if step is not None and noise.measured_pool(scenario, (question,)).sd != raised:
                lifted.setdefault(step, []).append(f"{key}.{name}")
    for step, questions in sorted(lifted.items()):
        yield (
            f"Answers come in steps of {step:g}; the noise of {listed(questions)} is raised to what "
            "rounding alone makes of it."
        )


def _about_questions(dataset: Dataset, validity: Validity) -> Iterator[str]:
    if not validity.rows:
        return
    silent = [row.question for row in validity.rows if not row.means]
    if silent and dataset.outcomes.answered:
        yield f"No usable answer ever came back to {listed(silent)}."
    if validity.untested and dataset.outcomes.answered:
        yield (
            "No question met two variants of a case, so validity is untested and pooled scores use all "
            "questions."
        )
        return
    yield from _about_composition(dataset, validity)
    for flag in WITHHELD:
        flagged = [row.question for row in validity.rows if row.flag == flag]
        if flagged:
            yield f"Withheld and not pooled, because validity is {flag}: {listed(flagged)}."
    marked = [
        row.question
        for row in validity.rows
        if row.flag == "uniform" or (row.flag == "ok" and row.non_monotone)
    ]
    if marked:
        yield f"Marked and not pooled, because uniform or not monotone in the case: {listed(marked)}."
    untested = [row.question for row in validity.rows if row.flag == "untested" and row.means]
    if untested:
        yield f"Not pooled, because they met only one variant of the case: {listed(untested)}."
    empty = [key for key, columns in zip(dataset.scenarios, validity.pooled, strict=True) if not columns]
    if len(empty) == len(dataset.scenarios):
        yield "No question can be pooled, so there are no pooled figures; what there is stands per question."
    elif empty:
        yield f"No question of {listed(empty)} can be pooled; pooled scores rest on the other scenarios."


def _about_composition(dataset: Dataset, validity: Validity) -> Iterator[str]:
    """That variants were met by different people, and what of the spans that may be."""
    rows = [row for row in validity.rows if row.mixes_bases]
    if not rows:
        return
    met = sorted({number for row in rows for number in row.bases.values()})
    yield (
        "The variants of a case were met by different mixes of people (each by "
        f"{listed(map(count, met))} of {count(int(dataset.base.max()) + 1)} bases), so that the span between "
        f"them is one between people too, which no flag allows for. {_what_bases_explain(rows)}"
    )


def _what_bases_explain(rows: Sequence[ValidityRow]) -> str:
    told = [row for row in rows if row.base_reach is not None]
    if not told:
        return "How much of it that is cannot be told: no variant met two bases."
    within = [row.question for row in told if row.within_bases]
    of = f"{count(len(within))} of {count(len(told))} questions"
    named = f": {listed(within)}" if within else ""
    return f"It is no larger than that alone may make it (95%, from the SD between bases) for {of}{named}."
