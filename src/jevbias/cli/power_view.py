"""How the smallest effects of the profiles look as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jevbias.analysis.planned_power import (
    ConfirmedEffect,
    FamilyEffects,
    PlannedEffects,
    Spreads,
    confirmed_effects,
    planned_effects,
)
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import CONFIRM_PROFILE
from jevbias.plan.design import ProfileDesign
from jevbias.report.power import PowerBasis
from jevbias.stats.pools import FEWEST_DEGREES
from jevbias.stats.power import POWER, bases_needed


@dataclass(frozen=True)
class PowerView:
    """What the tables show: `effects` by profile, and what they rest on.

    `measured_in` names the run whose spreads they are; `defaults` lists those that nothing has measured.
    """

    effects: Mapping[str, PlannedEffects]
    confirmed: Sequence[ConfirmedEffect]
    spreads: Spreads
    alpha: float
    measured_in: str | None = None
    defaults: Sequence[str] = ()


def judge_designs(
    designs: Sequence[ProfileDesign],
    catalogue: Catalogue,
    alpha: float,
    measured: tuple[str, PowerBasis] | None = None,
) -> PowerView:
    """The smallest effects of these designs and of a confirmation; `measured` is a run's name and spreads."""
    spreads, defaults = Spreads(), list(Spreads.__dataclass_fields__)
    if measured is not None:
        spreads, defaults = spreads.measured(measured[1])
    confirm = catalogue.profiles.get(CONFIRM_PROFILE)
    return PowerView(
        effects={row.name: planned_effects(row.shape, spreads, alpha) for row in designs},
        confirmed=[] if confirm is None else confirmed_effects(confirm, spreads, alpha),
        spreads=spreads,
        alpha=alpha,
        measured_in=None if measured is None else measured[0],
        defaults=defaults,
    )


def power_table(view: PowerView) -> RenderableType:
    """One row a profile, and below it what the figures assume and what a dash means."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("\nprofile", no_wrap=True)
    for heading in ("(a)\npooled", "(a)\nquestion", "(b)\npooled", "(b)\nquestion"):
        table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("\nadj.", justify="right", no_wrap=True)
    for name, effects in view.effects.items():
        cells = [_cells(family) for family in (effects.noise, effects.people)]
        table.add_row(name, *(cell for family in cells for cell in family))
    title = Text(
        f"\nThe smallest differences that {POWER:.0%} of runs find, in points (hundredths) of favourability:"
    )
    return Group(title, table, Text("\n" + "\n".join(_notes(view))))


def power_json(view: PowerView) -> dict[str, Any]:
    """What the figures rest on, and those of a confirmation, as JSON-ready data; SDs in favourability."""
    return {
        "power": POWER,
        "alpha": view.alpha,
        "spreads": asdict(view.spreads),
        "measured_in": view.measured_in,
        "defaults": list(view.defaults),
        "confirm": [asdict(row) for row in view.confirmed],
    }


def _cells(family: FamilyEffects | None) -> list[str]:
    if family is None:
        return ["–"] * 4
    figures = (
        figure
        for effect in (family.pooled, family.per_question)
        for figure in (effect.alone, effect.adjusted)
    )
    return ["–" if figure is None else _points(figure) for figure in figures]


def _points(favourability: float) -> str:
    return f"{100 * favourability:.1f}"


def _notes(view: PowerView) -> list[str]:
    effects = view.effects
    notes = [
        "(a) beyond the model's noise, on these people and cases; (b) beyond these names, case mixes and, "
        f"where they are drawn, backgrounds. At the level {view.alpha:g} alone, and adj. as the one "
        "discovery among all rows (a) or visible rows (b).",
        _assumption(view),
    ]
    spreads = view.spreads
    few_repeats = [
        name
        for name, planned in effects.items()
        if planned.noise and None in (planned.noise.pooled.alone, planned.noise.per_question.alone)
    ]
    if spreads.answer == 0:
        notes.append("– (a): the model does not vary, so whatever moves an answer is beyond its noise.")
    elif few_repeats:
        notes.append(f"– (a), {', '.join(few_repeats)}: fewer than {FEWEST_DEGREES} repeats in a scenario.")
    needed = [
        f"{name} {_adjusted_bases(planned.people)}" for name, planned in effects.items() if _short(planned)
    ]
    if spreads.answer == spreads.base == spreads.rest == 0:
        notes.append("– (b): without any spread there is nothing to judge the number of bases by.")
    elif needed:
        alone = bases_needed(view.alpha)
        notes.append(
            "– (b): so few bases show no difference, however large. "
            f"It takes {_number(alone)} bases alone; adjusted, pooled / per question: {', '.join(needed)}."
        )
    notes += [
        f"{name}: a level against its reference, {planned.people_compared[0]} against "
        f"{planned.people_compared[1]} people at the median, whose means are assumed to differ as much as "
        "effects do between bases; (a) does not apply."
        for name, planned in effects.items()
        if planned.people_compared is not None
    ]
    return [*notes, *_confirmation(view.confirmed)]


def _assumption(view: PowerView) -> str:
    spreads = view.spreads
    if view.measured_in is None:
        source = "defaults; --noise-from RUN puts measured ones in their place"
    else:
        source = f"measured in {view.measured_in}"
        if view.defaults:
            source += f", except {_unmeasured(view.defaults)}, not measured there and left at the default"
    return (
        f"They assume SDs of {_points(spreads.answer)} ({_SPREADS['answer']}), {_points(spreads.probe)} "
        f"({_SPREADS['probe']}), {_points(spreads.base)} ({_SPREADS['base']}) and {_points(spreads.rest)} "
        f"({_SPREADS['rest']}) points: {source}."
    )


def _unmeasured(names: Sequence[str]) -> str:
    """`that of noise of an answer`, `those of noise of an answer and of …`."""
    *others, last = [f"of {_SPREADS[name]}" for name in names]
    if not others:
        return f"that {last}"
    return f"those {', '.join(others)} and {last}"


_SPREADS = {
    "answer": "noise of an answer",
    "probe": "noise of a probe's mean",
    "base": "a swap's effect between bases",
    "rest": "what is left per base and scenario",
}


def _short(planned: PlannedEffects) -> bool:
    """Whether bases are too few for some figure of a counterfactual profile."""
    families = (planned.people.pooled, planned.people.per_question)
    return planned.noise is not None and any(None in (row.alone, row.adjusted) for row in families)


def _adjusted_bases(people: FamilyEffects) -> str:
    return " / ".join(_number(row.bases_adjusted) for row in (people.pooled, people.per_question))


def _number(bases: int | None) -> str:
    return "no number" if bases is None else str(bases)


def _confirmation(confirmed: Sequence[ConfirmedEffect]) -> list[str]:
    """What `jevbias confirm` finds, in one sentence."""
    parts = [
        f"{_points(row.effect)} in "
        + ("one hypothesis" if row.hypotheses == 1 else f"one of {row.hypotheses}")
        for row in confirmed
        if row.effect is not None
    ]
    if not parts:
        return []
    return [f"confirm: its {confirmed[0].bases} bases find {', '.join(parts)} (one-sided (b), Holm)."]
