"""Noise floors of runs made in memory, and when their probes were sent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jevbias.analysis.cells import build_cells
from jevbias.analysis.dataset import Dataset, ProbeRecord
from jevbias.analysis.facts import ProbeOutcome
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.noise_floor import noise_floor
from jevbias.report.noise import NoiseFloor

START = 1_790_000_000.0
HOURS = 2.0


def floor_of(dataset: Dataset) -> NoiseFloor:
    """The noise floor with every question pooled."""
    noise = measure_noise(dataset, build_cells(dataset))
    return noise_floor(noise, [range(len(keys)) for keys in dataset.questions])


def sent(probes: list[ProbeRecord], drift: float = 0.0, seed: int = 3) -> list[ProbeRecord]:
    """Probes sent in a shuffled order over two hours, while answers move by `drift` from first to last."""
    order = np.random.default_rng(seed).permutation(len(probes)) / (len(probes) - 1)
    return [
        replace(
            p,
            favourability={key: value + drift * at for key, value in p.favourability.items()},
            outcome=ProbeOutcome(latency_ms=1500.0, answered_at=START + HOURS * 3600 * at + 1.5),
        )
        for p, at in zip(probes, order.tolist(), strict=True)
    ]
