"""The practical ceiling of a request: how large it may be, and whether all of it is read."""

from __future__ import annotations

from typing import Literal, TypeAlias

from jevbias.errors import ModelError
from jevbias.report.testbench_limits import ContextCeiling, SizeTried
from jevbias.testbench.bench import Bench
from jevbias.testbench.cases import sized_ask
from jevbias.testbench.options import ContextOptions
from jevbias.testbench.sizes import CapReached, NotAsked, Sizes
from jevbias.testbench.truncation import look_for_truncation

FIRST_WORDS, LEAST_WORDS = 250, 12
"""Where the ramp begins, doubling with every step, and the least that is tried where that is too much."""

Ended: TypeAlias = Literal["found", "cap", "tokens", "unfinished"]


async def measure_context(bench: Bench, options: ContextOptions) -> ContextCeiling:
    """Double the size until one fails or the largest to try works, then bisect; ask again at both sizes; then
    look whether the largest that works is read from end to end.
    """
    bench.say(f"context: up to {options.largest:,} tokens a request, {options.max_tokens:,} in all")
    search = _Search(bench, options)
    ended = await search.run()
    search.note(ended)
    truncation = None
    if search.worked is not None and ended != "unfinished":
        truncation = await look_for_truncation(bench, search.sizes, options, search.worked, search.tried)
    return ContextCeiling(
        ended=ended,
        worked=search.worked,
        failed=search.failed,
        confirmed=search.confirmed,
        tokens_sent=search.sizes.sent,
        tried=search.tried,
        truncation=truncation,
    )


class _Search:
    """The search for the ceiling, and what it knows so far."""

    def __init__(self, bench: Bench, options: ContextOptions) -> None:
        self._bench, self._options = bench, options
        self.sizes = Sizes(bench, options.max_tokens)
        self.worked: SizeTried | None = None
        self.failed: SizeTried | None = None
        self.confirmed: bool | None = None
        self.tried: list[SizeTried] = []

    async def run(self) -> Ended:
        """Search until the ceiling is known or something ends the search."""
        try:
            await self._ramp()
            if self.failed is None:
                return "cap"
            await self._bisect()
            await self._confirm()
        except CapReached:
            return "tokens"
        except NotAsked:
            return "unfinished"
        return "found"

    async def _ramp(self) -> None:
        words = FIRST_WORDS
        while self.failed is None:
            # The server's own count of tokens moves the largest size with every step.
            most = self.sizes.words_of(self._options.largest)
            if self.worked is not None and most <= self.worked.words:
                return
            words = min(words, most)
            await self._try(words)
            if words == most:
                return
            words *= 2

    async def _bisect(self) -> None:
        if self.worked is None:
            await self._try(LEAST_WORDS)
        while self.worked is not None and self.failed is not None:
            low, high = self.worked.words, self.failed.words
            if high - low <= max(1, self._options.precision * low):
                return
            await self._try((low + high) // 2)

    async def _confirm(self) -> None:
        if self.worked is None or self.failed is None:
            return
        still = await self._ask(self.worked.words, "again", by_size=False)
        self.confirmed = still.worked and not (await self._ask(self.failed.words, "again")).worked
        twice = 2 * self.failed.words
        if twice <= self.sizes.words_of(self._options.largest):
            larger = await self._ask(twice, "size")
            self.tried.append(larger)
            if larger.worked:
                self._bench.notes.append(
                    f"context: a request twice as large as the first that failed ({twice:,} words) works: "
                    "what fails is not only about size"
                )

    async def _try(self, words: int) -> None:
        tried = await self._ask(words, "size")
        self.tried.append(tried)
        if tried.worked:
            self.worked = tried
        else:
            self.failed = tried
        what = "worked" if tried.worked else f"failed ({tried.message})"
        self._bench.say(f"context: {words:,} words, about {tried.estimated_tokens:,} tokens: {what}")

    async def _ask(self, words: int, purpose: str, *, by_size: bool | None = None) -> SizeTried:
        """Once a size has worked, what fails may be about size."""
        by_size = self.worked is not None if by_size is None else by_size
        told = await self.sizes.ask(f"context/{purpose}/{words}", sized_ask(words), by_size=by_size)
        if told.for_pace:
            if self._bench.live:
                raise ModelError(f"the search for the ceiling is refused for its pace: {told.reading.error}")
            raise NotAsked
        return self.sizes.tried(words, told)

    def note(self, ended: Ended) -> None:
        """Say what the figures leave open."""
        notes = self._bench.notes
        if ended == "unfinished":
            notes.append("context: the search did not come to its end; go on with --resume")
        if ended == "tokens":
            notes.append(
                f"context: the next request would pass --max-tokens {self._options.max_tokens:,}; the "
                "ceiling lies beyond the last size that worked"
            )
        if ended == "cap":
            notes.append(
                f"context: requests up to the largest to try (--largest {self._options.largest:,} tokens) "
                "worked, so no ceiling was met"
            )
        if self.confirmed is False:
            notes.append(
                "context: asked again, the last size that worked and the first that failed came out "
                "otherwise: the ceiling is not sharp, or the failures were not about size"
            )
        if self.failed is not None and (self.failed.http_status or 500) >= 500:
            notes.append(
                f"context: the first size that failed did so with {self.failed.message}, which need not be "
                "about its size"
            )
        if self.worked is not None and self.worked.tokens is None:
            notes.append(
                "context: the server reports no tokens; they are estimated from bytes, 20% either way"
            )
