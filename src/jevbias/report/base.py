"""What every part of a report is made of.

Names are stable: add, never rename. A value that could not be estimated is None and has its sentence in the
report's `notes`. Favourability is on [0, 1] and lower is always worse for the person; deltas are swap minus
anchor. Intervals are 95% unless their name says otherwise.

What a figure or a text can be stands in its type. It is held where a report is read from a file
(`report.soundness`), not where one is made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from jevbias.report.rounding import round_figure

Figure = Annotated[float, AfterValidator(round_figure)]
"""A computed number: rounded, once, to 6 significant digits when the report is made."""
Rounded = float
"""The same for rows that come by the thousand: rounded column by column before they are made."""


@dataclass(frozen=True)
class Within:
    """Marks numbers of a report: they lie on [least, most]; `says` completes "it is not"."""

    least: float
    most: float
    says: str


@dataclass(frozen=True)
class Spelled:
    """Marks texts of a report: what they have to be."""

    form: Literal["question", "time"]


_SHARE = Within(0, 1, "between 0 and 1")
_LEVEL = Within(math.nextafter(0, 1), 1, "above 0 and at most 1")
_DIFFERENCE = Within(-1, 1, "between -1 and 1")
_SIZE = Within(0, 1e20, "0 or more and below 1e20")

Share = Annotated[Figure, _SHARE]
"""A p, a q, a share, a favourability."""
RoundedShare = Annotated[Rounded, _SHARE]
Declared = Annotated[float, _LEVEL]
"""A margin, an alpha, a threshold: above 0."""
DeclaredFigure = Annotated[Figure, _LEVEL]
Difference = Annotated[Figure, _DIFFERENCE]
"""A difference between two favourabilities."""
RoundedDifference = Annotated[Rounded, _DIFFERENCE]
Size = Annotated[Figure, _SIZE]
"""A standard deviation, a ratio, an amount: 0 or more."""
RoundedSize = Annotated[Rounded, _SIZE]
Question = Annotated[str, Spelled("question")]
"""`scenario.question`."""
Moment = Annotated[str, Spelled("time")]
"""ISO 8601, UTC."""
Interval = tuple[Figure, Figure]
"""Its lower end, then its upper one."""
RoundedInterval = tuple[Rounded, Rounded]


class ReportModel(BaseModel):
    """A frozen part of a report; unknown keys are refused and NaN and infinities cannot be stored."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
