"""What is exported for mocks that others write."""

from __future__ import annotations

import json

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS
from jevbias.mock.variants import export_variants


def test_the_export_has_every_case_and_every_direction(catalogue: Catalogue) -> None:
    exported = json.loads(json.dumps(export_variants(catalogue)))
    assert list(exported["scenarios"]) == list(catalogue.scenarios)
    for key, scenario in catalogue.scenarios.items():
        found = exported["scenarios"][key]
        assert list(found["variants"]) == list(VARIANTS)
        assert found["variants"] == {name: scenario.variants[name] for name in VARIANTS}
        assert (found["case_key"], found["role_key"]) == (scenario.case_key, scenario.role_key)
        assert found["career_field"] == scenario.career_field
        assert {name: q["direction"] for name, q in found["questions"].items()} == {
            name: q.direction for name, q in scenario.questions.items()
        }


def test_options_are_listed_from_least_to_most_as_probabilities_are_keyed(catalogue: Catalogue) -> None:
    questions = export_variants(catalogue)["scenarios"]["hiring_screen"]["questions"]
    assert questions["advance"]["options"] == ["false", "true"]
    assert questions["competence"]["options"][0] == "0"
    criteria = catalogue.scenarios["hiring_screen"].questions["salary_band"].criteria
    assert questions["salary_band"]["options"] == list(criteria)
