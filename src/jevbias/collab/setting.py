"""What a bench is, as its run stores it: enough to play it again, and no key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jevbias.catalogue.canonical import canonical_hash
from jevbias.collab.checked_task import Start
from jevbias.errors import TaskError, UsageError
from jevbias.store.tables import Run

KIND = "collab"
MOCK = "mock"


@dataclass(frozen=True)
class LlmSetting:
    """Which LLM: its driver (`mock` for the stand-in, `module:Class` for a user's own), model, address, how
    long it may think, and what was said that a million tokens cost, in and out, in US dollars.
    """

    driver: str
    model: str
    base_url: str
    effort: str | None = None
    price: tuple[float, float] | None = None
    best: float | None = None
    illegal: float | None = None
    """The habits of the stand-in."""
    claims_to_be_real: bool = True
    """What a user's own says of itself."""

    @property
    def is_real(self) -> bool:
        """Whether what it says is about a model."""
        return self.driver != MOCK and self.claims_to_be_real

    @property
    def is_own(self) -> bool:
        """Whether it is a class of the user's."""
        return ":" in self.driver

    @property
    def is_served(self) -> bool:
        """Whether a chat server is asked."""
        return self.driver != MOCK and ":" not in self.driver


@dataclass(frozen=True)
class BenchSetting:
    """Everything that a bench's calls depend on besides its seed and its decision model, which the run names.

    `starts` is the hash of every episode's start, by which a changed task is noticed.
    """

    task: str
    levels: tuple[str, ...]
    episodes: int
    arms: tuple[str, ...]
    threshold: float
    escalations: int
    proposals: int
    starts: str
    llm: LlmSetting | None
    has_decision: bool
    games: str = ""
    """The hash of a random game from each start; empty in benches of versions that played none."""

    def content(self) -> dict[str, Any]:
        """The setting as JSON-ready data."""
        return asdict(self)


def read_setting(run: Run) -> BenchSetting:
    """The setting of a stored run. Raises UsageError where another version of jevbias wrote it."""
    content: Mapping[str, Any] = run.settings
    try:
        llm = content["llm"]
        price = None if llm is None else llm["price"]
        return BenchSetting(
            **{
                **content,
                "levels": tuple(content["levels"]),
                "arms": tuple(content["arms"]),
                "llm": None
                if llm is None
                else LlmSetting(**{**llm, "price": None if price is None else tuple(price)}),
            }
        )
    except (KeyError, TypeError):
        raise UsageError(f"run {run.name}: was made by another version of jevbias; start a new one") from None


def hash_of(starts: list[Start]) -> str:
    """What tells these episodes from others."""
    return canonical_hash(
        [[start.level, start.number, start.state.decode(), start.optimal, start.most] for start in starts]
    )


def check_same_task(setting: BenchSetting, starts: list[Start], games: str) -> None:
    """Raises TaskError where a task's episodes, or what its actions do and how they are shown, are no longer
    those that the bench began with.
    """
    if hash_of(starts) != setting.starts or setting.games not in ("", games):
        raise TaskError(
            f"task {setting.task}: it has changed since the bench began: its episodes are others now, or go "
            "another way; start a new bench"
        )
