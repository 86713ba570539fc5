"""The built-in set: enough families, no repeats, and sides that differ in their feature alone."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from jevbias.battery.near_duplicates import near_duplicates
from jevbias.battery.pairs import PairSet, words
from jevbias.battery.read_pairs import load_pairs

NUMBERED = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)


@pytest.fixture(scope="module")
def pairs() -> PairSet:
    return load_pairs(None)


def said(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"\w+", NUMBERED.sub("", text))]


def test_the_built_in_set_is_what_the_report_promises(pairs: PairSet) -> None:
    assert set(pairs.by_axis) >= {
        *("verbosity", "confidence", "formatting", "flattery", "hedging", "jargon", "politeness", "emoji"),
        *("helpfulness", "null"),
    }
    assert pairs.controls == {"helpfulness": "positive", "null": "negative"}
    for axis, own in pairs.by_axis.items():
        families = [pair.family for pair in own]
        sizes = {families.count(family) for family in families}
        assert len(set(families)) >= 24, axis
        assert max(sizes) <= 3, axis
        assert pairs.about[axis]
    assert len(near_duplicates(pairs)) == 0


def test_in_the_built_in_set_length_goes_with_few_features(pairs: PairSet) -> None:
    """Only verbosity is about length; flattery is as long as its plain side, and emoji are no words."""
    by_axis = pairs.by_axis
    change = {
        axis: sum(words(pair.with_feature) - words(pair.without_feature) for pair in own) / len(own)
        for axis, own in by_axis.items()
    }
    assert change["verbosity"] > 30
    assert all(words(p.with_feature) == words(p.without_feature) for p in by_axis["emoji"])
    assert all(abs(change[axis]) <= 1 for axis in ("flattery", "helpfulness", "null", "formatting"))


def test_emoji_and_formatting_keep_every_word(pairs: PairSet) -> None:
    for pair in pairs.by_axis["emoji"]:
        assert said(pair.with_feature) == said(pair.without_feature)
    for pair in pairs.by_axis["formatting"]:
        with_feature, without = (
            [word for word in said(text) if word != "and"]
            for text in (pair.with_feature, pair.without_feature)
        )
        assert with_feature == without


def test_flattery_exchanges_the_opening_sentence_and_nothing_else(pairs: PairSet) -> None:
    for pair in pairs.by_axis["flattery"]:
        openings, rests = zip(
            *(
                re.split(r"(?<=[.!?])\s", text, maxsplit=1)
                for text in (pair.with_feature, pair.without_feature)
            ),
            strict=True,
        )
        assert rests[0] == rests[1]
        assert openings[0] != openings[1]


def test_a_null_edit_changes_three_words_at_most(pairs: PairSet) -> None:
    for pair in pairs.by_axis["null"]:
        one, other = Counter(said(pair.with_feature)), Counter(said(pair.without_feature))
        assert ((one - other) + (other - one)).total() <= 3


def test_courtesies_and_certainty_are_added_to_the_plain_words(pairs: PairSet) -> None:
    for axis in ("politeness", "confidence"):
        for pair in pairs.by_axis[axis]:
            lacking = Counter(said(pair.without_feature)) - Counter(said(pair.with_feature))
            assert lacking.total() <= 0.5 * words(pair.without_feature), pair.id
        kept = [
            not Counter(said(pair.without_feature)) - Counter(said(pair.with_feature))
            for pair in pairs.by_axis[axis]
        ]
        assert sum(kept) >= 0.8 * len(kept)
