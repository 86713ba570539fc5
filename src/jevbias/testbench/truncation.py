"""Does a server read all of a long state, or leave a part of it out and say nothing?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from jevbias.report.testbench_limits import FactRead, SizeTried, Truncation
from jevbias.stats.arrays import FloatArray
from jevbias.stats.means import Mean, mean_with_sd
from jevbias.testbench.bench import Bench, Told
from jevbias.testbench.cases import PLACES, Place, Planted, sized_ask
from jevbias.testbench.options import ContextOptions
from jevbias.testbench.sizes import CapReached, NotAsked, Sizes

SHORT = 60
"""Words of a state in which anybody finds the fact."""
HALF = 0.5
_SURE = 0.999
TO_LEARN = 3
"""How many times the pairs of a look go into learning what the fact does."""
_APART, _FLAT = 1.5, 0.5
"""Over sizes so far apart, reported tokens grow by less than this share of what they grew by at first."""
Read: TypeAlias = Literal["found", "weakened", "not_found", "undecided", "untold"]
Verdict: TypeAlias = Literal["none_seen", "truncates", "untold"]
_READ = ("found", "weakened")


async def look_for_truncation(
    bench: Bench, sizes: Sizes, options: ContextOptions, longest: SizeTried, tried: Sequence[SizeTried]
) -> Truncation:
    """Plant a fact at the end, in the middle and at the start of the longest state that works, and see
    whether it still moves the answer to a question about it. Where one place is not read, bisect for the size
    from which on it is not.
    """
    by_tokens = _stops_counting(tried)
    looked = _Looked(bench, sizes, options)
    facts: list[FactRead] = []
    read_to = lost_from = None
    place: Place | None = None
    try:
        await looked.learn()
        facts = [await looked.at(longest.words, spot) for spot in PLACES]
        lost = [fact.place for fact in facts if fact.verdict == "not_found"]
        if lost and (by_tokens or len(lost) < len(facts)):
            # A fact at an end is lost as soon as anything is left out there, one in the middle only later.
            place = spot = next(spot for spot in PLACES if spot in lost)
            read_to, lost_from = await looked.boundary(spot, longest)
    except CapReached:
        bench.notes.append("context: --max-tokens ended the search for text that is left out in silence")
    except NotAsked:
        bench.notes.append("context: the search for text left out in silence did not come to its end")
    return Truncation(
        verdict=_verdict(bench, facts, by_tokens, understood=looked.understood),
        by_tokens=by_tokens,
        place=place,
        read_to=read_to,
        lost_from=lost_from,
        facts=facts,
    )


class _Looked:
    """Looks for the fact at a size and a place, with pairs of requests: with it, and with its contrary. How
    far a pair's difference varies is told from all pairs together.
    """

    def __init__(self, bench: Bench, sizes: Sizes, options: ContextOptions) -> None:
        self._bench, self._sizes, self._repeats = bench, sizes, options.repeats
        self._precision = options.precision
        self._baseline = np.zeros(0)
        self._squares, self._degrees = 0.0, 0

    async def learn(self) -> None:
        """See what the fact does in a short state."""
        self._baseline, _ = await self._differences(SHORT, "end", TO_LEARN * self._repeats)

    @property
    def understood(self) -> bool:
        """Whether the fact moves the answer in a short state."""
        short = self._mean(self._baseline, _SURE)
        return short is not None and short.interval is not None and not _holds_0(short.interval)

    async def at(self, words: int, place: Place) -> FactRead:
        """Whether the fact is read there."""
        differences, told = await self._differences(words, place, self._repeats)
        verdict, effect = self._judge(differences), self._mean(differences, 0.95)
        self._bench.say(f"context: a fact at the {place} of {words:,} words: {verdict.replace('_', ' ')}")
        return FactRead(
            place=place,
            words=words,
            body_bytes=told.body_bytes,
            tokens=told.tokens,
            effect=None if effect is None else effect.mean,
            effect_interval=None if effect is None else effect.interval,
            baseline=float(self._baseline.mean()) if self._baseline.size else None,
            verdict=verdict,
        )

    async def boundary(self, place: Place, lost_at: SizeTried) -> tuple[SizeTried | None, SizeTried]:
        """The largest size at which the fact is read, and the smallest at which it is not: by the logarithm
        while they are far apart, then by halves. A size whose interval decides nothing falls on the side of
        its mean.
        """
        low, high = SHORT, lost_at.words
        read_to, lost_from, doubtful = None, lost_at, False
        while high - low > max(1, self._precision * low):
            middle = round(math.sqrt(low * high)) if high > 2 * low else (low + high) // 2
            differences, told = await self._differences(middle, place, self._repeats)
            here = self._sizes.tried(middle, told)
            verdict = self._judge(differences)
            doubtful |= verdict in ("undecided", "untold")
            if verdict in _READ or (verdict != "not_found" and self._share(differences) >= HALF):
                low, read_to = middle, here
            else:
                high, lost_from = middle, here
        if doubtful:
            self._bench.notes.append(
                "context: noise decided nothing at some sizes; where the fact is lost rests on means there"
            )
        return read_to, lost_from

    def _share(self, differences: FloatArray) -> float:
        """What the fact does, as a share of what it does in a short state."""
        short = float(self._baseline.mean())
        return float(differences.mean()) / short if differences.size and short else 0.0

    async def _differences(self, words: int, place: Place, repeats: int) -> tuple[FloatArray, Told]:
        found: list[float] = []
        for repeat in range(repeats):
            values: list[float] = []
            for is_true in (True, False):
                key = f"context/fact/{place}/{words}/{repeat}/{'with' if is_true else 'without'}"
                told = await self._sizes.ask(key, sized_ask(words, Planted(place, is_true)), by_size=True)
                values.extend(answer.value for answer in told.reading.answers)
            if len(values) == 2:
                found.append(values[0] - values[1])
        if not found:
            self._bench.notes.append(
                f"context: requests with a fact at the {place} of {words:,} words failed ({told.failure})"
            )
        differences = np.array(found)
        if differences.size:
            self._squares += float(np.square(differences - differences.mean()).sum())
            self._degrees += differences.size - 1
        return differences, told

    def _mean(self, differences: FloatArray, confidence: float) -> Mean | None:
        sd = math.sqrt(self._squares / self._degrees) if self._degrees else 0.0
        return mean_with_sd(differences, sd, self._degrees, confidence)

    def _judge(self, differences: FloatArray) -> Read:
        short, effect = self._mean(self._baseline, _SURE), self._mean(differences, _SURE)
        if short is None or not self.understood or effect is None or effect.interval is None:
            return "untold"
        half = HALF * abs(short.mean)
        towards = effect.mean if short.mean > 0 else -effect.mean
        low, high = effect.interval
        if not _holds_0(effect.interval):
            return "found" if towards >= half else "weakened"
        return "not_found" if max(-low, high) < half else "undecided"


def _holds_0(interval: tuple[float, float]) -> bool:
    return interval[0] <= 0 <= interval[1]


def _verdict(bench: Bench, facts: Sequence[FactRead], by_tokens: bool, *, understood: bool) -> Verdict:
    verdicts = {fact.verdict for fact in facts}
    lost = [fact for fact in facts if fact.verdict == "not_found"]
    if by_tokens or 0 < len(lost) < len(facts):
        return "truncates"
    if not facts or verdicts & {"untold", "undecided"} or lost:
        if lost:
            bench.notes.append(
                "context: the fact is found nowhere in the longest state; whether the text is not read or "
                "drowns in all that stands beside it cannot be told"
            )
        elif facts and not understood:
            bench.notes.append(
                "context: the fact does not move the answer in a short state either, so this model cannot be "
                "asked whether it reads a long one"
            )
        return "untold"
    if "weakened" in verdicts:
        bench.notes.append(
            "context: in the longest state a fact moves the answer less than half as far as in a short one"
        )
    return "none_seen"


def _stops_counting(tried: Sequence[SizeTried]) -> bool:
    """Whether the reported tokens stop growing with the bytes, over sizes that lie well apart."""
    apart: list[tuple[int, int]] = []
    for size in sorted(tried, key=lambda size: size.body_bytes):
        if size.worked and size.tokens and (not apart or size.body_bytes >= _APART * apart[-1][0]):
            apart.append((size.body_bytes, size.tokens))
    slopes = [(more - less) / (longer - shorter) for (shorter, less), (longer, more) in pairwise(apart)]
    return len(slopes) > 1 and slopes[0] > 0 and min(slopes[1:]) < _FLAT * slopes[0]
