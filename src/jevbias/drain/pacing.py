"""The pace a user sets: requests a minute, input tokens a second, both kept evenly."""

from __future__ import annotations

from aiolimiter import AsyncLimiter

from jevbias.plan.estimate import BYTES_PER_TOKEN

KEPT_SHARE = 0.98
"""Of the pace that is allowed: what is left absorbs that requests take unequal times to arrive."""
CATCH_UP = 0.15
"""Seconds of delay that are made up for. A bucket of one request would make up for none, and lose the
lateness of every single wake-up; one of a minute's requests would let them all through at once.
"""


class Pacer:
    """Spaces sends by requests a minute and by input tokens a second; None is no limit.

    One send at a time waits for its `turn`: the caller sees to that, and so to who is next. Tokens are
    estimated from the bytes of a body, at the ratio that the server's own counts have had so far.
    """

    def __init__(self, rate: float | None, tokens_per_second: float | None):
        self._requests = None if rate is None else _even(rate / 60, least=1.0)
        self._tokens = None if tokens_per_second is None else _even(tokens_per_second, least=0.0)
        self._bytes_counted = 0
        self._tokens_counted = 0

    @property
    def unlimited(self) -> bool:
        """Whether no pace is set."""
        return self._requests is None and self._tokens is None

    async def turn(self, size: int) -> None:
        """Wait until a body of `size` bytes may be sent."""
        if self._tokens is not None:
            left = self.tokens_in(size)
            while left > 0:
                part = min(left, self._tokens.max_rate)
                await self._tokens.acquire(part)
                left -= part
        if self._requests is not None:
            await self._requests.acquire()

    def tokens_in(self, size: int) -> float:
        """About how many input tokens a body of `size` bytes is."""
        if not self._bytes_counted:
            return size / BYTES_PER_TOKEN
        return size * self._tokens_counted / self._bytes_counted

    def learn(self, size: int, input_tokens: int | None) -> None:
        """Take in how many tokens the server counted in a body; None where it did not say."""
        if input_tokens:
            self._bytes_counted += size
            self._tokens_counted += input_tokens


def _even(per_second: float, *, least: float) -> AsyncLimiter:
    """A limiter whose bucket holds `least` and what may be made up for."""
    kept = per_second * KEPT_SHARE
    bucket = least + kept * CATCH_UP
    return AsyncLimiter(bucket, bucket / kept)
