"""Who holds a lease, and whether they live."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time

import pytest

from jevbias.store.owner import Owner


def test_this_process_lives() -> None:
    me = Owner.current()
    assert me.pid == os.getpid()
    assert me.is_here
    assert not me.is_dead
    assert me.is_alive
    assert Owner.parse(str(me)) == me


def test_a_process_that_has_ended_is_dead_even_while_it_waits_to_be_buried() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = Owner.of(child.pid)
        assert not owner.is_dead
        child.kill()
        for _ in range(500):
            if owner.is_dead:
                break
            time.sleep(0.01)
        assert owner.is_dead, "a zombie does no work"
    assert owner.is_dead


def test_another_process_with_the_same_number_is_not_the_owner() -> None:
    owner = dataclasses.replace(Owner.current(), started="1")
    assert owner.is_dead
    assert not owner.is_alive


def test_nothing_is_known_of_processes_on_other_hosts() -> None:
    far = dataclasses.replace(Owner.current(), host="elsewhere@1", pid=1, started="1")
    assert not far.is_here
    assert not far.is_dead
    assert not far.is_alive


def test_where_the_system_tells_no_starts_a_process_is_neither_dead_nor_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jevbias.store.owner._process_start", lambda pid: "unknown")
    assert not Owner.current().is_dead
    assert not Owner.current().is_alive


@pytest.mark.parametrize("host", ["laptop@4026531836", "host/with/slashes", "a b"])
def test_an_owner_is_read_back_as_it_was_written(host: str) -> None:
    owner = Owner(host, 12, "345")
    assert Owner.parse(str(owner)) == owner


def test_an_owner_is_named_in_words() -> None:
    assert Owner("laptop@4026531836", 12, "345").described == "process 12 on laptop"
