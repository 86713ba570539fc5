"""Measure whether a decision model decides differently when only the person changes."""

__version__ = "0.1.0"
