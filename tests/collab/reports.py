"""Reports of benches whose outcomes a test says."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.collab.analyse import report_of
from jevbias.collab.episode import EpisodeLog, Outcome
from jevbias.collab.setting import BenchSetting, LlmSetting
from jevbias.collab.situation import DoubtKind
from jevbias.report.collab import CollabReport
from jevbias.store.tables import Run

ARMS = ("random_policy", "llm_autonomous", "llm_plus_jev")


def reported(
    played: dict[tuple[str, str], Sequence[bool | Outcome]],
    levels: tuple[str, ...] = ("easy", "hard"),
    rollouts: dict[str, tuple[int, int]] | None = None,
    task: str = "grid",
    llm: LlmSetting | None = None,
    episodes: int = 40,
    stopped_for: dict[str, list[DoubtKind | None]] | None = None,
) -> CollabReport:
    """The report of arms that succeed in these episodes."""
    logs = []
    for (arm, level), outcomes in played.items():
        for number, said in enumerate(outcomes):
            outcome: Outcome = said if isinstance(said, str) else "success" if said else "out_of_steps"
            step = {
                "action": "a",
                "legal": True,
                "named": 2,
                "illegal": [],
                "escalations": 0,
                "vetoes": 0,
                "loops": 0,
                "rejections": 0,
                "unusable": 0,
                "confidences": [],
                "calls": [],
            }
            tried, won = (rollouts or {}).get(level, (0, 0)) if arm == "random_policy" else (0, 0)
            kind = stopped_for[level][number] if stopped_for and outcome == "stopped" else None
            logs.append(EpisodeLog(arm, level, number, outcome, 2, 8, [step] * 4, None, kind, tried, won))
    setting = BenchSetting(
        task, levels, episodes, ARMS, 0.6, 1, 3, "hash", llm or LlmSetting("openai", "m", "http://x"), True
    )
    run = Run(
        name="r",
        profile="collab",
        design="d",
        seed=1,
        driver="jev",
        model="jev-9",
        base_url="u",
        settings={},
        catalogue=b"",
        catalogue_hash="",
        plan_hash="p",
        margin=0,
        alpha=0.05,
        created_at=0,
        jevbias_version="0",
    )
    return report_of(run, setting, logs)
