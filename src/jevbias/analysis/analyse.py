"""A run becomes a report."""

from __future__ import annotations

from sqlalchemy import Engine

from jevbias.analysis.calibration import calibrate
from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import evaluate_comparisons
from jevbias.analysis.conditions import condition_rows
from jevbias.analysis.control_simulation import ControlDesign
from jevbias.analysis.dataset import Dataset, load_dataset
from jevbias.analysis.factorial.analyse import analyse_factorial
from jevbias.analysis.factorial.notes import factorial_notes
from jevbias.analysis.failures import judge_failures
from jevbias.analysis.generalisation import generalisation
from jevbias.analysis.hypotheses import judge_hypotheses
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.noise_floor import noise_floor
from jevbias.analysis.noise_notes import noise_notes
from jevbias.analysis.notes import write_notes
from jevbias.analysis.pairs import pair_cells
from jevbias.analysis.power import measured_spreads
from jevbias.analysis.rows import comparison_rows
from jevbias.analysis.run_info import run_info
from jevbias.analysis.validity import judge_questions
from jevbias.report.run_report import RunReport
from jevbias.store.collector import collector_paused
from jevbias.store.runs import find_run


def analyse_run(engine: Engine, name: str | None) -> RunReport:
    """Analyse the run of this name, or the newest one.

    Raises UsageError when there is no such run or it holds something else than a bias run, DatabaseError
    when the database cannot be read.
    """
    return analyse(load_dataset(engine, find_run(engine, name, "bias")))


def analyse(dataset: Dataset) -> RunReport:
    """Everything that a run says; a pure function of the dataset."""
    with collector_paused():
        return _analyse(dataset)


def _analyse(dataset: Dataset) -> RunReport:
    cells = build_cells(dataset)
    noise = measure_noise(dataset, cells)
    validity = judge_questions(dataset, cells, noise)
    pairs = pair_cells(dataset, cells)
    blocks = evaluate_comparisons(dataset, pairs, validity, noise)
    rows = comparison_rows(dataset, cells, pairs, validity, noise=noise, blocks=blocks)
    reach = generalisation(dataset, pairs, blocks)
    floor = noise_floor(noise, validity.pooled)
    factorial = analyse_factorial(dataset, cells, validity) if dataset.facts.design == "factorial" else None
    notes = write_notes(dataset, pairs=pairs, noise=noise, validity=validity, blocks=blocks)
    notes.extend(noise_notes(floor))
    if factorial is not None:
        notes.extend(factorial_notes(dataset, factorial, exact=noise.exact))
    return RunReport(
        run=run_info(dataset),
        noise_floor=floor,
        validity=validity.rows,
        conditions=condition_rows(dataset, cells, validity),
        comparisons=rows.comparisons,
        calibration=calibrate(ControlDesign(dataset, pairs, validity, noise, blocks)),
        generalisation=reach,
        power=measured_spreads(floor, pairs, blocks[0]),
        placebos=rows.placebos,
        failures=judge_failures(dataset, cells),
        factorial=factorial,
        hypotheses=judge_hypotheses(dataset, pairs, blocks[0], rows.comparisons),
        notes=notes,
    )
