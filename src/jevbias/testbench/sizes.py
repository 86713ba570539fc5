"""Requests by their size, under a cap on the tokens of all of them together."""

from __future__ import annotations

from jevbias.drivers.failures import error_message
from jevbias.plan.estimate import BYTES_PER_TOKEN, TOKEN_MARGIN
from jevbias.plan.model import Ask
from jevbias.report.testbench_limits import SizeTried
from jevbias.testbench.bench import Bench, Told
from jevbias.testbench.cases import sized_ask

_FAR = 1_000
"""Words: two sizes so far apart tell how many bytes a word takes."""


_FEWEST_PER_BYTE = (1 - TOKEN_MARGIN) / BYTES_PER_TOKEN
"""Tokens a byte that no server can stay below, whatever it reports."""


class CapReached(Exception):
    """The next request would pass the cap on tokens."""


class NotAsked(Exception):
    """A request that the search needs was never made, and nothing may be sent."""


class Sizes:
    """Puts requests one after the other and counts the tokens of every send: those that the server reports,
    and where it reports none, or fewer than so many bytes can be, those that their bytes say.
    """

    def __init__(self, bench: Bench, max_tokens: int) -> None:
        self._bench, self._max_tokens = bench, max_tokens
        self._per_byte: float | None = None
        self.sent = 0
        """Tokens so far."""
        self._counted = len(bench.told)

    async def ask(self, key: str, ask: Ask, *, by_size: bool = False) -> Told:
        """Put a request, as `Bench.answer` does. Raises CapReached where a send would pass the cap, and
        NotAsked.
        """
        size = len(self._bench.driver.render(ask))

        def before() -> None:
            self._count()
            if self.sent + self.tokens_of(size) > self._max_tokens:
                raise CapReached

        told = await self._bench.answer(key, ask, by_size=by_size, before=before)
        self._count()
        if told is None:
            raise NotAsked
        if told.tokens is not None and told.answered:
            seen = max(self._per_byte or 0.0, told.tokens / told.body_bytes)
            self._per_byte = max(seen, _FEWEST_PER_BYTE)
        return told

    def _count(self) -> None:
        """Add what was sent since the last time."""
        for told in self._bench.told[self._counted :]:
            least = self.tokens_of(told.body_bytes) if told.tokens is None else told.tokens
            self.sent += max(least, round(told.body_bytes * _FEWEST_PER_BYTE))
        self._counted = len(self._bench.told)

    def tokens_of(self, body_bytes: int) -> int:
        """About how many tokens a request of so many bytes has."""
        return round(body_bytes * (self._per_byte or 1 / BYTES_PER_TOKEN))

    def words_of(self, tokens: int) -> int:
        """About how many words a request of so many tokens has; at least 12."""
        near, far = (len(self._bench.driver.render(sized_ask(words))) for words in (_FAR, 2 * _FAR))
        each = (far - near) / _FAR
        bytes_ = tokens / (self._per_byte or 1 / BYTES_PER_TOKEN)
        return max(12, int((bytes_ - (near - _FAR * each)) / each))

    def tried(self, words: int, told: Told) -> SizeTried:
        """A request as the report has it."""
        reply = told.recorded.reply
        said = None if told.answered else error_message(reply) or told.reading.error or told.failure
        return SizeTried(
            words=words,
            body_bytes=told.body_bytes,
            tokens=told.tokens,
            estimated_tokens=self.tokens_of(told.body_bytes),
            worked=told.answered,
            http_status=reply.status,
            message=said,
        )
