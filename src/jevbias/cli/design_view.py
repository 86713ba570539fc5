"""How the profiles and the layouts look as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.power_view import PowerView, power_json, power_table
from jevbias.drivers.pricing import price_of
from jevbias.people.layouts import Layout
from jevbias.plan.design import ProfileDesign
from jevbias.plan.estimate import TOKEN_MARGIN

PUBLISHED_LATENCY_S = 0.295
"""Mean latency of the published Jev run (September 2026, 11,984 calls)."""
DEFAULT_WORKERS = 8


def designs_table(designs: Sequence[ProfileDesign], catalogue: Catalogue, power: PowerView) -> RenderableType:
    """One row a profile, the size of the catalogue, and a second table with the smallest effects."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("profile", no_wrap=True)
    for heading in ("bases", "people", "scenarios", "calls", "tokens", "on Jev", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("conditions")
    for row in designs:
        table.add_row(
            row.name,
            "–" if row.bases is None else str(row.bases),
            f"{row.estimate.people:,}",
            str(len(row.scenarios)),
            f"{row.estimate.calls:,}",
            _tokens(row.estimate.input_tokens),
            _money(row, catalogue),
            _duration(row),
            ", ".join(row.conditions),
        )
    notes = Text(
        f"\n{_catalogue_line(catalogue)}\n"
        f"Tokens are estimated from the payloads' length, {TOKEN_MARGIN:.0%} either way; money is Jev's "
        f"price for them; time assumes {DEFAULT_WORKERS} workers at Jev's published mean of "
        f"{PUBLISHED_LATENCY_S * 1000:.0f} ms a call."
    )
    return Group(table, notes, power_table(power))


def designs_json(designs: Sequence[ProfileDesign], catalogue: Catalogue, power: PowerView) -> dict[str, Any]:
    """The same as JSON-ready data; effects and SDs in favourability."""
    return {
        "profiles": [
            {
                "name": row.name,
                "title": row.title,
                "design": row.design,
                "bases": row.bases,
                "scenarios": list(row.scenarios),
                "conditions": list(row.conditions),
                "estimate": asdict(row.estimate),
                "jev_cost_usd": _jev_cost(row.estimate.input_tokens, catalogue),
                "jev_cost_usd_low": _jev_cost(row.estimate.input_tokens_low, catalogue),
                "jev_cost_usd_high": _jev_cost(row.estimate.input_tokens_high, catalogue),
                "smallest_effects": asdict(power.effects[row.name]),
            }
            for row in designs
        ],
        "power": power_json(power),
        "catalogue": {
            "attributes": len(catalogue.person_attributes),
            "levels": sum(len(a.levels) for a in catalogue.person_attributes.values()),
            "scenarios": len(catalogue.scenarios),
            "questions": sum(len(s.questions) for s in catalogue.scenarios.values()),
        },
    }


def layouts_table(layouts: Sequence[Layout], people: int) -> RenderableType:
    """One row a layout; lower is better in every column."""
    table = Table(
        box=None,
        pad_edge=False,
        header_style="bold",
        title=f"{people} people; lower is better in every column",
        title_justify="left",
    )
    table.add_column("layout")
    for heading in ("imbalance", "worst pair", "empty level pairs", "seconds"):
        table.add_column(heading, justify="right")
    for layout in layouts:
        quality = layout.quality
        table.add_row(
            layout.name,
            f"{quality.imbalance:,.0f}",
            f"{quality.worst_pair:.3f}",
            str(quality.empty_pairs),
            f"{layout.seconds:.1f}",
        )
    return table


def layouts_json(layouts: Sequence[Layout]) -> list[dict[str, Any]]:
    """The same as JSON-ready data."""
    return [asdict(layout) for layout in layouts]


def _catalogue_line(catalogue: Catalogue) -> str:
    attributes = catalogue.person_attributes
    levels = sum(len(attribute.levels) for attribute in attributes.values())
    questions = sum(len(scenario.questions) for scenario in catalogue.scenarios.values())
    return (
        f"{len(attributes)} attributes with {levels} levels; "
        f"{len(catalogue.scenarios)} scenarios with {questions} questions."
    )


def _jev_cost(tokens: int, catalogue: Catalogue) -> float | None:
    return price_of(catalogue.prices, "jev", "jev-latest", tokens, 0)


def _tokens(tokens: int) -> str:
    return f"{tokens / 1e6:.1f}M" if tokens >= 1e6 else f"{tokens / 1e3:.0f}k"


def _money(row: ProfileDesign, catalogue: Catalogue) -> str:
    """What the profile costs on Jev, from the fewest tokens to the most."""
    low = _jev_cost(row.estimate.input_tokens_low, catalogue)
    high = _jev_cost(row.estimate.input_tokens_high, catalogue)
    if low is None or high is None:
        return "n/a"
    if high < 0.01:
        return "<$0.01"
    shown = [f"{dollars:.2f}" for dollars in (low, high)]
    return f"${shown[0]}" if shown[0] == shown[1] else f"${shown[0]}–{shown[1]}"


def _duration(row: ProfileDesign) -> str:
    seconds = row.estimate.calls * PUBLISHED_LATENCY_S / DEFAULT_WORKERS
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
