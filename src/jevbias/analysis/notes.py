"""Sentences about what could not be estimated, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import Noise
from jevbias.analysis.noise_claim import Untested
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.people_claim import FEWEST_BASES
from jevbias.analysis.validity import Validity
from jevbias.report.validity_rule import WITHHELD
from jevbias.stats.pools import FEWEST_DEGREES


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
        *_about_noise(dataset, noise),
        *_about_questions(dataset, validity),
        *_about_comparisons(dataset, pairs, noise, validity, blocks),
    ]


def _about_the_run(dataset: Dataset) -> Iterator[str]:
    outcomes = dataset.outcomes
    if not outcomes.answered:
        yield "Nothing has been answered, so nothing can be estimated."
    waiting = outcomes.by_status["pending"] + outcomes.by_status["running"]
    if waiting:
        yield f"{waiting} of {outcomes.planned} probes are not finished; this report covers the others."
    ended = {status: outcomes.by_status[status] for status in ("refused", "malformed", "failed")}
    if any(ended.values()):
        listed = _listed(f"{number} {status}" for status, number in ended.items() if number)
        yield f"Of {outcomes.planned} probes, {listed}: what they would have entered rests on the others."
    if len(outcomes.models_answered) > 1:
        yield (
            f"More than one model answered ({', '.join(outcomes.models_answered)}): differences between them "
            "look like noise or like bias. Pin a build and run again."
        )
    unknown = [
        ("tokens", outcomes.without_tokens, outcomes.input_tokens),
        ("cost", outcomes.without_cost, outcomes.cost),
    ]
    for name, without, total in unknown:
        if without and total is not None:
            yield f"The sum of {name} leaves out answered probes of which nobody said it: {without}."


def _about_noise(dataset: Dataset, noise: Noise) -> Iterator[str]:
    if not dataset.outcomes.answered:
        return
    if noise.repeats == 0:
        yield (
            "No cell was answered twice, so the model's noise is unknown: no comparison has a p, a q or an "
            "interval. Plan replicates."
        )
        return
    if noise.exact:
        yield (
            f"The model does not vary: every repeat agreed ({noise.repeats} degrees of freedom). A p is not "
            "applicable; read |delta| against the margin instead."
        )
        return
    if len(dataset.conditions) > 1:
        yield f"Noise is measured over the conditions {_listed(dataset.conditions)} together."
    if noise.grid.strays:
        steps = {step for steps in noise.grid.steps for step in steps if step is not None}
        yield (
            f"Yes/no answers come in steps of {_listed(f'{step:g}' for step in sorted(steps))}; answers that "
            f"lie off the step of their question: {noise.grid.strays}."
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
            f"Answers come in steps of {step:g}; the noise of {_listed(questions)} is raised to what "
            "rounding alone makes of it."
        )


def _about_questions(dataset: Dataset, validity: Validity) -> Iterator[str]:
    if not validity.rows:
        return
    silent = [row.question for row in validity.rows if not row.means]
    if silent and dataset.outcomes.answered:
        yield f"No usable answer ever came back to {_listed(silent)}."
    if validity.untested and dataset.outcomes.answered:
        yield (
            "No question met two variants of a case, so validity is untested and pooled scores use all "
            "questions."
        )
        return
    for flag in WITHHELD:
        flagged = [row.question for row in validity.rows if row.flag == flag]
        if flagged:
            yield f"Withheld and not pooled, because validity is {flag}: {_listed(flagged)}."
    marked = [
        row.question
        for row in validity.rows
        if row.flag == "uniform" or (row.flag == "ok" and row.non_monotone)
    ]
    if marked:
        yield f"Marked and not pooled, because uniform or not monotone in the case: {_listed(marked)}."
    untested = [row.question for row in validity.rows if row.flag == "untested" and row.means]
    if untested:
        yield f"Not pooled, because they met only one variant of the case: {_listed(untested)}."
    empty = [key for key, columns in zip(dataset.scenarios, validity.pooled, strict=True) if not columns]
    if len(empty) == len(dataset.scenarios):
        yield "No question can be pooled, so there are no pooled figures; what there is stands per question."
    elif empty:
        yield f"No question of {_listed(empty)} can be pooled; pooled scores rest on the other scenarios."


def _about_comparisons(
    dataset: Dataset, pairs: Pairs, noise: Noise, validity: Validity, blocks: Sequence[Block]
) -> Iterator[str]:
    if dataset.facts.design == "factorial":
        return
    if not pairs.comparisons or not dataset.outcomes.answered:
        return
    if len(pairs.bases) == 1:
        yield "There is one base: every figure speaks for one person's swaps, and the effective n is 1."
    families = [("pooled", blocks[:1])] if any(validity.pooled) else []
    for kind, chosen in [*families, ("per-question", blocks[1:])]:
        reasons = [reason for block in chosen for reason in block.claim.untested]
        for reason, explanation in _EXPLANATIONS.items():
            number = reasons.count(reason)
            if number and not (reason == "few repeats" and noise.repeats == 0):
                yield f"{number} of {len(reasons)} {kind} comparisons have no p: {explanation}."
        yield from _about_cohens_d(kind, chosen)
    yield from _about_general_claims(pairs, blocks)
    for question, number in blocks[0].left_out.items():
        yield (
            f"Too few repeats answered {question} to measure noise with it: {number} pairs go without it in "
            "their pooled score."
        )
    pooled = blocks[0].estimates
    whole = len(pairs.comparisons) * len(pairs.bases) * int((pooled.weight > 0).any(axis=(0, 1)).sum())
    missing = whole - int(pooled.pairs.sum())
    if missing and missing < whole:
        yield (
            f"{missing} of {whole} pairs were not answered on both sides; scenarios still weigh equally, "
            "and bases within a scenario."
        )


def _about_general_claims(pairs: Pairs, blocks: Sequence[Block]) -> Iterator[str]:
    """Which claims about other people and cases could not be made at all."""
    if 0 < len(pairs.bases) < FEWEST_BASES:
        yield (
            f"Fewer than {FEWEST_BASES} bases give no interval for other people, so nothing can be worse, "
            "better, small or no difference."
        )
    general = blocks[0].general
    measured = ~np.isnan(blocks[0].estimates.delta) & ~pairs.placebo
    if general is not None and measured.any():
        without = int((np.isnan(general.half_width(0.95)) & measured).sum())
        if without:
            yield (
                f"{without} of {int(measured.sum())} pooled comparisons have no general interval, because "
                "fewer than 3 bases or 3 scenarios are complete: none of them can be worse or better."
            )


def _about_cohens_d(kind: str, blocks: Sequence[Block]) -> Iterator[str]:
    total = sum(block.estimates.delta.size for block in blocks)
    alone = sum(int((block.estimates.pairs == 1).sum()) for block in blocks)
    if alone:
        yield f"{alone} of {total} {kind} comparisons rest on one pair and so have no SD and no Cohen's d."
    alike = sum(int((block.estimates.sd == 0).sum()) for block in blocks)
    if alike:
        yield f"{alike} of {total} {kind} comparisons have no Cohen's d: the SD over their pairs is zero."


_EXPLANATIONS: dict[Untested, str] = {
    "no pair": "no pair was answered on both sides",
    "few repeats": f"the repeats behind their noise have fewer than {FEWEST_DEGREES} degrees of freedom",
    "no spread": "repeats of their question agree to the last digit although the model varies elsewhere",
}


def _listed(items: Iterable[str], most: int = 6) -> str:
    listed = list(items)
    if len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most} more"
    return " and ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else "".join(listed)
