"""The ids of a run's figures, and what to say of one that is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from jevbias.analysis.conditions import condition_rows
from jevbias.analysis.failures import judge_failures
from jevbias.analysis.trace.factorial import factorial_ids
from jevbias.analysis.trace.noise import JOINT
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.errors import UsageError

_LOOKS = (
    "ids look like full/religion=muslim, full/religion=muslim/SCENARIO.QUESTION, noise/SCENARIO.QUESTION, "
)
_LOOKS += "validity/SCENARIO.QUESTION, conditions/full, failures/full/religion=muslim, probe/12"


def figure_ids(run: TracedRun) -> list[str]:
    """The ids of a run's report, told without computing it; of a factorial run without the interactions."""
    dataset, floor = run.dataset, run.floor
    questions = ["", *(f"/{name}" for _, _, name in run.questions())]
    ids = [pooled + question for question in questions for pooled in run.pairs.ids]
    if run.pairs.placebo.any():
        placebos = {
            condition
            for (condition, _), placebo, visible in zip(
                run.pairs.comparisons, run.pairs.placebo, run.pairs.visible, strict=True
            )
            if placebo and visible
        }
        ids += [f"placebos/{condition}{question}" for condition in sorted(placebos) for question in questions]
    if dataset.facts.design == "factorial":
        ids += factorial_ids(run)
    checks = (floor.swapped_against_anchor, floor.drift, *floor.condition_ratios, *floor.models)
    pools = (*floor.by_question.values(), *floor.by_scenario.values(), *floor.by_condition.values())
    ids += JOINT if pools else []
    ids += [row.id for row in (*pools, *(check for check in checks if check is not None))]
    ids += [row.id for row in run.validity.rows]
    ids += [row.id for row in condition_rows(dataset, run.cells, run.validity)]
    ids += [row.id for row in judge_failures(dataset, run.cells).by_level]
    frozen = dataset.hypotheses.rows if dataset.hypotheses else ()
    return ids + [f"hypotheses/{hypothesis.comparison}" for hypothesis in frozen]


def unknown_figure(run: TracedRun, identifier: str) -> UsageError:
    """One line that names the nearest ids and how ids look."""
    known = figure_ids(run)
    shown = "".join(sign if sign.isprintable() else "?" for sign in identifier[:120])
    said = f"run {run.run.name} has no figure '{shown}'"
    why = _why(run, identifier)
    near = _nearest(identifier[:200], known)
    return UsageError(
        said
        + (f" ({why})" if why else "")
        + (f"; nearest are {', '.join(near)}" if near else "")
        + f"; {_LOOKS}"
    )


def _nearest(identifier: str, known: Sequence[str]) -> list[str]:
    """Ids like this one. Thousands differ in the question alone: what stands before it is matched first."""
    heads = list(dict.fromkeys(map(_head, known)))
    alike = set(get_close_matches(_head(identifier), heads, n=5, cutoff=0.5))
    return get_close_matches(identifier, [name for name in known if _head(name) in alike], n=3, cutoff=0.5)


def _head(identifier: str) -> str:
    return "/".join(identifier.split("/", 2)[:2])


def _why(run: TracedRun, identifier: str) -> str | None:
    """What kind of run would have such a figure."""
    dataset = run.dataset
    if identifier.startswith(("cells/", "interactions/")) and dataset.facts.design != "factorial":
        return f"it is {dataset.facts.design}; only factorial runs have these"
    if identifier.startswith("hypotheses/") and dataset.hypotheses is None:
        return "it has no hypotheses; `jevbias confirm` freezes them"
    if identifier.startswith("failures/") and not (dataset.probes.finished & ~dataset.probes.answered).any():
        return "every probe that has ended has a usable answer"
    if identifier.startswith("placebos/") and not run.pairs.placebo.any():
        return "it has no placebos"
    return None
