"""Seeded mutations of an archive: none is taken for another run."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.errors import ArchiveError, UsageError
from tests.store.archive.files import export, packed, sign, take_in

MUTATIONS = 60


@pytest.mark.parametrize("signed", [False, True])
def test_no_mutation_is_taken_for_another_run(
    worn_archive: bytes, sqlite: Engine, tmp_path: Path, signed: bool
) -> None:
    """A mutation of the file is refused, or was none: what was imported has the original's archive. One of
    its text that is signed again is refused, or it is what it says: what was imported has its archive."""
    path, again = tmp_path / "run.jsonl.gz", tmp_path / "again.jsonl.gz"
    original = gzip.decompress(worn_archive) if signed else worn_archive
    chance = random.Random(20260920)
    taken, said = 0, []
    for number in range(MUTATIONS):
        mutant = mutated(original, chance)
        path.write_bytes(signed_again(mutant) if signed else mutant)
        name = f"mutant-{number}"
        try:
            take_in(sqlite, path, name)
        except (ArchiveError, UsageError) as error:
            said.append(str(error))
            continue
        taken += 1
        expected = worn_archive if not signed else path.read_bytes()
        found = export(sqlite, again, name)
        assert named_as(gzip.decompress(found), gzip.decompress(expected)) == gzip.decompress(expected)
    assert len(said) > MUTATIONS / 2
    assert taken > 0 or not signed
    assert not any("\n" in line for line in said)


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Content with one stretch changed, doubled, moved or cut out."""
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.choice((1, 1, 1, 2, 8, 200)))
    piece = content[start:end]
    way = chance.randrange(5)
    if way == 0:
        return content[:start] + bytes(byte ^ (1 << chance.randrange(8)) for byte in piece) + content[end:]
    if way == 1:
        return content[:start] + content[end:]
    if way == 2:
        return content[:end] + piece + content[end:]
    if way == 3:
        return content[:start] + bytes(chance.choice(b'0123456789"{}[],:\n') for _ in piece) + content[end:]
    other = chance.randrange(len(content))
    return content[:start] + content[other : other + len(piece)] + content[end:]


def signed_again(text: bytes) -> bytes:
    """The file of a text with its last line signed anew, where the text can be read at all."""
    try:
        lines = [json.loads(line) for line in text.splitlines()]
        sign(lines)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return gzip.compress(text, mtime=0)
    return packed(lines)


def named_as(text: bytes, other: bytes) -> bytes:
    """A text with the name of its run replaced by that in another, and signed again."""
    lines = [json.loads(line) for line in text.splitlines()]
    lines[0]["run"]["name"] = json.loads(other.splitlines()[0])["run"]["name"]
    sign(lines)
    return gzip.decompress(packed(lines))
