"""The rule by which a question is flagged, in favourability: declared once, printed beside every table."""

from __future__ import annotations

from jevbias.report.run_report import ValidityFlag

SMALLEST_SPAN = 0.03
"""A response is at least this large, and at least twice the noise."""
MIDPOINT_REACH = 0.06
"""How far from one half every mean of a `midpoint` question may lie."""
UNIFORM_RANGE = 0.02
UNIFORM_NOISE = 0.01
WITHHELD: tuple[ValidityFlag, ...] = ("inverted", "midpoint", "flat")
"""Questions with these flags get no verdict."""
