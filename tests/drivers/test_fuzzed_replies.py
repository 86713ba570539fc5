"""10,000 replies per driver that no server should send: none crashes a driver or slips past its checks."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from jevbias.drivers.base import Reply
from tests.drivers.asks import small_ask
from tests.drivers.every_driver import CHAT, SERVED, driver_called, reply_content
from tests.drivers.honest import check_honest

REPLIES = 10_000
STATUSES = (400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 500, 502, 503, 529, 302, 204, 99, 0, -1, 1000)
ERRORS = (
    {"error": {"code": "429", "message": "busy\r\n\x1b[2J"}},
    {"choices": None, "error": {"code": 402, "message": "no credit"}},
    {"error": {"code": "content_filter", "message": "\ud83d"}},
    {"error": {"code": 10**4000, "metadata": {"reasons": ["x"], "raw": "y"}}},
    {"error": "text"},
    {"detail": [{"loc": ["body", "a"], "msg": "m\u2028\u202e", "type": "t"}]},
    {"detail": {"error_type": "max_tokens_exceeded"}},
)
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -0.0,
    1,
    -1,
    2,
    33,
    1.0000001,
    -1e-300,
    1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    10**40,
    -(10**25),
    2**63,
    "",
    " ",
    "0.5",
    "1e999",
    "70%",
    "NaN",
    "٠.٥",
    "yes",
    "\ud83d",
    "a\nb\x00\x1b[31m\u202e\u2028",
    "x" * 5000,
    "9" * 6000,
    "```json\n{}\n```",
    '{"approve": 1',
    [],
    [[]],
    [0.5],
    [None, 3],
    {},
    {"noul": 0.5},
    {"0": 1},
    {"low": "1", "middle": 0, "high": 0, "top": 0},
    {"code": 429},
    {"approve": {"approve": {"approve": 1}}},
)
_KEY = re.compile(rb'"\w{1,30}": ')


@pytest.mark.parametrize("name", SERVED)
def test_no_reply_crashes_a_driver_or_passes_for_what_it_is_not(name: str) -> None:
    driver, ask = driver_called(name), small_ask()
    chance = random.Random(f"replies to {name}")
    verdicts: Counter[str] = Counter()
    for number in range(REPLIES):
        reply = fuzzed(name, chance)
        try:
            reading = driver.read(ask, reply)
            check_honest(reading)
        except Exception as error:
            error.add_note(f"reply {number}: {reply.status} {reply.body[:300]!r}")
            raise
        verdicts[reading.verdict] += 1
        if reply.status is None or not 200 <= reply.status < 300:
            assert not reading.answers
    expected = {"answered", "malformed", "failed", "retry", "stop"} | ({"refused"} if name in CHAT else set())
    rare = {verdict for verdict in expected if verdicts[verdict] < REPLIES / 200}
    assert not rare, f"the replies hardly try {rare}: {verdicts}"


def fuzzed(name: str, chance: random.Random) -> Reply:
    """A good reply with one to three things wrong with it."""
    content = _mutated_content(name, chance)
    body = json.dumps(content).encode("utf-8", "surrogatepass")
    for _ in range(chance.choice((0, 0, 1, 2))):
        body = chance.choice(BYTE_FAULTS)(body, chance)
    if chance.random() < 0.05:
        return Reply(None, body, 1.0, fault=chance.choice(("timeout", "dns", "tls", "truncated", "invalid")))
    status = chance.choice(STATUSES) if chance.random() < 0.15 else 200
    location = "https://else\nwhere/" if status == 302 else None
    return Reply(status, body, 1.0, location=location)


def _mutated_content(name: str, chance: random.Random) -> Any:
    if chance.random() < 0.1:
        return chance.choice(ERRORS)
    content: Any = deepcopy(reply_content(name))
    if name in CHAT and chance.random() < 0.6:
        message = content["choices"][0]["message"]
        message["content"] = _mutated_text(message["content"], chance)
    for _ in range(chance.choice((0, 0, 1, 1, 2) if name in CHAT else (0, 1, 1, 2, 3))):
        content = _with_fault(content, chance)
    if name in CHAT and chance.random() < 0.05:
        return _declined(content, chance)
    return content


def _mutated_text(text: str, chance: random.Random) -> Any:
    """The text of a chat model's message, gone wrong inside."""
    answers = json.loads(text)
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        answers = _with_fault(answers, chance)
    changed = json.dumps(answers).encode()
    if chance.random() < 0.3:
        changed = chance.choice(BYTE_FAULTS)(changed, chance)
    text = changed.decode("utf-8", "replace")
    around = (
        "{}",
        "{}",
        "```json\n{}\n```",
        "```{}```",
        "Sure: {}",
        "<think>a</think>{}",
        "```\n```\n{}\n```\n```",
    )
    text = chance.choice(around).replace("{}", text)
    return [{"type": "text", "text": text}] if chance.random() < 0.1 else text


