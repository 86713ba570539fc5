"""The arms there are, by name."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.collab.arms.arm import Arm
from jevbias.collab.arms.llm_autonomous import LlmAutonomous
from jevbias.collab.arms.llm_plus_jev import LlmPlusJev
from jevbias.collab.arms.llm_plus_reflex import LlmPlusReflex
from jevbias.collab.arms.llm_plus_review import LlmPlusReview
from jevbias.collab.arms.random_policy import RandomPolicy
from jevbias.collab.arms.scripted_plus_jev import ScriptedPlusJev
from jevbias.errors import UsageError

ARMS: dict[str, Arm] = {
    arm.name: arm
    for arm in (
        RandomPolicy(),
        LlmAutonomous(),
        ScriptedPlusJev(),
        LlmPlusJev(),
        LlmPlusReflex(),
        LlmPlusReview(),
    )
}
USUAL = ("random_policy", "llm_autonomous", "scripted_plus_jev", "llm_plus_jev")
"""What is benched where nobody says; the random policy costs nothing and always takes part."""


def choose_arms(names: Sequence[str] | None, escalations: int) -> list[Arm]:
    """The arms of these names, the random policy first; `all` means every one. Raises UsageError, also where
    an arm is of no use with so many escalations.
    """
    wanted = list(USUAL if names is None else ARMS if list(names) == ["all"] else names)
    for name in wanted:
        if name not in ARMS:
            raise UsageError(f"--arms: '{name[:60]}' is not one of {', '.join(ARMS)}, nor 'all'")
    if not set(wanted) - {"random_policy"}:
        raise UsageError(f"--arms: name at least one besides random_policy: {', '.join(list(ARMS)[1:])}")
    if escalations == 0 and "llm_plus_reflex" in wanted:
        raise UsageError(
            "--escalations 0: llm_plus_reflex could not have the LLM act again, so it would never ask the "
            "decision model; give 1 or more, or leave that arm out"
        )
    return [arm for name, arm in ARMS.items() if name in wanted or name == "random_policy"]
