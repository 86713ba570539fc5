"""The rows of a report that set two arms side by side, level by level, episode by episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from jevbias.collab.about import about_pair
from jevbias.collab.episode import EpisodeLog
from jevbias.report.collab import PairedRow
from jevbias.stats.mcnemar_family import mcnemar_family
from jevbias.stats.multiplicity import holm
from jevbias.stats.paired_power import discordant_needed, least_p

Grouped = Mapping[tuple[str, str], Sequence[EpisodeLog]]
"""The episodes of each arm on each level."""


@dataclass
class _Table:
    """Of two arms on one level, how many episodes went which way."""

    first: str
    second: str
    level: str
    counts: dict[tuple[bool, bool], int] = field(default_factory=dict)

    def of(self, first: bool, second: bool) -> int:
        return self.counts.get((first, second), 0)


def paired_rows(
    grouped: Grouped,
    arms: Sequence[str],
    levels: Sequence[str],
    about: Mapping[str, str],
    alpha: float,
) -> list[PairedRow]:
    """Every pair of arms on every level. An episode counts where it has an outcome in both arms."""
    tables = [
        _table(grouped, first, second, level) for first, second in combinations(arms, 2) for level in levels
    ]
    only_first = np.array([table.of(True, False) for table in tables], dtype=np.int64)
    only_second = np.array([table.of(False, True) for table in tables], dtype=np.int64)
    size = len(levels)
    everywhere = holm(mcnemar_family(only_first, only_second, alpha).p)
    rows = []
    for start in range(0, len(tables), size):
        family = mcnemar_family(only_first[start : start + size], only_second[start : start + size], alpha)
        for place in range(size):
            rows.append(
                _row(
                    tables[start + place],
                    about_pair(about[tables[start].first], about[tables[start].second]),
                    p=float(family.p[place]),
                    p_levels=float(family.adjusted[place]),
                    p_all=float(everywhere[start + place]),
                    significant=bool(family.significant[place]),
                    alpha=alpha,
                    levels=size,
                )
            )
    return rows


def _table(grouped: Grouped, first: str, second: str, level: str) -> _Table:
    table = _Table(first, second, level)
    others = {log.number: log for log in grouped.get((second, level), ())}
    for log in grouped.get((first, level), ()):
        other = others.get(log.number)
        if other is None or "broken" in (log.outcome, other.outcome):
            continue
        key = log.outcome == "success", other.outcome == "success"
        table.counts[key] = table.counts.get(key, 0) + 1
    return table


def _row(
    table: _Table,
    about: str,
    *,
    p: float,
    p_levels: float,
    p_all: float,
    significant: bool,
    alpha: float,
    levels: int,
) -> PairedRow:
    only_first, only_second = table.of(True, False), table.of(False, True)
    discordant, episodes = only_first + only_second, sum(table.counts.values())
    needed, corrected = discordant_needed(alpha), discordant_needed(alpha / levels)
    tested = episodes > 0
    row = PairedRow(
        id=f"compare/{table.first}/{table.second}/{table.level}",
        first=table.first,
        second=table.second,
        level=table.level,
        about=about,
        episodes=episodes,
        both=table.of(True, True),
        only_first=only_first,
        only_second=only_second,
        neither=table.of(False, False),
        discordant=discordant,
        difference=(only_second - only_first) / episodes if tested else None,
        p=p if tested else None,
        p_levels=p_levels if tested else None,
        p_all=p_all if tested else None,
        significant=significant and tested,
        least_p=least_p(discordant),
        needed=needed,
        needed_corrected=corrected,
        says="",
    )
    return row.model_copy(update={"says": _sentence(row, alpha, levels)})


def _sentence(row: PairedRow, alpha: float, levels: int) -> str:
    if row.p is None or row.p_levels is None or row.p_all is None:
        return "No episode has an outcome in both arms."
    if row.significant:
        ahead = row.second if row.only_second > row.only_first else row.first
        beyond = "" if row.p_all < alpha else " Corrected over all pairs of arms too, it would not be."
        return f"{ahead} succeeds more often: significant.{beyond}"
    if row.discordant == 0:
        return "Both arms did alike in every episode: nothing tells them apart."
    differ = "1 episode differs" if row.discordant == 1 else f"{row.discordant} episodes differ"
    if row.discordant < row.needed:
        most = f"{row.needed} are needed at least"
        if levels > 1 and row.needed_corrected > row.needed:
            word = "or" if row.needed_corrected == row.needed + 1 else "to"
            most = f"{row.needed} {word} {row.needed_corrected} are needed, depending on the other levels"
        return f"{differ}: no split of them reaches p < {alpha:g} ({row.least_p:.4g} at best), {most}."
    alone = f"{differ}; p < {alpha:g} on this level alone, but not corrected over {levels} levels"
    if row.p < alpha and row.discordant < row.needed_corrected:
        return f"{alone}; {row.needed_corrected} suffice, all on one side, however the other levels turn out."
    return f"{alone}." if row.p < alpha else f"{differ}; not significant."
