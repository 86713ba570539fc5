"""JSON that was cut off is told from JSON that is wrong."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drivers.json_text import REPEATED, BrokenJson, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=3), st.booleans())
def test_every_beginning_of_an_object_ends_early(content: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(content, ensure_ascii=ascii_only)
    for length in range(len(text)):
        with pytest.raises(BrokenJson) as broken:
            read_json(text[:length])
        assert broken.value.ends_early, text[:length]


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1}}',
        '{"a" 1}',
        "{a:1}",
        "{'a':1}",
        '{"a":1,}',
        '{"a":[}',
        '{"a":nul}',
        "{} {}",
        '{"a":tru,"b":1}',
    ],
)
def test_what_no_more_text_could_mend_does_not_end_early(text: str) -> None:
    with pytest.raises(BrokenJson) as broken:
        read_json(text)
    assert not broken.value.ends_early


def test_what_nests_too_deep_is_broken_and_a_repeated_key_is_marked() -> None:
    with pytest.raises(BrokenJson):
        read_json('{"a":' * 100_000)
    assert read_json('{"a": 1, "b": 2, "a": 1}') == {"a": REPEATED, "b": 2}
