"""The commands that make a run, go on with it and read it, as a user types them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NextCommands:
    """The commands for one run, each in back-quotes; `flags` is what all of them share, such as
    ` --db other.db`, `kind` the kind of the run.
    """

    run: str
    flags: str = ""
    kind: str = "bias"

    @property
    def make(self) -> str:
        """Make another run of this kind."""
        return f"`jevbias {self._making}{self.flags}`"

    @property
    def resume(self) -> str:
        """Send what is pending."""
        return f"`jevbias {self._making} --resume {self.run}{self.flags}`"

    @property
    def reset(self) -> str:
        """Return abandoned probes to the queue."""
        return f"`jevbias reset --run {self.run}{self.flags}`"

    @property
    def again(self) -> str:
        """Send failed and malformed probes once more."""
        return f"`jevbias reset --failed --run {self.run}{self.flags}`, then {self.resume}"

    @property
    def submit_batches(self) -> str:
        """Hand what is pending over in batches."""
        return f"`jevbias batch submit --run {self.run}{self.flags}`"

    @property
    def submit_again(self) -> str:
        """The same, and also what may have arrived before."""
        return f"`jevbias batch submit --again --run {self.run}{self.flags}`"

    @property
    def await_batches(self) -> str:
        """Wait for what is in batches."""
        return f"`jevbias batch status --wait --run {self.run}{self.flags}`"

    @property
    def collect(self) -> str:
        """Store what batches have brought."""
        return f"`jevbias batch collect --run {self.run}{self.flags}`"

    @property
    def analyse(self) -> str:
        """Compute the report."""
        command = "analyse" if self.kind == "bias" else f"{self._family}report"
        return f"`jevbias {command} --run {self.run}{self.flags}`"

    @property
    def _making(self) -> str:
        return f"{self._family}{'all' if self.kind == 'testbench' else 'run'}"

    @property
    def _family(self) -> str:
        return "" if self.kind == "bias" else f"{self.kind} "


def unusable(failed: int, malformed: int) -> str:
    """`3 failed, 2 malformed`; empty where there are none."""
    counts = ((failed, "failed"), (malformed, "malformed"))
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)
