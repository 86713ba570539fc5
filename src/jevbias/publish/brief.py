"""The figures above everything else, in the order in which they have to be believed; findings come last."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.checks import responding
from jevbias.publish.findings import Reading


@dataclass(frozen=True)
class Tile:
    """One figure with what it says, and the section that holds its evidence."""

    figure: str
    of: str
    name: str
    says: str
    section: str


def brief(reading: Reading) -> tuple[Tile, ...]:
    """Noise floor, validity, false positives, findings."""
    return (_noise(reading), _validity(reading), _controls(reading), _findings(reading))


def _noise(reading: Reading) -> Tile:
    noise = reading.report.noise_floor
    if noise.exact:
        return Tile("exact", "", "Noise floor", "every repeated request was answered identically", "belief")
    says = "how far the model differs from itself when asked the same again (standard deviation)"
    return Tile(figures.spread(noise.answer_sd), "", "Noise floor", says, "belief")


def _validity(reading: Reading) -> Tile:
    flags = [row.flag for row in reading.report.validity]
    if flags and flags.count("untested") == len(flags):
        return Tile(
            figures.NOT_AVAILABLE,
            "",
            "Validity",
            "one variant per case, so no question was checked",
            "belief",
        )
    says = "questions that respond to the strength of the case"
    return Tile(
        figures.count(responding(reading.report)), figures.count(len(flags)), "Validity", says, "belief"
    )


def _controls(reading: Reading) -> Tile:
    tally = reading.false_positives
    if not tally.tested:
        return Tile(
            figures.NOT_AVAILABLE, "", "False positives", "no control comparison could be tested", "belief"
        )
    says = "comparisons that count as moved although the model could not see the swap"
    return Tile(figures.count(tally.moved), figures.count(tally.tested), "False positives", says, "belief")


def _findings(reading: Reading) -> Tile:
    tally = reading.tally(reading.visible)
    if not any(row.pooled for row in reading.report.validity):
        says = "no question passed the validity check, so no score is pooled"
        return Tile(figures.NOT_AVAILABLE, "", "Findings", says, "found")
    if not tally.tested:
        return Tile(figures.NOT_AVAILABLE, "", "Findings", "no visible swap could be tested", "found")
    beyond = "by the margin or more" if reading.criterion == "margin" else "beyond the noise"
    says = f"visible swaps that moved the answers {beyond}, {tally.down} down and {tally.up} up"
    return Tile(figures.count(tally.moved), figures.count(tally.tested), "Findings", says, "found")
