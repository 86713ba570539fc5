"""A file that is cut short, goes on, unpacks to more than any run, or is no file at all, is refused."""

from __future__ import annotations

import gzip
import json
import os
import random
import zlib
from pathlib import Path

import pytest

from jevbias.store.archive.packed_file import MOST_TIMES
from jevbias.store.archive.records import LONGEST_LINE
from tests.store.archive.files import at, packed, refused, written


@pytest.mark.parametrize("line", [1, 2, -2, -1])
def test_a_file_that_ends_too_soon_at_a_line(worn_archive: bytes, tmp_path: Path, line: int) -> None:
    lines = gzip.decompress(worn_archive).splitlines()[:line]
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(packed(lines))
    assert refused(path) == f":{len(lines) + 1}: is cut short: the last line is missing"


def test_a_file_that_ends_within_a_line(worn_archive: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    text = gzip.decompress(worn_archive)
    path.write_bytes(gzip.compress(text[:-1]))
    assert refused(path).endswith(": is cut short")
    path.write_bytes(gzip.compress(b""))
    assert refused(path) == ":1: is cut short: the last line is missing"


@pytest.mark.parametrize("left", [0, 1, 2, 9, 10, 1000, -9, -8, -1])
def test_a_truncated_file(worn_archive: bytes, tmp_path: Path, left: int) -> None:
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(worn_archive[:left])
    assert refused(path)[-12:] in ("is cut short", "cked by gzip")


def test_what_follows_the_end(worn_archive: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    for more in (b"\x00", b"garbage", worn_archive, gzip.compress(b"")):
        path.write_bytes(worn_archive + more)
        assert refused(path) == ": goes on after its end"
    text = gzip.decompress(worn_archive)
    path.write_bytes(gzip.compress(text + text.splitlines()[-1] + b"\n"))
    assert refused(path).endswith(": comes after the end")


def test_several_members_that_make_one_archive(worn_archive: bytes, tmp_path: Path) -> None:
    text = gzip.decompress(worn_archive)
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(text[:5000]) + gzip.compress(text[5000:]))
    assert refused(path) == ": goes on after its end"


def test_a_bomb_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    with path.open("wb") as file:
        for _ in range(200):
            file.write(bomb.compress(bytes(2**20)))
        file.write(bomb.flush())
    assert refused(path) in (
        ":1: is longer than any line of an archive",
        f": unpacks to more than {MOST_TIMES} times its size",
    )


def test_a_line_longer_than_any_is_not_held(worn_archive: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    noise = random.Random(1).randbytes(LONGEST_LINE // 2).hex().encode()
    path.write_bytes(gzip.compress(noise + b"00", compresslevel=1))
    assert refused(path) == ":1: is longer than any line of an archive"


def test_a_bomb_of_many_good_lines(worn_archive: bytes, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in gzip.decompress(worn_archive).splitlines()]
    batch = at(lines, "batch")
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    path = tmp_path / "run.jsonl.gz"
    with path.open("wb") as file:
        file.write(bomb.compress(b"".join(map(written, lines[:3]))))
        for number in range(30):
            file.write(bomb.compress(written({**batch, "number": number, "error": 10**6 * "x"})))
        file.write(bomb.flush())
    assert refused(path) == f": unpacks to more than {MOST_TIMES} times its size"


def test_what_is_no_file(tmp_path: Path) -> None:
    fifo, folder = tmp_path / "fifo", tmp_path / "folder"
    os.mkfifo(fifo)
    folder.mkdir()
    for path in (fifo, folder):
        assert refused(path) == ": is no file; give an archive, such as run.jsonl.gz"
    assert refused(tmp_path / "missing") == ": cannot be read: No such file or directory"
    text = tmp_path / "text"
    text.write_text("no archive")
    assert refused(text) == ": is no run archive: it is not packed by gzip"
