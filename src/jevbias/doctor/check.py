"""What one look at the set-up found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failed", "untried"]


@dataclass(frozen=True)
class Check:
    """`state` is `failed` where a run could not succeed as things are, `warning` where it could and something
    is odd, `untried` where nobody can tell without spending or without what failed before. `found` says in
    one line what is there, `advice` what to do about it. Neither holds a key.
    """

    name: str
    state: State
    found: str
    advice: str | None = None
