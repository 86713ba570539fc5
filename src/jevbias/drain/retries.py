"""When a probe is sent again, and after how long."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_result,
    wait_exponential_jitter,
)

from jevbias.drain.options import LONGEST_PARK, LONGEST_WAIT, DrainOptions
from jevbias.drain.sending import Outcome

_LONGEST_FOR_ALL = 8
"""Times the first wait: how long the own wait of a probe becomes that is refused for the pace or finds no
server. When the next may be sent is the whole drain's affair: a probe that was unlucky must not outwait
all others, and a server that is back must not be kept waiting.
"""
UNREACHED = 8
"""How often in a row a probe tries at least where there is no server any more."""
UNREACHED_FOR = 240
"""Times the first wait: how long it goes on trying, two minutes. The number of tries would not tell: where
packets are dropped each takes ten seconds.
"""


def retries(
    options: DrainOptions,
    *,
    enough: Callable[[Outcome], bool],
    sleep: Callable[[float], Awaitable[None]],
    before_sleep: Callable[[RetryCallState], Awaitable[None]],
) -> AsyncRetrying:
    """A controller for one probe; calling it with a function that sends once returns the last outcome.
    `enough` says whether an outcome that may pass is the last all the same.

    The wait doubles with each retry, is jittered, and is never shorter than the server asks for; after
    refusals for the pace it soon stops growing. What a server asks for beyond a minute ends the retries.
    """
    return AsyncRetrying(
        retry=retry_if_result(_may_pass),
        stop=lambda state: asked_wait(outcome_of(state)) is not None or enough(outcome_of(state)),
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
    """The wait in seconds that a server asks for beyond what a drain waits, a week at most; None when it does
    not.
    """
    hint = outcome.reply.retry_after
    return min(hint, LONGEST_PARK) if hint is not None and hint > LONGEST_WAIT else None


def _may_pass(outcome: Outcome) -> bool:
    return outcome.reading.verdict == "retry"


class _HintedWait(wait_exponential_jitter):
    """tenacity knows no `Retry-After`: the longer of its own wait and the server's counts."""

    def __init__(self, first: float):
        super().__init__(multiplier=first, jitter=first, max=LONGEST_WAIT)

    def __call__(self, retry_state: RetryCallState) -> float:
        outcome, own = outcome_of(retry_state), super().__call__(retry_state)
        if outcome.refused_for_pace or outcome.unreached:
            own = min(own, _LONGEST_FOR_ALL * self.multiplier)
        return max(own, outcome.reply.retry_after or 0.0)
