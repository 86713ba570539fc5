"""A mock with properties: each is there as given, and none where none is given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import CatalogueError
from jevbias.mock.confidence import confidence_of
from jevbias.mock.known_model import KnownModel, TooManyTokens
from jevbias.mock.model import MockModel
from jevbias.mock.properties import ConfidenceFormula, KnownProperties, load_properties
from tests.conftest import CHECKOUT
from tests.mock.payloads import payload


def known(catalogue: Catalogue, **given: Any) -> KnownModel:
    return KnownModel(catalogue, KnownProperties.model_validate(given), noise=0.0)


def test_without_properties_it_answers_the_catalogue_as_the_plain_mock_does(catalogue: Catalogue) -> None:
    body = payload(catalogue)
    assert known(catalogue).answer(body) == MockModel(catalogue, noise=0.0).answer(body)


def test_it_answers_cases_that_are_not_of_the_catalogue(catalogue: Catalogue) -> None:
    question = {"type": "choice", "instructions": "?", "criteria": {"b": None, "a": None, "c": None}}
    body = json.dumps({"model": "m", "state": "anything", "questions": {"q": question}}).encode()
    answer = known(catalogue).answer(body)["answers"]["q"]
    assert list(answer["probabilities"]) == ["b", "a", "c"]
    assert sum(answer["probabilities"].values()) == pytest.approx(1)


@pytest.mark.parametrize("keeps", ["start", "end", "ends"])
def test_beyond_its_context_it_refuses_or_reads_only_a_part(catalogue: Catalogue, keeps: str) -> None:
    long = payload(
        catalogue, person={"reference": "The candidate", "notes": "x" * 4000 + " first " + "y" * 4000}
    )
    fact = [{"contains": "first", "size": 0.2}]
    tokens = 1 + len(long) // 4
    whole = known(catalogue, context={"tokens": tokens}, facts=fact).answer(long)["answers"]
    assert whole == known(catalogue, facts=fact).answer(long)["answers"]
    with pytest.raises(TooManyTokens) as refused:
        known(catalogue, context={"tokens": tokens - 1}).answer(long)
    assert (refused.value.status, refused.value.content) == (
        400,
        {"detail": {"error_type": "max_tokens_exceeded"}},
    )
    window = {"tokens": tokens - 1300, "beyond": "truncate", "keeps": keeps, "counts": "read"}
    cut = known(catalogue, context=window, facts=fact).answer(long)
    without = known(catalogue).answer(long)["answers"]
    assert cut["usage"]["input_tokens"] == tokens - 1300
    assert cut["answers"] == without, "the fact stands in the middle, and 5,200 bytes are not read"


def test_a_file_of_properties_is_read_and_one_that_is_wrong_is_named_with_its_line(tmp_path: Path) -> None:
    shipped = load_properties(CHECKOUT / "mock" / "properties" / "example.yaml")
    assert shipped.context is not None
    assert (shipped.context.beyond, shipped.confidence) == ("refuse", "entropy")
    path = tmp_path / "wrong.yaml"
    path.write_text("context:\n  tokens: 5\n  beyond: guess\n")
    with pytest.raises(CatalogueError, match=r"wrong.yaml:3: context.beyond"):
        load_properties(path)


def test_its_formulas_are_1_where_nothing_is_open_and_0_where_all_is() -> None:
    formulas: list[ConfidenceFormula] = ["rescaled_top", "margin", "entropy", "spread"]
    for formula in formulas:
        assert confidence_of(formula, [0, 0, 1, 0]) == pytest.approx(1)
    for formula in formulas[:3]:
        assert confidence_of(formula, [0.25] * 4) == pytest.approx(0)
    assert confidence_of("spread", [0.5, 0, 0, 0.5]) == pytest.approx(0)
