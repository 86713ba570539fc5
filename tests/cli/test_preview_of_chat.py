"""What a chat model would be sent, as `preview` shows it."""

from __future__ import annotations

import json

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.chat_prompt import render_chat
from jevbias.plan.preview import Preview, preview_asks
from tests.cli.conftest import Jevbias

CHAT = ("--driver", "openrouter", "--model", "some/model")


def test_raw_is_what_the_driver_sends_and_the_last_line_says_with_which_flags(
    jevbias: Jevbias, catalogue: Catalogue
) -> None:
    shown = jevbias("preview", "--raw", *CHAT, "--reasoning-effort", "low")
    ask = preview_asks(catalogue, Preview(), 20260920).anchor
    assert shown.out.rstrip("\n").encode() == render_chat("openrouter", "some/model", ask, "low")
    assert "as --driver openrouter --model some/model --reasoning-effort low sends it" in shown.err


@pytest.mark.parametrize("driver", ["openrouter", "openai"])
def test_the_messages_are_laid_out_below_the_body_with_the_person_last(jevbias: Jevbias, driver: str) -> None:
    shown = jevbias("preview", "--driver", driver, "--model", "m").out
    body, system = shown.split("\nsystem message:\n")
    system, user = system.split("\nuser message:\n")
    assert list(json.loads(body))[:2] == ["model", "messages"]
    assert "\n<case>\n{\n" in system
    assert list(json.loads(user)) == ["candidate"]


def test_a_swap_shows_as_one_line_of_the_last_message(jevbias: Jevbias) -> None:
    shown = jevbias("preview", *CHAT, "--swap", "religion=muslim")
    changed = [line for line in shown.out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line.split(":")[0].strip('+- "') for line in changed] == ["religion", "religion"]
    assert "Muslim" in changed[1]


def test_a_chat_driver_without_a_model_and_an_effort_for_another_driver_are_refused(jevbias: Jevbias) -> None:
    nobody = jevbias("preview", "--driver", "openai")
    assert (nobody.code, nobody.err.count("\n")) == (2, 1)
    assert "--driver openai needs --model NAME" in nobody.err
    effort = jevbias("preview", "--driver", "jev", "--reasoning-effort", "low")
    assert (effort.code, effort.err.count("\n")) == (2, 1)
    assert "only the drivers openrouter and openai take one" in effort.err
