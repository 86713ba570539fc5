"""How a drain ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from jevbias.drain.next_commands import NextCommands, unusable
from jevbias.drain.progress import duration
from jevbias.store.progress import RunProgress


@dataclass(frozen=True)
class DrainSummary:
    """How a drain ended: the run's totals, this drain's time and sends, and why it stopped if it did.

    `sends` are known to have arrived and `possible_sends` may have; `sent_now` is what this drain sent,
    retries included. Tokens and cost (US dollars) are None where nobody said; `uncosted` counts replies whose
    cost nobody said. `stopped` is one line, None for a run that is through or was interrupted.
    """

    run: str
    answered: int
    refused: int
    malformed: int
    failed: int
    pending: int
    sends: int
    possible_sends: int
    sent_now: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    uncosted: int
    seconds: float
    stopped: str | None = None
    interrupted: bool = False
    failures: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, progress: RunProgress, *, seconds: float, sent_now: int, stopped: str | None, interrupted: bool
    ) -> DrainSummary:
        """The summary of a run whose progress was read after the drain."""
        counts = progress.by_status
        return cls(
            run=progress.name,
            answered=counts["answered"],
            refused=counts["refused"],
            malformed=counts["malformed"],
            failed=counts["failed"],
            pending=progress.left,
            sends=progress.sends,
            possible_sends=progress.possible_sends,
            sent_now=sent_now,
            input_tokens=progress.input_tokens,
            output_tokens=progress.output_tokens,
            cost=progress.cost,
            uncosted=progress.uncosted,
            seconds=seconds,
            stopped=stopped,
            interrupted=interrupted,
            failures=progress.failures,
        )

    @property
    def exit_code(self) -> int:
        """130 when the user interrupted, 1 when the drain stopped, a probe ended failed or none of those that
        ended has a usable answer, else 0.
        """
        if self.interrupted:
            return 130
        return 1 if self.stopped or self.failed or self._fruitless else 0

    @property
    def _fruitless(self) -> bool:
        return not self.answered and bool(self.refused or self.malformed)

    def lines(self, flags: str = "") -> list[str]:
        """The summary as a terminal shows it; `flags` is what a command that goes on needs besides the run's
        name, such as ` --db other.db`.
        """
        commands = NextCommands(self.run, flags)
        total = self.answered + self.refused + self.malformed + self.failed + self.pending
        counts = [f"{self.run}: answered {self.answered:,} of {total:,}"]
        for word in ("refused", "malformed", "failed", "pending"):
            count = getattr(self, word)
            if count:
                counts.append(f"{word} {count:,}")
        lines = [", ".join(counts)]
        if self.failures:
            lines.append("without an answer: " + ", ".join(f"{k} {n:,}" for k, n in self.failures.items()))
        lines.append(f"{self._sends()}; {self._tokens()}; {self._cost()}; {duration(self.seconds)}")
        go_on = f"; {commands.resume} goes on" if self.pending else ""
        if self.interrupted:
            lines.append(f"interrupted, {self.pending:,} pending{go_on}")
        elif self.stopped:
            lines.append(f"stopped: {self.stopped}")
            if self.pending:
                lines.append(f"{self.pending:,} pending{go_on}")
        elif self._fruitless:
            lines.append("no reply held a usable answer")
        if self.failed or self.malformed:
            lines.append(f"to send the {unusable(self.failed, self.malformed)} again: {commands.again}")
        return lines

    def _sends(self) -> str:
        known = "1 send" if self.sends == 1 else f"{self.sends:,} sends"
        return f"{known} and {self.possible_sends:,} possible" if self.possible_sends else known

    def _tokens(self) -> str:
        if self.input_tokens is None and self.output_tokens is None:
            return "tokens n/a"
        shown = ["n/a" if n is None else f"{n:,}" for n in (self.input_tokens, self.output_tokens)]
        return f"tokens {shown[0]} in, {shown[1]} out"

    def _cost(self) -> str:
        if self.cost is None:
            return "cost n/a"
        return f"cost ${self.cost:.4f}" + (f" without {self.uncosted:,} unpriced" if self.uncosted else "")
