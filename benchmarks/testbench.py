"""How often `testbench semantics` claims that an answer moves where there is nothing but noise.

.venv/bin/python benchmarks/testbench.py [RUNS] [DECIMALS, or -] [NOISE]
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue
from jevbias.drain.recorded_calls import RecordedReply, Send
from jevbias.drivers.base import Reply
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import NOTHING_SAID
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.store.calls import NewCall
from jevbias.testbench.bench import Bench
from jevbias.testbench.options import SemanticsOptions
from jevbias.testbench.semantics import measure_semantics
from jevbias.testbench.semantics_asks import scenario_asks

CASES = 12


class _Direct:
    """Puts calls to a mock in this process."""

    def __init__(self, model: KnownModel) -> None:
        self._model = model

    async def send_together(self, calls: Sequence[NewCall], send: Send) -> list[RecordedReply | None]:
        del send
        return [self._answered(call) for call in calls]

    def _answered(self, call: NewCall) -> RecordedReply:
        reply = Reply(200, canonical_json(self._model.answer(call.body)), 1.0)
        return RecordedReply(call.key, reply, NOTHING_SAID, 0.0, replayed=False)


async def simulate(
    catalogue: Catalogue, runs: int, decimals: int | None, noise: float
) -> tuple[int, int, int]:
    """Runs with any claim of a movement, intervals that hold 0, and intervals."""
    asks = scenario_asks(catalogue, SemanticsOptions().scenario, CASES, 1)
    driver = SystemOneDriver(
        "jev", "m", HttpTransport("http://127.0.0.1", key=None, timeout=1, connections=1)
    )
    claims = held = intervals = 0
    for seed in range(runs):
        model = KnownModel(catalogue, KnownProperties(), noise=noise, seed=seed, decimals=decimals)
        found = await measure_semantics(Bench(driver, _Direct(model)), SemanticsOptions(cases=CASES), asks)
        claims += any(row.moves for row in found.movements)
        for row in found.movements:
            intervals += 1
            held += row.interval is not None and row.interval[0] <= 0 <= row.interval[1]
    return claims, held, intervals


def main() -> None:
    """Print how often noise was taken for a movement."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    decimals = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] != "-" else None
    noise = float(sys.argv[3]) if len(sys.argv) > 3 else 0.01
    claims, held, intervals = asyncio.run(simulate(load_catalogue(None), runs, decimals, noise))
    sys.stdout.write(
        f"{runs} runs of {intervals // runs} rows with nothing but noise (SD {noise}, decimals {decimals}): "
        f"{claims} claim a movement, {100 * held / intervals:.1f}% of the intervals hold 0\n"
    )


if __name__ == "__main__":
    main()
