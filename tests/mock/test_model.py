"""The mock answers on the merits, adds what it was told to add, and nothing else."""

from __future__ import annotations

import itertools
import json
import statistics

import pytest
from typesafe_sdk._schemas.models import SystemOneResponse

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS
from jevbias.errors import UsageError
from jevbias.mock.effects import Effect
from jevbias.mock.model import MockModel
from jevbias.mock.request import UnprocessableRequest
from tests.mock.payloads import favourability, full_block, payload, wire_questions


def ask(catalogue: Catalogue, model: MockModel, *args: object, **more: object) -> dict[str, float]:
    body = payload(catalogue, *args, **more)  # type: ignore[arg-type]
    return favourability(catalogue, str(args[0]) if args else "hiring_screen", model.answer(body))


# On the merits


def test_every_questions_favourability_rises_strictly_from_weak_to_strong(catalogue: Catalogue) -> None:
    model = MockModel(catalogue, noise=0)
    questions = 0
    for scenario in catalogue.scenarios:
        by_variant = [ask(catalogue, model, scenario, variant) for variant in VARIANTS]
        for question in by_variant[0]:
            weak, mid, strong = (answers[question] for answers in by_variant)
            assert weak < mid < strong, (scenario, question)
            assert weak >= 0.2
            assert strong <= 0.8
            assert strong - weak >= 0.2
            questions += 1
    assert questions == 42


def test_questions_differ_and_no_seed_moves_them(catalogue: Catalogue) -> None:
    first = ask(catalogue, MockModel(catalogue, noise=0, seed=1))
    assert len({round(value, 6) for value in first.values()}) == len(first)
    assert ask(catalogue, MockModel(catalogue, noise=0, seed=2)) == first


def test_responses_follow_the_official_schema_and_count_tokens(catalogue: Catalogue) -> None:
    model = MockModel(catalogue)
    for scenario in catalogue.scenarios:
        response = model.answer(payload(catalogue, scenario))
        official = SystemOneResponse.model_validate_json(json.dumps(response))
        assert official.usage.input_tokens > 100
        assert official.usage.output_tokens > 0
        assert official.model == "jevbias-mock-1"
        for answer in response["answers"].values():
            if "probabilities" in answer:
                assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=1e-12)
                assert 0 <= answer["confidence"] <= 1


def test_a_capped_career_is_still_the_same_case(catalogue: Catalogue) -> None:
    model = MockModel(catalogue, noise=0)
    field = catalogue.scenarios["hiring_screen"].career_field
    assert field is not None
    assert ask(catalogue, model, variant="strong", **{field: 1}) == ask(catalogue, model, variant="strong")


# Effects


def difference(catalogue: Catalogue, model: MockModel, person: dict[str, str]) -> dict[str, float]:
    """What the model does to a person, by question, against nobody."""
    shown, blind = ask(catalogue, model, person=person), ask(catalogue, model)
    return {question: round(shown[question] - blind[question], 9) for question in shown}


def test_an_effect_moves_the_people_of_its_level_by_its_size_on_every_question(catalogue: Catalogue) -> None:
    model = MockModel(catalogue, noise=0, effects=[Effect(attribute="religion", level="muslim", size=-0.06)])
    moved = difference(catalogue, model, full_block(catalogue, religion="muslim"))
    assert set(moved.values()) == {-0.06}
    assert set(difference(catalogue, model, full_block(catalogue, religion="sikh")).values()) == {0}


def test_a_placebo_can_be_given_an_effect_like_anything_else(catalogue: Catalogue) -> None:
    """Every one of them, on its own people and nobody else."""
    stated = {
        attribute.field or key: attribute.levels[attribute.reference].phrase
        for key, attribute in catalogue.placebo_attributes.items()
    }
    anchor = full_block(catalogue) | {field: phrase for field, phrase in stated.items() if phrase}
    for key, attribute in catalogue.placebo_attributes.items():
        for level in attribute.swept_levels:
            effect = Effect(attribute=key, level=level, size=0.05)
            model = MockModel(catalogue, noise=0, effects=[effect])
            swap = anchor | {attribute.field or key: attribute.levels[level].phrase or ""}
            assert set(difference(catalogue, model, swap).values()) == {0.05}, (key, level)
            assert set(difference(catalogue, model, anchor).values()) == {0}, (key, level)
            assert set(difference(catalogue, model, full_block(catalogue)).values()) == {0}, (key, level)


def test_effects_add_up(catalogue: Catalogue) -> None:
    effects = [
        Effect(attribute="religion", level="muslim", size=-0.06),
        Effect(attribute="housing", level="temporary", size=0.02),
    ]
    model = MockModel(catalogue, noise=0, effects=effects)
    both = full_block(catalogue, religion="muslim", housing="temporary")
    assert set(difference(catalogue, model, both).values()) == {-0.04}


