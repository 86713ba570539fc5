"""When a probe is sent again, and after how long."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_result,
    stop_after_attempt,
    wait_exponential_jitter,
)
from tenacity.stop import stop_base

from jevbias.drain.options import LONGEST_WAIT, DrainOptions
from jevbias.drain.sending import Outcome


def retries(
    options: DrainOptions,
    *,
    attempts: int,
    sleep: Callable[[float], Awaitable[None]],
    before_sleep: Callable[[RetryCallState], Awaitable[None]],
) -> AsyncRetrying:
    """A controller for one probe that has used `attempts`, the coming one included; calling it with a
    function that sends once returns the last outcome.

    The wait doubles with each retry, is jittered, and is never shorter than the server asks for. What a
    server asks for beyond a minute ends the retries, as does the last attempt the probe may have.
    """
    return AsyncRetrying(
        retry=retry_if_result(_may_pass),
        stop=stop_after_attempt(max(1, options.max_attempts - attempts + 1)) | _AsksTooMuch(),
        wait=_HintedWait(options.first_wait),
        sleep=sleep,
        before_sleep=before_sleep,
        retry_error_callback=outcome_of,
    )


def outcome_of(state: RetryCallState) -> Outcome:
    """The outcome of the send that a controller has just made."""
    if state.outcome is None:
        raise RuntimeError("nothing was sent yet")
    outcome: Outcome = state.outcome.result()
    return outcome


def asked_wait(outcome: Outcome) -> float | None:
    """The wait in seconds that a server asks for beyond what a drain waits; None when it does not."""
    hint = outcome.reply.retry_after
    return hint if hint is not None and hint > LONGEST_WAIT else None


def _may_pass(outcome: Outcome) -> bool:
    return outcome.reading.verdict == "retry"


class _AsksTooMuch(stop_base):
    def __call__(self, retry_state: RetryCallState) -> bool:
        return asked_wait(outcome_of(retry_state)) is not None


class _HintedWait(wait_exponential_jitter):
    """tenacity knows no `Retry-After`: the longer of its own wait and the server's counts."""

    def __init__(self, first: float):
        super().__init__(multiplier=first, jitter=first, max=LONGEST_WAIT)

    def __call__(self, retry_state: RetryCallState) -> float:
        own = super().__call__(retry_state)
        return max(own, outcome_of(retry_state).reply.retry_after or 0.0)
