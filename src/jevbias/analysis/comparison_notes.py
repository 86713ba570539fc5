"""Sentences about comparisons that could not be made, tested or generalised, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import Noise
from jevbias.analysis.noise_claim import Untested
from jevbias.analysis.paired import signs
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.validity import Validity
from jevbias.analysis.wording import count
from jevbias.stats.pools import FEWEST_DEGREES
from jevbias.stats.power import FEWEST_BASES

_EXPLANATIONS: dict[Untested, str] = {
    "no pair": "no pair was answered on both sides",
    "few repeats": f"the repeats behind their noise have fewer than {FEWEST_DEGREES} degrees of freedom",
    "no spread": "repeats of their question agree to the last digit although the model varies elsewhere",
}


def comparison_notes(
    dataset: Dataset, *, pairs: Pairs, noise: Noise, validity: Validity, blocks: Sequence[Block]
) -> Iterator[str]:
    """What no comparison, or only some of them, could say, and why. Placebos are not counted."""
    if dataset.facts.design == "factorial":
        return
    if not pairs.comparisons or not dataset.outcomes.answered:
        return
    bases = max(int(block.people.bases.max(initial=0)) for block in blocks)
    if bases == 1:
        yield "There is one base: every figure speaks for one person's swaps, and the effective n is 1."
    if 0 < bases < len(pairs.bases):
        yield (
            f"Of {count(len(pairs.bases))} bases planned, {count(bases)} have pairs that were answered on "
            "both sides."
        )
    families = [("pooled", blocks[:1])] if any(validity.pooled) else []
    for kind, chosen in [*families, ("per-question", blocks[1:])]:
        reasons = [
            reason
            for block in chosen
            for reason, placebo in zip(block.claim.untested, pairs.placebo, strict=True)
            if not placebo
        ]
        for reason, explanation in _EXPLANATIONS.items():
            number = reasons.count(reason)
            if number and not (reason == "few repeats" and noise.repeats == 0):
                yield (
                    f"{count(number)} of {count(len(reasons))} {kind} comparisons have no p_noise: "
                    f"{explanation}."
                )
        yield from _about_cohens_d(kind, pairs, chosen)
        if noise.exact and bases > 1:
            yield _about_agreement(kind, pairs, chosen)
    yield from _about_general_claims(pairs, blocks, bases)
    for question, number in blocks[0].left_out.items():
        yield (
            f"Too few repeats answered {question} to measure noise with it: {count(number)} pairs go without "
            "it in their pooled score."
        )
    real = ~pairs.placebo
    weight = blocks[0].estimates.weight[real]
    whole = int(real.sum()) * len(pairs.bases) * int((weight > 0).any(axis=(0, 1)).sum())
    missing = whole - int((weight > 0).sum())
    if missing and missing < whole:
        yield (
            f"{count(missing)} of {count(whole)} pairs were not answered on both sides; scenarios still "
            "weigh equally, and bases within a scenario."
        )


def _about_general_claims(pairs: Pairs, blocks: Sequence[Block], bases: int) -> Iterator[str]:
    """Which claims about other people and cases could not be made at all."""
    if 0 < bases < FEWEST_BASES:
        yield (
            f"Fewer than {FEWEST_BASES} bases give no interval of claim (b), so nothing can be worse, "
            "better, small or no difference."
        )
    pooled, general = blocks[0], blocks[0].general
    measured = ~np.isnan(pooled.estimates.delta) & ~pairs.placebo
    several = pooled.people.bases >= FEWEST_BASES
    uneven = int((np.isnan(pooled.people.half_width) & several & measured).sum())
    if uneven:
        yield (
            f"{count(uneven)} of {count(int(measured.sum()))} pooled comparisons have no interval of claim "
            f"(b): so many of their pairs are missing that their bases are worth fewer than {FEWEST_BASES}."
        )
    without = 0 if general is None else int((np.isnan(general.half_width(0.95)) & measured).sum())
    if without:
        yield (
            f"{count(without)} of {count(int(measured.sum()))} pooled comparisons have no general interval, "
            "because fewer than 3 bases or 3 scenarios are complete: none of them can be worse or better."
        )


def _about_cohens_d(kind: str, pairs: Pairs, blocks: Sequence[Block]) -> Iterator[str]:
    """Of visible swaps alone: that a control has no spread is how it should be."""
    seen = pairs.visible & ~pairs.placebo
    of = f"{count(len(blocks) * int(seen.sum()))} {kind} comparisons that the model could see"
    alone = sum(int((block.estimates.pairs == 1)[seen].sum()) for block in blocks)
    if alone:
        yield f"{count(alone)} of {of} rest on one pair and so have no SD and no Cohen's d."
    alike = sum(int((block.estimates.sd == 0)[seen].sum()) for block in blocks)
    if alike:
        yield f"{count(alike)} of {of} have no Cohen's d: the SD over their pairs is zero."


def _about_agreement(kind: str, pairs: Pairs, blocks: Sequence[Block]) -> str:
    """Of an exact model: that claim (b) weighs how many bases agree, which nothing there blurs."""
    seen = pairs.visible & ~pairs.placebo
    agreeing = 0
    for block in blocks:
        bases = block.people.bases
        down, up = signs(block.estimates.by_base)
        agreeing += int(((bases > 1) & ((down == bases) | (up == bases)))[seen].sum())
    return (
        f"All bases moved the same way in {count(agreeing)} of {count(len(blocks) * int(seen.sum()))} {kind} "
        "comparisons that the model could see, however little: no noise blurs the sign, so that q_people is "
        "as low there as so many bases allow, whatever the size of the difference."
    )
