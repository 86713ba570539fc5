"""A generated person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """One generated person of a run.

    `idx` counts from 0 within the run: anchors and their swaps base by base in counterfactual cohorts.
    `base` is the anchor's number (None in a factorial cohort); `swapped_attribute` and `swapped_level` are
    None for anchors and factorial people. `levels` holds one level per attribute of the catalogue that has
    the role `person` (and per placebo attribute the run uses), in the catalogue's order. `age` is in years,
    `height_cm` in centimetres, `weight_kg` in kilograms; each is None where the catalogue has no such
    attribute.
    """

    idx: int
    base: int | None
    is_anchor: bool
    swapped_attribute: str | None
    swapped_level: str | None
    full_name: str
    levels: Mapping[str, str]
    age: int | None = None
    height_cm: int | None = None
    weight_kg: int | None = None

    @property
    def identity(self) -> str:
        """What keyed draws about this person depend on: stable under any narrowing of the run."""
        if self.base is None:
            return f"person/{self.idx}"
        if self.is_anchor:
            return f"{self.base}/anchor"
        return f"{self.base}/{self.swapped_attribute}={self.swapped_level}"
