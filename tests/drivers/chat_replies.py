"""Replies of a chat model, read as its driver reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jevbias.drivers.base import Reading
from tests.drivers.asks import small_ask, success
from tests.drivers.every_driver import CHAT, GOOD_NUMBERS, chat_content, driver_called

every_chat = pytest.mark.parametrize("name", CHAT)
GOOD_TEXT = json.dumps(GOOD_NUMBERS)


def read(content: object, name: str = "openrouter", **how: Any) -> Reading:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return driver_called(name, **how).read(small_ask(), success(body))


def said(text: object, **message: Any) -> Reading:
    """What a message with this text means."""
    return read(chat_content(text, **message))


def answer_to(question: str, number: object) -> Reading:
    return said(json.dumps({**GOOD_NUMBERS, question: number}))


def values(reading: Reading) -> dict[str, float]:
    return {answer.question: answer.value for answer in reading.answers}