def _declined(content: Any, chance: random.Random) -> Any:
    return {
        **(content if isinstance(content, dict) else {}),
        "choices": [
            {
                "finish_reason": chance.choice(("content_filter", "length", "error", "stop", 3)),
                "message": {"content": None, "refusal": chance.choice(("I\nwill not", "", None, 4))},
            }
        ],
    }


# Faults of structure


def _with_fault(content: Any, chance: random.Random) -> Any:
    """The same JSON with one value replaced, dropped, renamed, added, copied or buried somewhere."""
    places = list(_places(content))
    if not places:
        return deepcopy(chance.choice(HOSTILE))
    holder, key = chance.choice(places)
    how = chance.randrange(12)
    if how < 6:
        holder[key] = deepcopy(chance.choice(HOSTILE))
    elif how == 6:
        del holder[key]
    elif how == 7 and isinstance(holder, dict):
        holder[chance.choice(("noul", "", "0", "approve", "\ud83d", "x" * 300))] = holder.pop(key)
    elif how == 8 and isinstance(holder, dict):
        holder[f"more{chance.randrange(3)}"] = deepcopy(chance.choice(HOSTILE))
    elif how == 9:
        other, place = chance.choice(places)
        holder[key] = deepcopy(other[place])
    elif how == 10:
        holder[key] = str(holder[key])
    elif chance.random() < 0.1:
        return [content]
    else:
        holder[key] = [holder[key]]
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(content, dict):
        pairs = list(content.items())
    elif isinstance(content, list):
        pairs = list(enumerate(content))
    for key, value in pairs:
        yield content, key
        yield from _places(value)


# Faults of bytes


def _cut(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body) + 1)]


def _flip(body: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(body or b"{")
    damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    return bytes(damaged)


def _break_utf8(body: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(body) + 1)
    return body[:at] + chance.choice((b"\xff\xfe", b"\xc3", b"\xed\xa0\xbd", b"\x00")) + body[at:]


def _repeat_key(body: bytes, chance: random.Random) -> bytes:
    keys = list(_KEY.finditer(body))
    if not keys:
        return body
    key = chance.choice(keys)
    value = json.dumps(chance.choice(HOSTILE)).encode()
    return body[: key.start()] + key[0] + value + b", " + body[key.start() :]


def _bury(body: bytes, chance: random.Random) -> bytes:
    depth = chance.choice((3, 200, 3000))
    opening, closing = chance.choice(((b"[", b"]"), (b'{"answers": ', b"}"), (b'{"error": ', b"}")))
    return opening * depth + body + closing * depth


def _huge_number(body: bytes, chance: random.Random) -> bytes:
    return re.sub(rb"0\.\d+", chance.choice((b"9" * 5000, b"1e999", b"-1e-999", b"0" * 9)), body, count=1)


def _page(body: bytes, chance: random.Random) -> bytes:
    return chance.choice(
        (b"<html>413</html>", b"", b" \n", b"null", b"[]", b"OK", b'"', b"\x1f\x8b\x08", body * 2)
    )


BYTE_FAULTS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut,
    _cut,
    _flip,
    _break_utf8,
    _repeat_key,
    _repeat_key,
    _bury,
    _huge_number,
    _page,
)
