"""Every rule of the catalogue's files, broken in one place of a small catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from jevbias.catalogue.load import load_catalogue, validate_catalogue, validate_file
from jevbias.errors import CatalogueError
from tests.catalogue.broken import RULES, SHAPE
from tests.catalogue.small import TEXTS, line_of, write_catalogue


def test_the_small_catalogue_breaks_no_rule(tmp_path: Path) -> None:
    root = write_catalogue(tmp_path)
    assert validate_catalogue(root) == []
    catalogue = load_catalogue(root)
    assert list(catalogue.scenarios) == ["lend_book"]
    assert list(catalogue.profiles) == ["look", "crowd"]
    assert catalogue.attributes["religion"].levels["none"].phrase is None
    assert catalogue.attributes["religion"].levels["sikh"].phrase == "Sikh"
    assert catalogue.attributes["age_band"].levels["young"].range == (20, 30)
    assert list(catalogue.person_attributes) == [key for key in catalogue.attributes if key != "folder"]


def errors_of(root: Path) -> list[str]:
    found = validate_catalogue(root)
    for error in found:
        assert len(str(error).splitlines()) == 1
        assert str(error).startswith(str(error.path))
    return [str(error).removeprefix(f"{root}/") for error in found]


def broken(root: Path, stem: str, old: str, new: str) -> tuple[int, list[str]]:
    """The line of `old` in its file, and the errors after it was replaced by `new`."""
    _, text = TEXTS[stem]
    line = line_of(text, old)
    write_catalogue(root, **{stem: text.replace(old, new)})
    return line, errors_of(root)


def placed(message: str, line: int) -> str:
    """A message of `broken.py` after the number of the line it is about."""
    shift, _, rest = message.partition(" ")
    if shift[0] == "=":
        return f"{shift[1:]}: {rest}"
    return f"{line + int(shift)}: {rest}" if shift[0] in "+-" else f"{line}: {message}"


@pytest.mark.parametrize(
    ("stem", "old", "new", "expected"), [(*case[:3], case[3:]) for case in SHAPE + RULES]
)
def test_a_broken_rule_is_one_line_with_file_line_key_and_what_is_allowed(
    tmp_path: Path, stem: str, old: str, new: str, expected: tuple[str, ...]
) -> None:
    line, errors = broken(tmp_path, stem, old, new)
    wanted = [f"{TEXTS[stem][0]}:{placed(message, line)}" for message in expected]
    assert errors == wanted
    with pytest.raises(CatalogueError) as raised:
        load_catalogue(tmp_path)
    assert str(raised.value) == f"{tmp_path}/{wanted[0]}"
    assert raised.value.exit_code == 2


def without(text: str, start: str, end: str) -> str:
    return text[: text.index(start)] + text[text.index(end) :]


def test_a_catalogue_may_lack_ages_and_heights(tmp_path: Path) -> None:
    attributes = without(TEXTS["attributes"][1], "  age_band", "  folder")
    attributes = attributes.replace("age_band: [minor, young]", "gender: [woman]")
    assert errors_of(write_catalogue(tmp_path, attributes=attributes)) == []


def test_a_build_needs_a_height(tmp_path: Path) -> None:
    attributes = without(TEXTS["attributes"][1], "  height_band", "  build")
    (error,) = errors_of(write_catalogue(tmp_path, attributes=attributes))
    assert "attributes.build.measure: bmi needs an attribute that measures height" in error


def test_one_attribute_at_most_is_carried_by_the_name_and_one_measures_a_thing(tmp_path: Path) -> None:
    attributes = TEXTS["attributes"][1].replace(
        "label: Height", "label: Height\n    carried_by: name_and_field"
    )
    attributes = attributes.replace("measure: height", "measure: age")
    attributes = without(attributes, "  build", "  folder")
    errors = errors_of(write_catalogue(tmp_path, attributes=attributes))
    assert any("carried_by: 'gender' is already carried by name_and_field" in error for error in errors)
    assert any("measure: 'age_band' already measures age" in error for error in errors)


def test_placebos_need_an_attribute_of_that_role(tmp_path: Path) -> None:
    attributes = without(TEXTS["attributes"][1], "  folder", "incompatible")
    profile = TEXTS["look"][1] + "placebos: true\n"
    (error,) = errors_of(write_catalogue(tmp_path, attributes=attributes, look=profile))
    assert error == (
        "profiles/look.yaml:11: placebos: expected false, "
        "as no attribute of the catalogue has 'role: placebo'"
    )
    assert errors_of(write_catalogue(tmp_path, look=profile)) == []


def test_the_profile_that_confirm_fills_in_may_wait_for_it(tmp_path: Path) -> None:
    text = TEXTS["look"][1].replace("swept: [gender, religion]", "swept: hypotheses")
    text = text.replace("replicate_subjects: 2", "replicate_subjects: 500").replace("[glance]", "[]")
    path = write_catalogue(tmp_path) / "profiles" / "confirm.yaml"
    path.write_text(text + "placebos: true\nanchor_in_every_variant: true\n", encoding="utf-8")
    assert errors_of(tmp_path) == []
    assert load_catalogue(tmp_path).profiles["confirm"].swept == "hypotheses"
    assert validate_file(path) == []


def test_without_a_carrier_there_is_one_list_of_names(tmp_path: Path) -> None:
    attributes = without(TEXTS["attributes"][1], "  name_culture", "  religion").replace(
        "by_gender: {man: monk, woman: nun}", "phrase: nun"
    )
    profile = TEXTS["look"][1].replace("[gender, religion]", "[religion]")
    errors = errors_of(write_catalogue(tmp_path, attributes=attributes, look=profile))
    assert [error.split(": ", 1)[1] for error in errors] == [
        "cultures: expected one key, as no attribute of the catalogue has carried_by: name",
        "cultures.plain.first_names: expected one key, as no attribute of the catalogue has "
        "carried_by: name_and_field",
        "cultures.fancy.first_names: expected one key, as no attribute of the catalogue has "
        "carried_by: name_and_field",
    ]
    names = "cultures: {all: {surnames: [Smith], first_names: {anyone: [Robin]}}}\n"
    assert errors_of(write_catalogue(tmp_path, attributes=attributes, look=profile, names=names)) == []


def test_names_are_compared_whatever_their_case_and_unicode_form(tmp_path: Path) -> None:
    names = TEXTS["names"][1].replace("[Jane, Jill]", "[Jane, ZOE\N{COMBINING DIAERESIS}]")
    (error,) = errors_of(write_catalogue(tmp_path, names=names))
    assert "cultures.fancy.first_names.woman[1]: 'Zoë' is already a name of plain" in error


def test_every_fault_of_every_file_is_listed_in_order(tmp_path: Path) -> None:
    write_catalogue(
        tmp_path,
        lend_book=TEXTS["lend_book"][1].replace("domain: libraries", "domain: 3").replace("A paper", "''"),
        attributes=TEXTS["attributes"][1].replace("reference: red", "reference: green"),
        names=None,
        look=TEXTS["look"][1].replace("bases: 2", "bases: 0"),
        crowd=TEXTS["crowd"][1] + "unknown: 1\n",
        prices="prices: 3\n",
    )
    assert [error.split(" ", 1)[0] for error in errors_of(tmp_path)] == [
        "scenarios/lend_book.yaml:2:",
        f"scenarios/lend_book.yaml:{line_of(TEXTS['lend_book'][1], 'A paper')}:",
        f"scenarios/people/attributes.yaml:{line_of(TEXTS['attributes'][1], 'reference: red')}:",
        "scenarios/people/names.yaml:",
        "profiles/crowd.yaml:6:",
        "profiles/look.yaml:4:",
        "profiles/prices/prices.yaml:1:",
    ]
