"""What the test bench found out about answers: how far they spread, and what their numbers mean."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.publish.testbench_shapes import PartView, Picture, Strip, TableView, between, counts, table
from jevbias.report.testbench_answers import Determinism, FormulaSearch, Movement, Semantics

LEVEL = 0.05
MOST_CANDIDATES = 3
CHANGES = {
    "option_order": ("order of options", "how much likelier an option is where it stands first, not last"),
    "company": ("company", "the answer beside other questions less the answer alone"),
    "key_order": ("order of keys", "the answer with the state's keys in reverse order less the plain one"),
    "negation": ("negation", "P(q) + P(not q) less 1"),
}


def determinism_part(found: Determinism) -> PartView:
    """How far answers to identical requests differ."""
    tables = [_spreads(found)]
    if found.choices:
        rows = [
            (printable(row.question), row.how, counts({printable(k): n for k, n in row.counts.items()}))
            for row in found.choices
        ]
        tables.append(
            table("Options that were chosen", "Question | Asked in | Option, times", rows, words=(0, 1, 2))
        )
    if found.comparisons and found.different:
        tables.append(_comparisons(found))
    return PartView(
        anchor="determinism",
        title="Identical requests",
        opening=_differing(found),
        lines=tuple(_against(found)),
        tables=tuple(tables),
    )


def _differing(found: Determinism) -> str:
    if not found.answers:
        return "No request was answered."
    bounds = found.different_interval
    if not found.different:
        most = "" if bounds is None else f": with 95% confidence at most {figures.share(bounds[1])} differ"
        return f"All {figures.counted(found.answers, 'answer')} to identical requests are the same{most}."
    commonest = found.answers - found.different
    return (
        f"Of {figures.counted(found.answers, 'answer')} to identical requests "
        f"{figures.count(found.different)} differ from the commonest one, which came "
        f"{figures.counted(commonest, 'time')}."
    )


def _against(found: Determinism) -> list[str]:
    if not found.comparisons:
        return []
    shifted = [row.figure for row in found.comparisons if _is_small(row.p_shift)]
    spread = [row.figure for row in found.comparisons if _is_small(row.p_ratio)]
    means = sum(row.p_shift is not None for row in found.comparisons)
    spreads = sum(row.p_ratio is not None for row in found.comparisons)
    what = [
        f"{figures.count(len(names))} of {figures.count(of)} figures tested have another {kind}"
        for kind, names, of in (("mean", shifted, means), ("spread", spread, spreads))
    ]
    minutes = found.minutes if found.minutes_taken is None else found.minutes_taken
    return [
        f"Scattered over {minutes:.3g} minutes against one burst, "
        f"{found.at_once} in flight: {what[0]}, {what[1]} (p < 0.05, corrected over all of them)."
    ]


def _is_small(p: float | None) -> bool:
    return p is not None and p < LEVEL


def _spreads(found: Determinism) -> TableView:
    rows = [
        (
            printable(row.figure),
            row.how,
            figures.count(row.answers),
            figures.count(row.distinct),
            figures.spread(row.mean),
            figures.spread(row.sd),
            between(row.sd_interval),
            figures.spread(row.minimum),
            figures.spread(row.maximum),
        )
        for row in found.figures
    ]
    columns = "Figure | Asked in | Answers | Distinct | Mean | SD | 95% of the SD | Least | Most"
    return table("Every probability and confidence", columns, rows, words=(0, 1))


def _comparisons(found: Determinism) -> TableView:
    rows = [
        (
            printable(row.figure),
            figures.ratio(row.ratio),
            figures.ratios(row.ratio_interval),
            figures.p_value(row.p_ratio),
            figures.delta(row.shift),
            figures.interval(row.shift_interval),
            figures.p_value(row.p_shift),
        )
        for row in found.comparisons
    ]
    columns = "Figure | SD ratio | 95% if normal | p | Shift of the mean | 95% interval | p"
    return table("Scattered against the burst", columns, rows)


def semantics_part(found: Semantics) -> PartView:
    """What the numbers mean, and what moves an answer."""
    moved = [row for row in found.movements if row.moves]
    tested = [row for row in found.movements if row.moves is not None]
    opening = "Nothing could be tested for what moves an answer."
    if tested:
        opening = (
            f"Of {figures.counted(len(tested), 'check')} on {figures.counted(found.cases, 'case')} of "
            f"{printable(found.scenario)}, {figures.count(len(moved))} show answers that move with the form "
            "of the request or disagree with the opposite question (p < 0.05, corrected over all of them)."
        )
    pictures = [
        _picture(change, rows)
        for change in CHANGES
        if (rows := [row for row in found.movements if row.change == change and row.interval is not None])
        and any(row.largest for row in rows)
    ]
    tables = [_movements(found)] if found.movements else []
    if found.formulas:
        tables.append(_candidates(found))
    return PartView(
        anchor="semantics",
        title="What the numbers mean",
        opening=opening,
        lines=tuple(_meanings(found)),
        pictures=tuple(pictures),
        tables=tuple(tables),
    )


def _meanings(found: Semantics) -> list[str]:
    lines = []
    for row in found.sums:
        grid = "more than 8 decimals" if row.decimals is None else figures.counted(row.decimals, "decimal")
        lines.append(
            f"Probabilities of a {row.kind} have {grid} and add up to {_fine(row.lowest)} to "
            f"{_fine(row.highest)}: exactly 1 in {figures.count(row.exact)} of {figures.count(row.answers)}, "
            f"1 to within their rounding in {figures.count(row.explained)}."
        )
    argmax = found.argmax
    if argmax is not None:
        lines.append(
            f"The choice is the most probable option in {figures.count(argmax.agree)} of "
            f"{figures.count(argmax.answers)}; in {figures.count(argmax.ties)} more it is one of several "
            f"that are equally probable, and {figures.count(argmax.named_none)} name none."
        )
    lines += [_named(search) for search in found.formulas]
    changes = dict.fromkeys(row.change for row in found.movements)
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in (CHANGES[change] for change in changes))
    if meanings:
        lines.append(f"What is compared: {meanings}.")
    return lines


def _named(search: FormulaSearch) -> str:
    what = {
        "choice confidence": "The confidence of a choice",
        "score confidence": "The confidence of a score",
    }
    subject = what.get(search.of, "The score")
    best = search.candidates[0]
    off = f"largest residual {best.largest:.2g}, root mean square {best.rms:.2g}"
    if not search.named:
        return f"{subject}: none of the formulas fits; the nearest is {best.formula} ({off})."
    also = search.named[1:]
    more = f" These answers cannot tell it from {figures.listed(also)}." if also else ""
    return f"{subject} is: {best.formula} ({off}, {figures.counted(search.answers, 'answer')}).{more}"


def _movements(found: Semantics) -> TableView:
    rows = [
        (
            printable(row.question),
            CHANGES[row.change][0],
            figures.count(row.cases),
            figures.delta(row.mean),
            figures.interval(row.interval),
            figures.spread(row.largest),
            figures.spread(row.rms),
            figures.spread(row.repeats_rms),
            figures.p_value(row.p_mean),
            figures.p_value(row.p_spread),
            _outcome(row),
        )
        for row in found.movements
    ]
    columns = (
        "Question | Change | Cases | Mean | 95% interval | Largest | RMS | Repeats' RMS | p, mean | "
        "p, spread | Outcome"
    )
    return table("How far answers move", columns, rows, words=(0, 1, 10))


def _outcome(row: Movement) -> str:
    if not row.largest:
        return "identical"
    if row.moves is None:
        return figures.NOT_AVAILABLE
    return "moves" if row.moves else "not shown"


def _candidates(found: Semantics) -> TableView:
    rows = [
        (
            search.of,
            fit.formula,
            "fits" if fit.fits else "does not fit",
            f"{fit.largest:.4g}",
            f"{fit.rms:.4g}",
        )
        for search in found.formulas
        for fit in search.candidates[: max(MOST_CANDIDATES, len(search.named))]
    ]
    columns = "Number | Formula | Outcome | Largest residual | RMS"
    return table("Formulas, the nearest first", columns, rows, words=(0, 1, 2))


def _picture(change: str, rows: list[Movement]) -> Picture:
    strips = tuple(
        Strip(
            label=printable(row.question),
            low=row.interval[0],
            at=row.mean,
            high=row.interval[1],
            text=figures.delta(row.mean),
        )
        for row in rows
        if row.interval is not None
    )
    name, meaning = CHANGES[change]
    says = f"Point: {meaning}, the mean over cases. Line: its 95% interval. The table below has the figures."
    return Picture(f"{name[0].upper()}{name[1:]}", says, strips, from_zero=False)


def _fine(value: float | None) -> str:
    return figures.NOT_AVAILABLE if value is None else f"{value:.4f}"
