"""Figures of a report: 6 significant digits, and no negative zero."""

from __future__ import annotations


def round_figure(value: float) -> float:
    """The nearest number with 6 significant digits; rounding again changes nothing."""
    return float(f"{value:.6g}") + 0.0
