"""The trace command as the page writes it: what a shell reads as two words, whatever is in them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from jevbias.publish.tracing import trace_command
from tests.publish.conftest import Visiting, made_report
from tests.publish.reports import HOSTILE


def test_an_ordinary_id_is_written_as_it_is() -> None:
    command = trace_command("full/religion=muslim/hiring_screen.advance", "jev-latest-deep")
    assert command == "jevbias trace full/religion=muslim/hiring_screen.advance --run jev-latest-deep"


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_text_breaks_out_of_its_word(identifier: str, run: str) -> None:
    words = shlex.split(trace_command(identifier, run))
    assert words[:2] == ["jevbias", "trace"]
    assert words[3] == "--run"
    assert len(words) == 5


def test_nothing_that_steers_a_terminal_is_copied() -> None:
    command = trace_command(f"full/name=مهند{HOSTILE}", HOSTILE)
    assert command.isprintable()
    assert "مهند" in command


@pytest.mark.browser
def test_opened_figures_and_rows_offer_their_command_and_copy_it(visit: Visiting) -> None:
    page = visit("sampler").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#pooled-table summary").first.click()
    page.locator("#pooled-table details[open] .copy-trace").click()
    first = page.locator("#pooled-table tbody tr").first.get_attribute("id")
    run = made_report("sampler").run.name
    assert page.evaluate("navigator.clipboard.readText()") == f"jevbias trace {first} --run {run}"
    row = page.locator(".validity tbody tr").first
    row.locator(".copy-trace").focus()
    page.keyboard.press("Enter")
    expect(row.locator(".copy-trace")).to_have_text("copied")
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == f"jevbias trace {row.get_attribute('id')} --run {run}"
    )


@pytest.mark.browser
def test_the_page_writes_hostile_commands_as_the_server_does(visit: Visiting) -> None:
    page = visit("hostile").page
    written = page.locator("#pooled-table dd code").first.text_content()
    page.locator("#questions-table summary").first.click()
    built = page.locator("#questions-table dd code").first.text_content()
    run = trace_command("x", made_report("hostile").run.name).removeprefix("jevbias trace x")
    for command in (written, built):
        assert command is not None
        assert command.endswith(run)
        assert len(shlex.split(command)) == 5
