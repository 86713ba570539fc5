"""The file around an archive's lines: one member of gzip that says neither when nor where it was made."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO

from jevbias.errors import ArchiveError
from jevbias.store.archive.records import LONGEST_LINE

MOST_TIMES = 400
"""How many times its size an archive may unpack to. Real ones come to some 15 times with answers and to less
than 100 without; a bomb to 1,000.
"""

_MAGIC = b"\x1f\x8b"
_READ = 2**16
_FULL = bytes(2**20)


def pack_lines(lines: Iterable[bytes], file: IO[bytes]) -> None:
    """Write lines as an archive: the same lines give the same bytes."""
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        for line in lines:
            packed.write(line)


def unpack_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of an archive with their numbers, from 1, and without their ends; never more than one of them
    is held.

    Raises ArchiveError for what is no whole archive: no regular file, not gzip, damaged, cut short, followed
    by something else, with an endless line, or unpacking to more than any run does.
    """
    number, rest = 0, bytearray()
    for block in _unpacked(path):
        start = len(rest)
        rest += block
        first = 0
        while (end := rest.find(b"\n", max(first, start))) != -1:
            number += 1
            yield number, bytes(rest[first:end])
            first = end + 1
        del rest[:first]
        if len(rest) > LONGEST_LINE:
            raise ArchiveError("is longer than any line of an archive", path=path, line=number + 1)
    if rest:
        raise ArchiveError("is cut short", path=path, line=number + 1)


def _unpacked(path: Path) -> Iterator[bytes]:
    packed, unpacked = 0, 0
    inflater = zlib.decompressobj(wbits=31)
    try:
        with _opened(path) as file:
            if file.peek(len(_MAGIC))[: len(_MAGIC)] != _MAGIC:
                raise ArchiveError("is no run archive: it is not packed by gzip", path=path)
            while not inflater.eof:
                read = file.read(_READ)
                if not read:
                    raise ArchiveError("is cut short", path=path)
                packed += len(read)
                block = _FULL
                while read or len(block) == len(_FULL):
                    block = inflater.decompress(read, len(_FULL))
                    read = inflater.unconsumed_tail
                    unpacked += len(block)
                    if unpacked > len(_FULL) + MOST_TIMES * packed:
                        raise ArchiveError(f"unpacks to more than {MOST_TIMES} times its size", path=path)
                    yield block
            if inflater.unused_data or file.read(1):
                raise ArchiveError("goes on after its end", path=path)
    except zlib.error as error:
        what = str(error).partition(":")[2].strip() or "not what gzip writes"
        raise ArchiveError(f"is damaged: {what}", path=path) from None
    except OSError as error:
        raise ArchiveError(f"cannot be read: {error.strerror or error}", path=path) from None


def _opened(path: Path) -> BufferedReader:
    try:
        # What is no file may keep an open waiting for ever, and cannot be read twice.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ArchiveError("is no file; give an archive, such as run.jsonl.gz", path=path)
    except ValueError:
        raise ArchiveError("is no file name", path=path) from None
    return open(path, "rb")
