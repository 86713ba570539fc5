"""Whether a run's false positives speak against it: swaps that nobody could see, and how many came out."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.false_positives import failed_check
from jevbias.publish.findings import Reading
from jevbias.report.calibration import CalibrationCounts


def broken_controls(reading: Reading) -> list[str]:
    """Why the controls that were tested speak against the run; empty where they do not, or none was.

    Controls are beyond what chance gives where more of a family came out significant than in the central 95%
    of simulated runs, where nothing was simulated to hold them against, and where the page's own check on
    them fails.
    """
    if reading.report.factorial is not None:
        return []
    failed = failed_check(reading)
    if failed:
        return [failed.removesuffix(".")]
    if reading.exact:
        return []
    calibration = reading.report.calibration
    families = (
        ("pooled", calibration.pooled.controls),
        ("on single questions", calibration.per_question.controls),
    )
    beyond = [text for where, counts in families if (text := _above(where, counts))]
    said = []
    if beyond:
        said.append(f"more swaps that nobody could see came out than chance gives: {figures.listed(beyond)}")
    bare = [where for where, counts in families if counts.tests and counts.expected_significant is None]
    if bare:
        said.append(
            f"how many swaps that nobody could see would come out by chance is not known ({', '.join(bare)})"
        )
    return said


def missing_controls(reading: Reading) -> list[str]:
    """Why there are no controls to vouch for the run; empty where some were tested."""
    if reading.report.factorial is not None:
        return ["the false positives of a factorial run are not calibrated by simulation"]
    if not reading.false_positives.tested:
        return ["no swap that the model could not see was tested, so false positives were not measured"]
    return []


def _above(where: str, counts: CalibrationCounts) -> str:
    expected = counts.expected_significant
    if expected is None or counts.significant <= expected[1]:
        return ""
    return (
        f"{figures.count(counts.significant)} of {figures.count(counts.tests)} {where}, at most "
        f"{figures.count(expected[1])} when simulated"
    )
