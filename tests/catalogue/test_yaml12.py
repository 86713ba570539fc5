"""Reading YAML as YAML 1.2, strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue import core_schema
from jevbias.catalogue.keypath import YamlValue, dotted, one_line
from jevbias.catalogue.yaml12 import MAX_BYTES, YamlDocument, read_yaml


@pytest.fixture(params=["libyaml", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with both parsers: the fallback must read every file alike."""
    if request.param == "pure":
        monkeypatch.setattr(core_schema, "_Loader", core_schema._PurePythonLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML without libyaml")
    return str(request.param)


def document(tmp_path: Path, content: str | bytes) -> YamlDocument:
    path = tmp_path / "file.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_yaml(path)


def only_error(read: YamlDocument) -> str:
    assert len(read.errors) == 1
    message = str(read.errors[0])
    assert message.splitlines() == [message]
    assert message.startswith(str(read.path))
    return message.removeprefix(f"{read.path}:")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("plain", "value"),
    [
        *((word, word) for word in ("no", "No", "NO", "yes", "Yes", "on", "On", "off", "y", "n", "Y", "N")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, None) for word in ("null", "Null", "NULL", "~", "")),
        ("tRue", "tRue"),
        ("nUll", "nUll"),
        ("010", 10),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("190:20:30", "190:20:30"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1.5E-2", 0.015),
        ("190:20:30.15", "190:20:30.15"),
        ("1.2.3", "1.2.3"),
        ("2026-09-20", "2026-09-20"),
        ("2026-09-20T10:00:00Z", "2026-09-20T10:00:00Z"),
        ("+", "+"),
        ("=", "="),
        ("<<", "<<"),
        ('"no"', "no"),
        ("'true'", "true"),
        ("'12'", "12"),
        ('""', ""),
        ("!!str true", "true"),
        ("!!str 12", "12"),
        ("!!int 12", 12),
        ("|\n  two\n  lines\n", "two\nlines\n"),
        ("Zoë d'Île 李", "Zoë d'Île 李"),
    ],
)
def test_a_scalar_is_what_the_core_schema_of_yaml_1_2_says(
    tmp_path: Path, plain: str, value: YamlValue
) -> None:
    read = document(tmp_path, f"key: {plain}\n")
    assert read.errors == ()
    assert read.data == {"key": value}
    assert isinstance(read.data, dict)
    assert type(read.data["key"]) is type(value)


@pytest.mark.usefixtures("parser")
def test_keys_are_text_as_written(tmp_path: Path) -> None:
    read = document(tmp_path, "{true: a, no: b, 12: c, ~: d, 010: e, 2026-09-20: f, null: g, <<: h}")
    assert read.errors == ()
    assert read.data == dict(
        zip(["true", "no", "12", "~", "010", "2026-09-20", "null", "<<"], "abcdefgh", strict=True)
    )


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "3: a: duplicate key; 'a' is already given on line 1"),
        ("x:\n  'no': 1\n  no: 3\n", "3: x.no: duplicate key; 'no' is already given on line 2"),
        ("a: &b 1\nc: *b\n", "2: c: an alias (*name) is not allowed; write the value out again"),
        ("a: &b\n  c: *b\n", "2: a.c: an alias (*name) is not allowed; write the value out again"),
        ("a: .nan\n", "1: a: .nan is not a finite number; quote it to make it text"),
        ("a:\n- 1\n- -.inf\n", "3: a[1]: -.inf is not a finite number; quote it to make it text"),
        ("a: 1e999\n", "1: a: 1e999 is not a finite number; quote it to make it text"),
        (f"a: {2**53 + 1}\n", "1: a: the number is too large; quote it to make it text"),
        ("a: " + "9" * 6000, "1: a: the number is too large; quote it to make it text"),
        ('a: "x\\u001bx"\n', "1: a: the text holds the control character U+001B"),
        ('a: "x\\0"\n', "1: a: the text holds the control character U+0000"),
        ('"a\\e": 1\n', "1: the key 'a ' holds a control character"),
        ("? [a]\n: 1\n", "1: a key must be plain text"),
        ("&k a: 1\n? *k\n: 2\n", "1: a key must be plain text"),
        (
            "a: !!python/object/apply:os.system [ls]\n",
            "1: a: the tag tag:yaml.org,2002:python/object/apply:os.system is not allowed",
        ),
        ("a: !secret x\n", "1: a: the tag !secret is not allowed here"),
        ("a: !!binary aGk=\n", "1: a: the tag tag:yaml.org,2002:binary is not allowed here"),
        ("a: !!int many\n", "1: a: the tag tag:yaml.org,2002:int is not allowed here"),
        ("a: !!set {b, c}\n", "1: a: the tag tag:yaml.org,2002:set is not allowed"),
    ],
)
def test_what_a_catalogue_has_no_use_for_is_refused_at_its_line(
    tmp_path: Path, content: str, message: str
) -> None:
    assert only_error(document(tmp_path, content)) == message


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("content", "line", "part"),
    [
        ("a: 1\nb: [1, 2\n", 3, "not valid YAML: "),
        ("a: 'x\n", 2, "not valid YAML: "),
        ("a:\n\t- b\n", 2, "; indent with spaces, not tabs"),
        ("a: b\ndirection: -\n", 2, "; a lone - must be quoted: '-'"),
        ("a: one: two\n", 1, "; quote a text that contains ': '"),
        ("a: 1\n---\nb: 2\n", 2, "expected a single document"),
        ("a: *nowhere\n", 1, "undefined alias"),
        ("%YAML 3.0\n---\na: 1\n", 1, "incompatible YAML document"),
        (b"a: 1\nb: caf\xe9\n", 2, "is not UTF-8 text; save the file as UTF-8"),
        ("a: 1".encode("utf-16"), 1, "is not UTF-8 text"),
        ("a: 1\nb: \x07\n", 2, "holds the control character U+0007, which YAML does not allow"),
    ],
)
def test_what_is_not_yaml_is_one_line_with_its_number(
    tmp_path: Path, content: str | bytes, line: int, part: str
) -> None:
    read = document(tmp_path, content)
    message = only_error(read)
    assert read.data is None
    assert part in message
    assert message.startswith(f"{line}: ")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("content", ['a: "\\ud800"\n', 'a: "\\U00110000"\n'])
