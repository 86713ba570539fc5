"""How a drain ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from jevbias.drain.progress import duration
from jevbias.store.next_commands import NextCommands, unusable
from jevbias.store.progress import RunProgress


@dataclass(frozen=True)
class DrainSummary:
    """How a drain ended: the run's totals, this drain's time and sends, and why it stopped if it did.

    `pending` leaves out what is `in_batches`. `sends` are known to have arrived and `possible_sends` may
    have; `sent_now` is what this drain sent, retries included. Tokens and cost (US dollars) are None where
    nobody said; `uncosted` counts replies whose cost nobody said. `stopped` is one line, None for a run that
    is through or was interrupted.
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
    in_batches: int = 0
    cached_tokens: int | None = None
    costed: int = 0
    """Replies whose cost is known."""
    kind: str = "bias"

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
            pending=progress.left - progress.in_batches,
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
            in_batches=progress.in_batches,
            cached_tokens=progress.cached_tokens,
            costed=progress.costed,
            kind=progress.kind,
        )

    @property
    def exit_code(self) -> int:
        """130 when the user interrupted, 1 when the drain stopped, a probe is in a batch or ended failed or
        none of those that ended has a usable answer, else 0.
        """
        if self.interrupted:
            return 130
        return 1 if self.stopped or self.failed or self.in_batches or self._fruitless else 0

    @property
    def _fruitless(self) -> bool:
        return not self.answered and bool(self.refused or self.malformed)

    def lines(self, flags: str = "") -> list[str]:
        """The summary as a terminal shows it; `flags` is what a command that goes on needs besides the run's
        name, such as ` --db other.db`.
        """
        commands = NextCommands(self.run, flags, self.kind)
        ended = self.answered + self.refused + self.malformed + self.failed
        total = ended + self.pending + self.in_batches
        counts = [f"{self.run}: answered {self.answered:,} of {total:,}"]
        for word in ("refused", "malformed", "failed", "pending"):
            count = getattr(self, word)
            if count:
                counts.append(f"{word} {count:,}")
        if self.in_batches:
            counts.append(f"in batches {self.in_batches:,}")
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
        if self.in_batches:
            are = "1 probe is" if self.in_batches == 1 else f"{self.in_batches:,} probes are"
            lines.append(f"{are} in batches: {commands.await_batches}, then {commands.collect}")
        if self.failed or self.malformed:
            lines.append(f"to send the {unusable(self.failed, self.malformed)} again: {commands.again}")
        return lines

    def _sends(self) -> str:
        known = "1 send" if self.sends == 1 else f"{self.sends:,} sends"
        return f"{known} and {self.possible_sends:,} possible" if self.possible_sends else known

    def _tokens(self) -> str:
        return f"tokens {shown_tokens(self.input_tokens, self.cached_tokens, self.output_tokens)}"

    def _cost(self) -> str:
        without = f" without {self.uncosted:,} unpriced" if self.uncosted and self.cost is not None else ""
        return f"cost {shown_cost(self.cost, self.costed)}{without}"


def shown_tokens(tokens_in: int | None, cached: int | None, tokens_out: int | None) -> str:
    """`1,000,000 in (840,000 cached), 50,000 out`; what nobody said reads n/a."""
    if tokens_in is None and tokens_out is None:
        return "n/a"
    shown = ["n/a" if n is None else f"{n:,}" for n in (tokens_in, tokens_out)]
    return f"{shown[0]} in{f' ({cached:,} cached)' if cached else ''}, {shown[1]} out"


def shown_cost(cost: float | None, costed: int) -> str:
    """`$1.2345 ($0.0026 a call)`, with `costed` replies behind it; the second where a call costs enough to be
    seen.
    """
    if cost is None:
        return "n/a"
    each = cost / costed if costed > 1 else 0.0
    return f"${cost:.4f}" + (f" (${each:.4f} a call)" if each >= 0.0001 else "")
