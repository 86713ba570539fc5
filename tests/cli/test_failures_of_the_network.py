"""A model whose host name means nothing: one line, nothing burnt, and the run goes on once it does."""

from __future__ import annotations

from tests.cli.conftest import Jevbias

RUN = ("run", "--driver", "jev", "--name", "mine", "--max-attempts", "1", "--yes")


def test_a_host_that_cannot_be_resolved_stops_the_run_in_one_line(jevbias: Jevbias) -> None:
    ended = jevbias(*RUN, TYPESAFE_BASE_URL="http://model.invalid", TYPESAFE_API_KEY="sk-0123456789abcdef")
    assert ended.code == 1
    (line,) = [line for line in ended.err.splitlines() if line.startswith("stopped: ")]
    assert line.startswith(
        "stopped: http://model.invalid cannot be reached: the host name cannot be resolved ("
    )
    assert "15 pending; `jevbias run --resume mine` goes on" in ended.err.splitlines()
    status = jevbias("status", "--json").json
    assert status["by_status"]["pending"] == 15
    assert (status["sends"], status["possible_sends"], status["failures"]) == (0, 0, {})