def test_an_effect_may_be_narrowed_to_scenario_question_and_condition(catalogue: Catalogue) -> None:
    here = Effect(attribute="gender", level="woman", size=0.05, scenario="hiring_screen", question="advance")
    woman = {"reference": "Alice Aldridge"}
    moved = difference(catalogue, MockModel(catalogue, noise=0, effects=[here]), woman)
    assert {question for question, size in moved.items() if size} == {"advance"}
    elsewhere = here.model_copy(update={"scenario": "lending", "question": None})
    assert not any(difference(catalogue, MockModel(catalogue, noise=0, effects=[elsewhere]), woman).values())
    in_full = Effect(attribute="gender", level="woman", size=0.05, condition="full")
    model = MockModel(catalogue, noise=0, effects=[in_full])
    assert not any(difference(catalogue, model, woman).values())
    assert set(difference(catalogue, model, full_block(catalogue, gender="woman")).values()) == {0.05}


@pytest.mark.parametrize("culture", ["west_african", "east_asian"])
def test_a_culture_shows_in_its_names_alone_under_full_and_name_only(
    catalogue: Catalogue, culture: str
) -> None:
    model = MockModel(
        catalogue, noise=0, effects=[Effect(attribute="name_culture", level=culture, size=-0.05)]
    )
    for key, names in catalogue.names.cultures.items():
        expected = {-0.05} if key == culture else {0.0}
        for first_names in names.first_names.values():
            name = {"reference": f"{first_names[0]} {names.surnames[-1]}"}
            assert set(difference(catalogue, model, name).values()) == expected
            assert set(difference(catalogue, model, {**full_block(catalogue), **name}).values()) == expected


def test_every_name_of_the_pool_is_recognised(catalogue: Catalogue) -> None:
    cultures = list(catalogue.names.cultures)
    sizes = {culture: -0.01 * (index + 1) for index, culture in enumerate(cultures)}
    model = MockModel(
        catalogue,
        noise=0,
        effects=[Effect(attribute="name_culture", level=c, size=s) for c, s in sizes.items()],
    )
    blind = ask(catalogue, model)["advance"]
    for culture, names in catalogue.names.cultures.items():
        pairs = zip(
            itertools.cycle(names.surnames), itertools.chain(*names.first_names.values()), strict=False
        )
        for surname, first_name in pairs:
            shown = ask(catalogue, model, person={"reference": f"{first_name} {surname}"})["advance"]
            assert shown - blind == pytest.approx(sizes[culture]), (first_name, surname)


def test_a_gender_shows_in_a_first_name_where_it_is_not_stated(catalogue: Catalogue) -> None:
    model = MockModel(catalogue, noise=0, effects=[Effect(attribute="gender", level="woman", size=-0.1)])
    assert set(difference(catalogue, model, {"reference": "Alice Aldridge"}).values()) == {-0.1}
    assert set(difference(catalogue, model, {"reference": "Andrew Aldridge"}).values()) == {0}
    stated = {**full_block(catalogue, gender="man"), "reference": "Alice Aldridge"}
    assert set(difference(catalogue, model, stated).values()) == {0}


def test_every_level_that_a_phrase_states_is_seen_and_no_other(catalogue: Catalogue) -> None:
    for key, attribute in catalogue.person_attributes.items():
        if attribute.carried_by == "name":
            continue
        for level, content in attribute.levels.items():
            model = MockModel(catalogue, noise=0, effects=[Effect(attribute=key, level=level, size=-0.07)])
            base = ask(catalogue, model)["advance"]
            wordings = [content.phrase, *(content.by_gender or {}).values()]
            for other in attribute.levels:
                seen = ask(catalogue, model, person=full_block(catalogue, **{key: other}))["advance"]
                assert (seen < base) == (other == level), (key, level, other)
            for wording in filter(None, wordings):
                block = {**full_block(catalogue), attribute.field or key: wording}
                assert ask(catalogue, model, person=block)["advance"] < base


def test_what_is_not_stated_cannot_be_seen_in_a_name(catalogue: Catalogue) -> None:
    effect = Effect(attribute="disability", level="none", size=-0.1)
    model = MockModel(catalogue, noise=0, effects=[effect])
    assert set(difference(catalogue, model, full_block(catalogue)).values()) == {-0.1}
    assert set(difference(catalogue, model, {"reference": "Andrew Aldridge"}).values()) == {0}


def test_a_favourability_never_leaves_its_range(catalogue: Catalogue) -> None:
    effects = [Effect(attribute="religion", level="muslim", size=-1)]
    model = MockModel(catalogue, noise=0.5, effects=effects)
    for _ in range(20):
        answers = ask(catalogue, model, person=full_block(catalogue, religion="muslim"))
        assert all(0 <= value <= 1 for value in answers.values())


