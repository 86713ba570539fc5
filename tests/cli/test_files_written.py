"""Where `--out` may lead: a file is written whole or not at all, and nothing else is taken the place of."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jevbias.cli.console import write_file
from jevbias.errors import OutputError, UsageError
from tests.cli.conftest import Jevbias

PAGE = b"<!doctype html>" + 100_000 * b"."


@contextmanager
def reader(pipe: Path, found: list[bytes]) -> Iterator[None]:
    """Somebody who reads a pipe to its end."""
    thread = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    thread.start()
    yield
    thread.join(timeout=30)


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    with reader(pipe, found):
        write_file(pipe, PAGE)
    assert found == [PAGE]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize(("minor", "takes"), [(3, True), (7, False)])
def test_a_device_is_written_to_and_stays_one(tmp_path: Path, minor: int, takes: bool) -> None:
    device = tmp_path / "device"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        os.close(os.open(device, os.O_WRONLY))
    except OSError:
        pytest.skip("no devices can be made here")
    if takes:
        write_file(device, PAGE)
    else:
        with pytest.raises(OutputError, match="device: cannot be written: No space left on device") as caught:
            write_file(device, PAGE)
        assert caught.value.exit_code == 1
    assert stat.S_ISCHR(device.lstat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


def test_a_socket_takes_nothing_and_stays_one(tmp_path: Path) -> None:
    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        with pytest.raises(OutputError, match="socket: cannot be written"):
            write_file(place, PAGE)
    assert stat.S_ISSOCK(place.lstat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one_and_its_target_is_written(tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "site" / "page.html", tmp_path / "page.html"
    if there:
        target.parent.mkdir()
        target.write_bytes(b"old")
    link.symlink_to(target)
    write_file(link, PAGE)
    assert link.is_symlink()
    assert target.read_bytes() == PAGE
    assert list(target.parent.iterdir()) == [target]


def test_links_in_a_circle_lead_nowhere_and_stay(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(UsageError, match="one: cannot be written"):
        write_file(one, PAGE)
    assert sorted(tmp_path.iterdir()) == [one, other]


@pytest.mark.parametrize(("command", "way"), [("analyse", "--json"), ("publish", "--out /dev/stdout")])
def test_a_dash_is_no_file_and_the_way_to_stdout_is_named(
    jevbias: Jevbias, tmp_path: Path, command: str, way: str
) -> None:
    refused = jevbias(command, "--out", "-")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == f"jevbias: --out: '-' is no file; {way} prints to stdout\n"
    assert list(tmp_path.iterdir()) == []
