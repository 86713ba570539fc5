"""Chat completions: the mock writes its answers down as a chat model does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jevbias.catalogue.canonical import canonical_json
from jevbias.mock.chat_request import ChatRequest, case_of
from jevbias.mock.distribution import binomial
from jevbias.mock.listing import CHAT_MODEL, CREATED, EFFORTS, ListedModel, Price, find_model
from jevbias.mock.model import Arrival, MockModel
from jevbias.mock.refusal import RefusedRequest
from jevbias.mock.request import AskedQuestion, ChoiceQuestion, NoulQuestion, UnprocessableRequest
from jevbias.mock.strict_schema import Wanted, check_strict, conforming
from jevbias.mock.usage import PrefixCache, Usage, tokens

PROSE = "The case has something to be said for it, and something against; on balance I would look again."


class ChatMock:
    """Answers chat completions with what the model thinks; `MockModel` decides, this writes."""

    def __init__(self, model: MockModel) -> None:
        self._model, self._cache = model, PrefixCache()

    def complete(
        self, request: ChatRequest, arrival: Arrival, listed: ListedModel, price: Price | None
    ) -> dict[str, object]:
        """The response to a request that has come. `price` is what a token costs, None where no cost is
        reported. Raises RefusedRequest for what this model cannot do or does not know.

        A strict schema is kept to; without one the answer is prose. An answer longer than the request allows
        is cut off, and says so.
        """
        structured = request.strict_schema is not None and listed.structured
        content = self._structured(request, arrival) if structured else PROSE
        thought = EFFORTS[_effort(request)]
        limit, finish = request.token_limit, "stop"
        if limit is not None and thought + tokens(content) > limit:
            content, finish = content[: max(0, 4 * (limit - thought))], "length"
        instructions = request.prompt_text(instructions=True)
        usage = Usage(
            prompt=tokens(instructions) + tokens(request.prompt_text(instructions=False)),
            completion=min(thought + tokens(content), limit or thought + tokens(content)),
            cached=self._cache.cached_tokens(listed.name, instructions),
            reasoning=thought,
        )
        return {
            "id": f"gen-{arrival.digest[:16]}-{arrival.times}",
            "object": "chat.completion",
            "created": CREATED,
            "model": listed.answers_as,
            "provider": "jevbias",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "logprobs": None,
                    "message": {"role": "assistant", "content": content, "refusal": None},
                }
            ],
            "usage": usage.content(price),
        }

    def _structured(self, request: ChatRequest, arrival: Arrival) -> str:
        schema = request.strict_schema or {}
        check_strict(schema)
        case = case_of(request)
        wanted: Mapping[str, Wanted] | None = None
        if case is not None:
            try:
                positions = self._model.positions(case, arrival)
            except UnprocessableRequest as unknown:
                raise RefusedRequest(400, str(unknown)) from None
            wanted = {key: self._written(case.questions[key], value) for key, value in positions.items()}
        return canonical_json(conforming(schema, wanted)).decode()

    def _written(self, question: AskedQuestion, position: float) -> Wanted:
        """The number of a noul or of a score's rubric, or one for each option of a choice."""
        if isinstance(question, NoulQuestion):
            return self._rounded(position)
        if isinstance(question, ChoiceQuestion):
            probabilities = binomial(len(question.criteria), position)
            return {
                option: self._rounded(p) for option, p in zip(question.criteria, probabilities, strict=True)
            }
        return self._rounded(position * (len(question.criteria) - 1))

    def _rounded(self, number: float) -> float:
        return number if self._model.decimals is None else round(number, self._model.decimals)


def model_for(request: ChatRequest) -> ListedModel:
    """The model that an OpenAI-compatible server answers with: the one of that name, or its only one.
    Raises RefusedRequest (404) for a model that does not chat.
    """
    return _chatting(find_model(request.model) or replace(CHAT_MODEL, name=request.model))


def routed_model(request: ChatRequest) -> ListedModel:
    """The model that OpenRouter would send a request to. Raises RefusedRequest: 400 where there is none of
    that name, 404 where it cannot do what the request requires.
    """
    found = find_model(request.model)
    if found is None:
        raise RefusedRequest(400, f"{request.model[:60]} is not a valid model ID")
    _chatting(found)
    required = request.provider is not None and request.provider.require_parameters
    if required and not _asked_for(request).issubset(found.parameters):
        raise RefusedRequest(404, "No endpoints found that can handle the requested parameters.")
    return found


def _asked_for(request: ChatRequest) -> set[str]:
    """The parameters of a request that not every model takes."""
    asked = {"structured_outputs"} if request.response_format is not None else set()
    return asked | ({"reasoning"} if request.reasoning is not None else set())


def _chatting(model: ListedModel) -> ListedModel:
    if not model.chats:
        raise RefusedRequest(404, f"{model.name} takes no chat completions")
    return model


def _effort(request: ChatRequest) -> str:
    nested = request.reasoning.effort if request.reasoning is not None else None
    effort = nested or request.reasoning_effort or "none"
    if effort not in EFFORTS:
        raise RefusedRequest(400, f"reasoning effort '{effort[:30]}' is not one of {', '.join(EFFORTS)}")
    return effort
