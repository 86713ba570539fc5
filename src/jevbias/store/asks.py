"""Reading asks back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, select

from jevbias.plan.model import Ask, Frame
from jevbias.store.tables import ASK, FRAME

_ASKS = select(ASK.c.id, ASK.c.frame_id, ASK.c.person).where(ASK.c.id.in_(bindparam("ids", expanding=True)))
_FRAME = select(FRAME.c.content).where(FRAME.c.id == bindparam("id"))


class AskReader:
    """Loads asks by id. Frames are few and shared, so each is read once and kept."""

    def __init__(self) -> None:
        self._frames: dict[int, Frame] = {}

    def load(self, connection: Connection, ask_ids: Iterable[int]) -> dict[int, Ask]:
        """The asks with these ids, by id; unknown ids are left out."""
        rows = connection.execute(_ASKS, {"ids": sorted(set(ask_ids))}).all()
        return {
            ask_id: Ask(self._frame(connection, frame_id), json.loads(zlib.decompress(person)))
            for ask_id, frame_id, person in rows
        }

    def _frame(self, connection: Connection, frame_id: int) -> Frame:
        if frame_id not in self._frames:
            content = connection.execute(_FRAME, {"id": frame_id}).scalar_one()
            self._frames[frame_id] = Frame.from_content(json.loads(zlib.decompress(content)))
        return self._frames[frame_id]
