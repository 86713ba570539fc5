"""Files of effects: read strictly, held against the catalogue, faults with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import CatalogueError
from jevbias.mock.effects import Effect, load_effects


def test_the_shipped_effects_are_one_religion_and_one_name_culture(catalogue: Catalogue) -> None:
    effects = load_effects(None, catalogue)
    assert [(effect.attribute, effect.size) for effect in effects] == [
        ("religion", -0.06),
        ("name_culture", -0.05),
    ]
    assert all(effect.scenario is effect.question is effect.condition is None for effect in effects)


def test_a_file_may_narrow_an_effect(catalogue: Catalogue, tmp_path: Path) -> None:
    path = tmp_path / "effects.yaml"
    person, where = "attribute: gender, level: woman", "scenario: lending, question: limit, condition: full"
    path.write_text(f"effects:\n  - {{{person}, size: 0.1, {where}}}\n")
    effect = Effect(
        attribute="gender", level="woman", size=0.1, scenario="lending", question="limit", condition="full"
    )
    assert load_effects(path, catalogue) == [effect]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("effects:\n  - {attribute: religio, level: muslim, size: -0.1}\n", 2, "religion"),
        ("effects:\n  - attribute: religion\n    level: jedi\n    size: -0.1\n", 3, "muslim"),
        ("effects:\n  - attribute: religion\n    level: muslim\n    size: -6%\n", 4, "number"),
        ("effects:\n  - attribute: religion\n    level: muslim\n    size: -6\n", 4, "-1"),
        ("effects:\n  - attribute: religion\n    level: muslim\n    siz: -0.1\n", 4, "size"),
        ("effects:\n  - {attribute: religion, level: muslim}\n", 2, "size"),
        ("effects:\n  - {attribute: gender, level: man, size: 0.1, scenario: landing}\n", 2, "lending"),
        ("effects:\n  - {attribute: gender, level: man, size: 0.1, question: limits}\n", 2, "limit"),
        ("effects:\n  - {attribute: gender, level: man, size: 0.1, condition: blind}\n", 2, "blind"),
        (
            "effects:\n  - {attribute: religion, level: sikh, size: 0.1, condition: name_only}\n",
            2,
            "name_only",
        ),
        ("effects:\n  - {attribute: religion, level: sikh, size: 0.1, size: 0.2}\n", 2, "duplicate"),
        ("effects:\n  - {attribute: typeface, level: not_stated, size: 0.1}\n", 2, "not there"),
        ("effect: []\n", 1, "effects"),
        ("", 1, "effects"),
        ("effects: [\n", None, "YAML"),
    ],
)
def test_a_fault_names_file_line_and_what_is_allowed(
    catalogue: Catalogue, tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    path = tmp_path / "effects.yaml"
    path.write_text(text)
    with pytest.raises(CatalogueError) as caught:
        load_effects(path, catalogue)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert said in str(caught.value)
    assert line is None or caught.value.line == line


def test_a_file_that_is_not_there_is_one_line(catalogue: Catalogue, tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no such file"):
        load_effects(tmp_path / "none.yaml", catalogue)
