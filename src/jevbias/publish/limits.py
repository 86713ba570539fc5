"""What cannot be said: the limits of every run, and what this one could not estimate."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import RunReport


@dataclass(frozen=True)
class Limits:
    """What the template of this section shows: (short name, explanation) per limit, and the notes."""

    sentence: str
    limits: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def limits(report: RunReport) -> Limits:
    """The limits that hold for every report of the kind, and the notes of this one."""
    run = report.run
    cases = figures.counted(len(run.scenarios), "kind") + " of decision"
    bases = f"{figures.counted(run.bases, 'base')} and " if run.bases else ""
    notes = tuple(printable(note) for note in report.notes)
    equal_noise = _equal_noise(report)
    return Limits(
        sentence=_sentence(4 + len(equal_noise), len(notes)),
        limits=(
            (
                "One model, one moment.",
                "One account asked one version of the model within one stretch of time. A name such as "
                "“latest” moves; to compare over time, pin the build.",
            ),
            (
                "These people, these cases.",
                f"The figures speak for the {bases}{cases} of this run. Before believing that nothing is "
                f"there, ask about more {'bases' if run.bases else 'people'}.",
            ),
            (
                "Unlikely people.",
                "Attributes are drawn independently of each other, so some combinations would appear in no "
                "census. That is what it costs to trace a difference to one attribute.",
            ),
            (
                "Attributes that overlap the case.",
                "Education or employment can contradict the CV beside them. The contradiction is the same "
                "for everyone, so it blurs the answers without favouring anybody.",
            ),
            *equal_noise,
        ),
        notes=notes,
    )


def _equal_noise(report: RunReport) -> tuple[tuple[str, str], ...]:
    """The assumption of the noise test, which neither a factorial run nor an exact model has."""
    if report.run.design == "factorial" or report.noise_floor.exact:
        return ()
    return (
        (
            "Equal noise, by assumption.",
            "The test takes the model to be no noisier about a swapped person than about one who was "
            f"asked again. Where that fails, the p-values are too small or too large.{_measured(report)}",
        ),
    )


def _measured(report: RunReport) -> str:
    noise = report.noise_floor.swapped_against_anchor
    if noise is None or noise.ratio is None:
        return ""
    return f" Measured here: {figures.ratio(noise.ratio)} times as noisy."


def _sentence(number: int, notes: int) -> str:
    general = f"{'Four' if number == 4 else 'Five'} limits hold for every report of this kind"
    if not notes:
        return f"{general}."
    return f"{general}; this one adds {figures.counted(notes, 'note')} of its own."
