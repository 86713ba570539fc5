"""Which models a server says it has, and what it says of each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeGuard

from jevbias.drivers.base import Reply
from jevbias.drivers.http import HttpTransport

PATHS: Mapping[str, str] = {
    "jev": "/v1/models",
    "openrouter-decisions": "/models?output_modalities=decisions",
    "openrouter": "/models",
    "openai": "/models",
}
"""Where a driver's server lists its models, after the base URL. OpenRouter keeps decision models to itself
unless it is asked for them."""
LONGEST_NAME = 200
_CONTEXT_FIELDS = ("context_length", "context_window", "max_model_len", "max_context_length")
_LARGEST_CONTEXT = 10**12
_REASONING = ("reasoning", "reasoning_effort")
_ROUTING = frozenset({"nitro", "floor", "exacto", "online"})


@dataclass(frozen=True)
class ListedModel:
    """What a listing says of one model; None stands for what it does not say.

    `context` is in tokens, prices are US dollars per million tokens. `parameters` are the request parameters
    that it takes, `efforts` the reasoning efforts it can be asked for, `outputs` what comes out of it
    (`text`, `decisions`). `batches`: whether it answers batches. `other_name` is taken in place of `name`.
    """

    name: str
    other_name: str | None = None
    context: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    parameters: frozenset[str] | None = None
    efforts: frozenset[str] | None = None
    outputs: frozenset[str] | None = None
    batches: bool | None = None

    @property
    def structured_outputs(self) -> bool | None:
        """Whether an answer can be held to a strict schema."""
        return None if self.parameters is None else "structured_outputs" in self.parameters

    def is_usable(self, driver: str) -> bool:
        """Whether a driver could use it, as far as the listing tells."""
        if driver == "jev":
            return True
        needed = "decisions" if driver == "openrouter-decisions" else "text"
        if self.outputs is not None and needed not in self.outputs:
            return False
        return needed == "decisions" or self.structured_outputs is not False

    def lacks(self, reasoning_effort: str | None) -> str | None:
        """What a chat run sends and this model is known not to take: `structured_outputs`, `reasoning`, or
        `effort` where it reasons but not so much; None where there is nothing.

        OpenRouter is told to refuse rather than to drop a parameter, so that each of them counts.
        """
        if self.structured_outputs is False:
            return "structured_outputs"
        if reasoning_effort is None:
            return None
        if self.parameters is not None and not self.parameters.intersection(_REASONING):
            return "reasoning"
        return "effort" if self.efforts is not None and reasoning_effort not in self.efforts else None


@dataclass(frozen=True)
class Listing:
    """What a server answered when it was asked for its models; `models` is None where that is no listing."""

    reply: Reply
    models: tuple[ListedModel, ...] | None


async def fetch_listing(transport: HttpTransport, driver: str) -> Listing:
    """Ask a driver's server which models it has, once; faults come back in the reply."""
    reply = await transport.get(PATHS[driver])
    good = reply.status is not None and 200 <= reply.status < 300
    return Listing(reply, read_listing(reply.body, driver) if good else None)


def read_listing(body: bytes, driver: str) -> tuple[ListedModel, ...] | None:
    """The models of a listing, sorted by name; None for a body that is no listing. Never raises.

    Knows the shapes in use: `data` with an `id` each (OpenAI and what imitates it), `models` with a `name`
    each (TypeSafe), and a bare list; where both are there, the driver's own counts. An entry without a name
    that could be given as `--model` is passed over.
    """
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(content, Mapping):
        order = ("models", "data") if driver == "jev" else ("data", "models")
        content = next((content[key] for key in order if isinstance(content.get(key), list)), None)
    if not isinstance(content, list):
        return None
    found: dict[str, ListedModel] = {}
    for model in map(_read_model, content):
        if model is not None:
            found.setdefault(model.name, model)
    return tuple(found[name] for name in sorted(found))


def find_listed(models: Iterable[ListedModel], name: str) -> ListedModel | None:
    """The model of this name. A suffix that only tells OpenRouter how to route (`:nitro`) is no part of it;
    any other is (`:free`).
    """
    known: dict[str, ListedModel] = {}
    for model in models:
        known[model.name] = model
        if model.other_name is not None:
            known.setdefault(model.other_name, model)
    plain, _, suffix = name.rpartition(":")
    return known.get(name) or (known.get(plain) if suffix in _ROUTING else None)


def near_names(names: Iterable[str], wanted: str, most: int = 3) -> list[str]:
    """Of these names, those that a user who typed `wanted` may have meant, the likeliest first; perhaps none.

    The author before the slash may be missing, and capitals do not count.
    """
    lowered = {name.lower(): name for name in names}
    full = wanted.strip().lower()
    short = full.rpartition("/")[2]
    found = [name for low, name in lowered.items() if low.rpartition("/")[2] == short]
    found += [lowered[low] for low in get_close_matches(full, lowered, n=most, cutoff=0.6)]
    found += [name for low, name in lowered.items() if len(short) > 2 and short in low]
    return list(dict.fromkeys(found))[:most]


def _read_model(entry: object) -> ListedModel | None:
    if _is_name(entry):
        return ListedModel(entry)
    if not isinstance(entry, Mapping):
        return None
    name = next((entry[key] for key in ("id", "name") if _is_name(entry.get(key))), None)
    if name is None:
        return None
    pricing = _part(entry, "pricing")
    other, batches = entry.get("canonical_slug"), entry.get("supports_batch")
    return ListedModel(
        name=name,
        other_name=other if _is_name(other) else None,
        context=_context(entry),
        input_price=_per_million(pricing.get("prompt")),
        output_price=_per_million(pricing.get("completion")),
        parameters=_words(entry.get("supported_parameters")),
        efforts=_efforts(_part(entry, "reasoning")),
        outputs=_words(_part(entry, "architecture").get("output_modalities")),
        batches=batches if isinstance(batches, bool) else None,
    )


def _part(entry: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = entry.get(key)
    return value if isinstance(value, Mapping) else {}


def _is_name(value: object) -> TypeGuard[str]:
    """Whether it can be given as `--model`."""
    return (
        isinstance(value, str) and bool(value.strip()) and len(value) <= LONGEST_NAME and value.isprintable()
    )


def _context(entry: Mapping[str, object]) -> int | None:
    for key in _CONTEXT_FIELDS:
        value = entry.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LARGEST_CONTEXT:
            return value
    return None


def _per_million(per_token: object) -> float | None:
    """OpenRouter gives US dollars per token as text, and -1 where the price varies."""
    if not isinstance(per_token, str | int | float) or isinstance(per_token, bool):
        return None
    try:
        price = float(per_token) * 1e6
    except (ValueError, OverflowError):
        return None
    return round(price, 6) if math.isfinite(price) and price >= 0 else None


def _words(value: object) -> frozenset[str] | None:
    return frozenset(word for word in value if isinstance(word, str)) if isinstance(value, list) else None


def _efforts(reasoning: Mapping[str, object]) -> frozenset[str] | None:
    """The efforts on offer; a model that must reason cannot be asked not to."""
    efforts = _words(reasoning.get("supported_efforts"))
    return efforts if efforts is None or reasoning.get("mandatory") is not True else efforts - {"none"}
