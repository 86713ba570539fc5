"""What a column may hold, held by the database itself."""

from __future__ import annotations

from sqlalchemy import CheckConstraint


def one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    """A constraint of the name `<column>_allowed` that admits the values and nothing else."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_allowed")
