"""The report's noise floor: how far identical requests differ, and whether the null may be believed."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.analysis.drift import compare_models, measure_drift
from jevbias.analysis.noise import Noise
from jevbias.analysis.noise_checks import (
    condition_ratios,
    noise_by_condition,
    probe_scores,
    swapped_against_anchor,
)
from jevbias.report.noise import NoiseFloor, NoisePool
from jevbias.stats.pools import Pool, joint_mean_sd, joint_sd


def noise_floor(noise: Noise, pooled: Sequence[Sequence[int]]) -> NoiseFloor:
    """The report's section; `pooled` lists, per scenario, the questions that enter its pooled score.

    Checks of the null look at the mean over the same questions as the pools behind pooled scores.
    """
    dataset = noise.dataset
    by_question, by_scenario = {}, {}
    answer_pools, probe_pools = [], []
    measured_answers, measured_probes = [], []
    scored: list[tuple[int, ...]] = []
    for scenario, key in enumerate(dataset.scenarios):
        for question, name in enumerate(dataset.questions[scenario]):
            pool = noise.question_pool(scenario, question)
            measured = noise.measured_pool(scenario, (question,))
            by_question[f"{key}.{name}"] = _row(f"noise/{key}.{name}", pool, measured)
            answer_pools.append(pool)
            measured_answers.append(measured)
        scored.append(noise.testable(scenario, pooled[scenario]))
        if scored[-1]:
            pool = noise.score_pool(scenario, scored[-1])
            measured = noise.measured_pool(scenario, scored[-1])
            by_scenario[key] = _row(f"noise/{key}", pool, measured)
            probe_pools.append(pool)
            measured_probes.append(measured)
    scores = probe_scores(noise, scored)
    return NoiseFloor(
        answer_sd=joint_sd(answer_pools),
        probe_sd=joint_sd(probe_pools),
        mean_sd=joint_mean_sd(answer_pools),
        cells=noise.repeated_cells,
        degrees_of_freedom=noise.repeats,
        exact=noise.exact,
        grid_step=noise.grid.step,
        measured_answer_sd=joint_sd(measured_answers),
        measured_probe_sd=joint_sd(measured_probes),
        by_question=by_question,
        by_scenario=by_scenario,
        by_condition=noise_by_condition(noise, scores, scored),
        condition_ratios=condition_ratios(noise, scores),
        swapped_against_anchor=swapped_against_anchor(noise, scores),
        drift=measure_drift(noise, scores),
        models=compare_models(noise, scores),
    )


def _row(identifier: str, pool: Pool, measured: Pool) -> NoisePool:
    return NoisePool(
        id=identifier,
        sd=pool.sd,
        measured_sd=measured.sd,
        mean_sd=pool.mean_sd,
        cells=pool.cells,
        degrees_of_freedom=pool.degrees_of_freedom,
    )
