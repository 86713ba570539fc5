"""The models that the mock lists, each with what it can do and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.mock.model import MOCK_MODEL

RELEASED = "2026-01-01"
CREATED = 1767225600
"""The same date in seconds since the epoch."""
CONTEXT_LENGTH = 128_000
EFFORTS = {"none": 0, "minimal": 8, "low": 16, "medium": 64, "high": 256, "xhigh": 512}
"""Reasoning effort → the tokens that the mock reports to have thought for."""


@dataclass(frozen=True)
class Price:
    """US dollars a token; `cached` is for prompt tokens that the prefix cache serves."""

    prompt: float
    completion: float = 0.0
    cached: float = 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """What a request costs, in US dollars; all cached tokens are prompt tokens too."""
        cost = (prompt_tokens - cached_tokens) * self.prompt + cached_tokens * self.cached
        return round(cost + completion_tokens * self.completion, 12)

    def halved(self) -> Price:
        """What the same costs in a batch."""
        return Price(self.prompt / 2, self.completion / 2, self.cached / 2)


@dataclass(frozen=True)
class ListedModel:
    """One model: its name, and the dated one that it answers under and can be asked by too."""

    name: str
    answers_as: str
    described: str
    price: Price
    parameters: tuple[str, ...] = ()
    """The `supported_parameters` of its row; empty for a decision model, which has none."""
    batch: bool = False

    @property
    def chats(self) -> bool:
        """Whether it takes chat completions."""
        return bool(self.parameters)

    @property
    def structured(self) -> bool:
        """Whether it keeps to a strict JSON schema."""
        return "structured_outputs" in self.parameters


_ALWAYS = ("max_tokens", "temperature")
_STRUCTURED = (*_ALWAYS, "response_format", "structured_outputs")
_CHAT_PRICE = Price(1e-6, 4e-6, 1e-7)
_DECISION_PRICE = Price(4.2e-8)

DECISION_MODEL = ListedModel(
    "jevbias/mock-decisions",
    "jevbias/mock-decisions-20260101",
    "The mock as a decision model: answers on the merits, with noise and effects that are known.",
    _DECISION_PRICE,
)
CHAT_MODEL = ListedModel(
    "jevbias/mock-chat",
    "jevbias/mock-chat-20260101",
    "The mock as a chat model that keeps to a strict schema, one by one and in batches.",
    _CHAT_PRICE,
    (*_STRUCTURED, "reasoning"),
    batch=True,
)
SYNCHRONOUS_MODEL = ListedModel(
    "jevbias/mock-chat-sync",
    "jevbias/mock-chat-sync-20260101",
    "The same chat model, which takes no batches and does not reason.",
    _CHAT_PRICE,
    _STRUCTURED,
)
PROSE_MODEL = ListedModel(
    "jevbias/mock-prose",
    "jevbias/mock-prose-20260101",
    "A chat model that writes prose, whatever schema it is given.",
    _CHAT_PRICE,
    (*_ALWAYS, "reasoning"),
    batch=True,
)
_ALIAS = ListedModel(
    "typesafe/jev-1.13",
    DECISION_MODEL.answers_as,
    f"Another name of {DECISION_MODEL.name}.",
    _DECISION_PRICE,
)
LISTED = (CHAT_MODEL, SYNCHRONOUS_MODEL, PROSE_MODEL, DECISION_MODEL, _ALIAS)
_SYSTEM_ONE = (
    (MOCK_MODEL, "Answers on the merits of the case, with noise and effects that are known."),
    ("jev-latest", f"Another name of {MOCK_MODEL}."),
)


def find_model(name: str) -> ListedModel | None:
    """The listed model of that name, or None."""
    return next((model for model in LISTED if name in (model.name, model.answers_as)), None)


def model_list(output: str = "text") -> dict[str, object]:
    """The answer to `GET …/models`, in the shapes that clients know: `models` as TypeSafe lists them, and
    `data` as OpenAI does, each row with OpenRouter's fields besides.

    `output` is what the models of `data` put out: `text`, or `decisions`, which OpenRouter lists only where
    it is asked for them. `supports_batch` says that a model can be asked in batches.
    """
    return {
        "object": "list",
        "data": [_row(model) for model in LISTED if _output(model) == output],
        "models": [
            {"name": name, "description": description, "release_date": RELEASED}
            for name, description in _SYSTEM_ONE
        ],
    }


def _output(model: ListedModel) -> str:
    return "text" if model.chats else "decisions"


def _row(model: ListedModel) -> dict[str, object]:
    row: dict[str, object] = {
        "id": model.name,
        "object": "model",
        "created": CREATED,
        "owned_by": "jevbias",
        "name": model.name.rpartition("/")[2],
        "canonical_slug": model.answers_as,
        "description": model.described,
        "context_length": CONTEXT_LENGTH,
        "architecture": {
            "modality": f"text->{_output(model)}",
            "input_modalities": ["text"],
            "output_modalities": [_output(model)],
        },
        "pricing": {
            "prompt": _decimal(model.price.prompt),
            "completion": _decimal(model.price.completion),
            "input_cache_read": _decimal(model.price.cached),
        },
        "supported_parameters": list(model.parameters),
        "supports_batch": model.batch,
    }
    if "reasoning" in model.parameters:
        row["reasoning"] = {"supported_efforts": list(EFFORTS), "mandatory": False}
    return row


def _decimal(price: float) -> str:
    """A price a token without an exponent, as listings write it."""
    return f"{price:.12f}".rstrip("0").rstrip(".")