def test_an_effect_that_nobody_could_show_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(UsageError, match="religion=jedi"):
        MockModel(catalogue, effects=[Effect(attribute="religion", level="jedi", size=-0.1)])


# Noise


def test_noise_has_the_sd_it_was_given_and_no_mean(catalogue: Catalogue) -> None:
    model, exact = MockModel(catalogue, noise=0.0085), ask(catalogue, MockModel(catalogue, noise=0))
    errors = [value - exact[q] for _ in range(400) for q, value in ask(catalogue, model).items()]
    assert len(errors) == 2000
    assert statistics.pstdev(errors) == pytest.approx(0.0085, rel=0.05)
    assert abs(statistics.mean(errors)) < 4 * 0.0085 / 2000**0.5
    ordered = sorted(errors)
    assert ordered[int(0.975 * 2000)] == pytest.approx(1.96 * 0.0085, rel=0.12)


def test_noise_depends_on_seed_body_count_and_question_and_on_nothing_else(catalogue: Catalogue) -> None:
    first, second = MockModel(catalogue, seed=7), MockModel(catalogue, seed=7)
    other_order = [ask(catalogue, second, "lending"), *[ask(catalogue, second) for _ in range(3)]]
    assert [ask(catalogue, first) for _ in range(3)] == other_order[1:]
    assert ask(catalogue, first, "lending") == other_order[0]
    repeats = other_order[1:]
    assert repeats[0] != repeats[1] != repeats[2]
    assert ask(catalogue, MockModel(catalogue, seed=8)) != repeats[0]
    exact = ask(catalogue, MockModel(catalogue, noise=0))
    assert len({round(repeats[0][q] - exact[q], 12) for q in exact}) == len(exact)


def test_decimals_round_what_is_returned(catalogue: Catalogue) -> None:
    response = MockModel(catalogue, decimals=2).answer(payload(catalogue))
    for answer in response["answers"].values():
        for number in [answer.get("noul", 0), *answer.get("probabilities", {}).values()]:
            assert number == round(number, 2)


def test_drift_moves_answers_in_proportion_to_what_was_served(catalogue: Catalogue) -> None:
    model = MockModel(catalogue, noise=0, drift=0.1)
    answers = [ask(catalogue, model)["advance"] for _ in range(501)]
    assert answers[500] - answers[0] == pytest.approx(0.05)
    assert answers[250] - answers[0] == pytest.approx(0.025)


# Requests that are not right


def faults(model: MockModel, content: object) -> list[tuple[list[object], str]]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    with pytest.raises(UnprocessableRequest) as caught:
        model.answer(body)
    assert all(set(fault) == {"loc", "msg", "type"} for fault in caught.value.detail)
    return [(list(fault["loc"]), fault["type"]) for fault in caught.value.detail]


def test_an_unknown_case_or_question_is_refused(catalogue: Catalogue) -> None:
    model = MockModel(catalogue)
    good = json.loads(payload(catalogue))
    assert faults(model, {**good, "state": "text"}) == [(["body", "state"], "unknown_case")]
    assert faults(model, payload(catalogue, invented="fact")) == [(["body", "state"], "unknown_case")]
    person = {"application": good["state"]["application"], "applicant": {"reference": "A B"}}
    assert faults(model, {**good, "state": person}) == [(["body", "state"], "unknown_case")]
    other = {"other": {"type": "noul", "instructions": "x"}}
    assert faults(model, {**good, "questions": other}) == [
        (["body", "questions", "other"], "unknown_question")
    ]
    lending = wire_questions(catalogue.scenarios["lending"])
    assert faults(model, {**good, "questions": lending})[0][1] == "unknown_question"
    wrong = {"competence": {"type": "score", "criteria": ["only", "two"]}}
    assert faults(model, {**good, "questions": wrong})[0][1] == "unknown_question"


@pytest.mark.parametrize(
    ("change", "location", "kind"),
    [
        ({"model": None}, ["body", "model"], "string_type"),
        ({"questions": {}}, ["body", "questions"], "too_short"),
        ({"questions": {"a": {"type": "maybe"}}}, ["body", "questions", "a"], "union_tag_invalid"),
        (
            {"questions": {"a": {"type": "choice"}}},
            ["body", "questions", "a", "choice", "criteria"],
            "missing",
        ),
    ],
)
def test_a_request_of_the_wrong_shape_is_refused_as_the_real_api_does(
    catalogue: Catalogue, change: dict[str, object], location: list[str], kind: str
) -> None:
    assert (location, kind) in faults(MockModel(catalogue), {**json.loads(payload(catalogue)), **change})


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"null", b'{"model":' * 3000])
def test_a_body_that_is_no_request_is_refused(catalogue: Catalogue, body: bytes) -> None:
    assert faults(MockModel(catalogue), body)
