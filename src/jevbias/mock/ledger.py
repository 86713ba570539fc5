"""What the mock was asked: one row per request that puts a question, in the order they came."""

from __future__ import annotations

import hashlib
import time
from collections import Counter

from jevbias.mock.fault_plan import Face


class Ledger:
    """The rows that `GET /ledger` shows."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self._came: Counter[str] = Counter()

    def enter(self, face: Face, path: str, body: bytes, **more: object) -> dict[str, object]:
        """Note a request that comes now; its `status` is to be filled in, and stays None where it gets no
        reply.
        """
        digest = hashlib.sha256(body).hexdigest()
        self._came[digest] += 1
        row: dict[str, object] = {
            "sha256": digest,
            "at": time.time(),
            "status": None,
            "n": self._came[digest],
            "face": face,
            "path": path,
            **more,
        }
        self.rows.append(row)
        return row