def test_an_escape_that_is_no_character_is_refused(tmp_path: Path, content: str) -> None:
    only_error(document(tmp_path, content))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "content",
    ["[" * 1200, "a: " + "[" * 500 + "]" * 500, "".join(f"{' ' * i}a:\n" for i in range(60)), "- " * 3000],
)
def test_deep_nesting_is_refused_and_exhausts_nothing(tmp_path: Path, content: str) -> None:
    only_error(document(tmp_path, content))


@pytest.mark.usefixtures("parser")
def test_aliases_cannot_blow_up(tmp_path: Path) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(
        f"{k}: &{k} [{', '.join([f'*{j}'] * 9)}]\n" for j, k in zip("abcdefgh", "bcdefghi", strict=True)
    )
    read = document(tmp_path, bomb)
    assert len(read.errors) == 8 * 9
    assert "an alias" in str(read.errors[0])


@pytest.mark.usefixtures("parser")
def test_every_path_has_the_line_of_its_key_or_item(tmp_path: Path) -> None:
    read = document(
        tmp_path, "# head\na:\n  b: >\n    folded\n    text\n\n  c:\n  - 1\n  - d: {e: 1,\n      f: 2}\n"
    )
    assert read.lines == {
        (): 2,
        ("a",): 2,
        ("a", "b"): 3,
        ("a", "c"): 7,
        ("a", "c", 0): 8,
        ("a", "c", 1): 9,
        ("a", "c", 1, "d"): 9,
        ("a", "c", 1, "d", "e"): 9,
        ("a", "c", 1, "d", "f"): 10,
    }
    assert read.line(("a", "c", 1, "missing")) == 9
    assert read.line(("missing",)) == 2


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    read = document(tmp_path, b"\xef\xbb\xbfa: 1\r\nb: x\r\n")
    assert read.errors == ()
    assert read.data == {"a": 1, "b": "x"}


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", "---\n", "null\n", "~\n"])
def test_an_empty_file_holds_nothing(tmp_path: Path, content: str) -> None:
    read = document(tmp_path, content)
    assert (read.data, read.errors) == (None, ())


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "large.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    expected = {
        "folder.yaml": "is a folder, not a file",
        "absent.yaml": "no such file",
        "large.yaml": "is larger than 4 MB",
        "nul\0.yaml": "",
        "x" * 300 + ".yaml": "",
    }
    for name, message in expected.items():
        read = read_yaml(tmp_path / name)
        assert read.data is None
        assert len(read.errors) == 1
        assert message in str(read.errors[0])


def test_an_unreadable_file_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file.yaml").write_text("a: 1\n")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert str(read_yaml(tmp_path / "file.yaml").errors[0]).endswith("cannot be read: Permission denied")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.binary(max_size=120) | st.text(alphabet="ab:- \n\t[]{}&*!|>'\"%@#,?0.~", max_size=60).map(str.encode)
)
def test_any_bytes_are_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    read = document(tmp_path_factory.getbasetemp(), content)
    for error in read.errors:
        assert len(str(error).splitlines()) == 1
        assert str(error).isprintable()
    assert read.data is None or read.errors or isinstance(read.data, dict | list | str | int | float | bool)


def test_a_message_shows_any_text_in_one_printable_line() -> None:
    assert one_line("a\nb\x1b[31m\u202e c") == "a b [31m  c"
    assert len(one_line("x" * 500)) == 60
    assert dotted(("questions", "a b\n", "criteria", 2)) == "questions.a b.criteria[2]"
