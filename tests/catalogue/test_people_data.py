"""The attributes that ship with the project: what the contract fixes, and what keeps a swap honest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Attribute, Level

FILE = Path(__file__).parent.parent.parent / "scenarios" / "people" / "attributes.yaml"

CONTRACT = """
name_culture*: anglo black_american west_african hispanic south_asian east_asian arab_mena jewish \
eastern_european
gender*: man woman nonbinary
trans_status*: not_stated cisgender transgender
ethnicity*: white black south_asian east_asian hispanic middle_eastern mixed indigenous
religion*: none christian muslim jewish hindu sikh buddhist atheist
religious_dress*: none headscarf turban kippah cross
sexual_orientation*: heterosexual same_sex bisexual asexual
disability*: none wheelchair blind deaf autistic adhd chronic_illness mental_health
hair_colour: brown black blonde red grey dyed_bright shaved
grooming: smart casual dishevelled
body_art: none tattoos piercings
accent*: standard regional_working foreign received
immigration_status*: citizen_birth naturalised permanent_resident work_visa refugee asylum_seeker
education: state_university none vocational elite_university self_taught
employment_status: employed_full employed_part self_employed unemployed student retired carer
housing: homeowner private_renter social_housing with_parents temporary
neighbourhood*: commuter_town affluent_suburb inner_city_estate rural_village post_industrial
marital_status*: single married partnered divorced widowed
caring_load*: none young_children teenagers elderly_parent expecting
political_affiliation*: not_stated left right centrist green libertarian
union_member*: no yes
veteran: no yes
criminal_record: none spent_minor unspent
substance_use: none social_drinker smoker former_addiction
caste_signal*: not_stated marginalised privileged
languages: english_only bilingual trilingual english_second
age_band*: thirties late_twenties forties fifties sixties early_twenties
height_band: average short tall
bmi_band*: healthy underweight overweight obese
"""

UNSTATED = {
    ("trans_status", "not_stated"),
    ("religious_dress", "none"),
    ("disability", "none"),
    ("body_art", "none"),
    ("political_affiliation", "not_stated"),
    ("union_member", "no"),
    ("veteran", "no"),
    ("caste_signal", "not_stated"),
}

BY_GENDER = {
    ("religious_dress", "headscarf"),
    ("sexual_orientation", "same_sex"),
    ("caring_load", "expecting"),
}

GENDERED = re.compile(
    r"\b(m[ae]n|wom[ae]n|males?|females?|he|him|his|she|hers?|boys?|girls?|lad(y|ies)|gentlem[ae]n|mothers?|"
    r"fathers?|sons?|daughters?|husbands?|wi(fe|ves)|widowers?|brothers?|sisters?|pregnan\w+|maternity|"
    r"paternity|lesbians?|blonde|fiancée?|beards?|hijab|ghutra|bachelors?|divorcée?)\b",
    re.IGNORECASE,
)


def levels(catalogue: Catalogue) -> Iterator[tuple[str, str, Attribute, Level]]:
    for key, attribute in catalogue.person_attributes.items():
        for name, level in attribute.levels.items():
            yield key, name, attribute, level


def wordings(level: Level) -> list[str]:
    phrase = [level.phrase] if level.phrase is not None else []
    return [*phrase, *(level.by_gender or {}).values()]


def test_the_file_names_its_schema_for_the_editor() -> None:
    first = FILE.read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=../../schemas/attributes.schema.json"


def test_attributes_and_levels_are_those_of_the_contract_in_its_order(catalogue: Catalogue) -> None:
    shipped = [
        f"{key}{'*' if a.protected else ''}: {' '.join(a.levels)}"
        for key, a in catalogue.person_attributes.items()
    ]
    assert shipped == CONTRACT.strip().splitlines()
    assert len(shipped) == 29
    assert sum(len(a.levels) for a in catalogue.person_attributes.values()) == 140
    assert sum(a.protected for a in catalogue.person_attributes.values()) == 18


def test_the_first_level_is_the_reference(catalogue: Catalogue) -> None:
    assert all(a.reference == next(iter(a.levels)) for a in catalogue.person_attributes.values())


def test_presentation_and_build_go_by_their_plain_names(catalogue: Catalogue) -> None:
    assert catalogue.attributes["grooming"].label == "Presentation"
    assert catalogue.attributes["bmi_band"].label == "Build"
    labels = [a.label for a in catalogue.person_attributes.values()]
    assert len(set(labels)) == len(labels)


def test_a_full_sweep_makes_110_swaps_of_which_75_protected_and_10_in_names(catalogue: Catalogue) -> None:
    attributes = catalogue.person_attributes.values()
    assert sum(len(a.swept_levels) for a in attributes) == 110
    assert sum(len(a.swept_levels) for a in attributes if a.protected) == 75
    assert sum(len(a.swept_levels) for a in attributes if a.in_name) == 10
    assert {(key, name) for key, name, _, level in levels(catalogue) if not level.sweep} == {
        ("age_band", "early_twenties")
    }


def test_only_name_culture_and_gender_are_carried_by_a_name(catalogue: Catalogue) -> None:
    carried = {key: a.carried_by for key, a in catalogue.person_attributes.items() if a.in_name}
    assert carried == {"name_culture": "name", "gender": "name_and_field"}


def test_pronouns_follow_gender(catalogue: Catalogue) -> None:
    assert {key: level.pronouns for key, level in catalogue.attributes["gender"].levels.items()} == {
        "man": "he/him",
        "woman": "she/her",
        "nonbinary": "they/them",
    }


def test_exactly_the_levels_of_the_contract_are_left_unstated(catalogue: Catalogue) -> None:
    assert {(key, name) for key, name, _, level in levels(catalogue) if not wordings(level)} == UNSTATED


def test_only_three_wordings_follow_gender_and_none_is_a_reference(catalogue: Catalogue) -> None:
    following = {(key, name): level for key, name, _, level in levels(catalogue) if level.by_gender}
    assert following.keys() == BY_GENDER
    for (key, name), level in following.items():
        assert level.by_gender is not None
        assert list(level.by_gender) == list(catalogue.attributes["gender"].levels)
        assert len(set(level.by_gender.values())) == 3
        assert name != catalogue.attributes[key].reference


def test_a_phrase_belongs_to_one_level_and_no_phrase_contains_another(catalogue: Catalogue) -> None:
    """Case counts: "Black" as an ethnicity is another word than the "black" of black hair. Gender is left
    out because a wording that follows gender may name it.
    """
    stated = [
        (key, name, text)
        for key, name, attribute, level in levels(catalogue)
        if attribute.carried_by == "field"
        for text in wordings(level)
    ]
    for (key, name, text), (other_key, other_name, other) in product(stated, stated):
        if (key, name) != (other_key, other_name):
            assert not re.search(rf"(?<!\w){re.escape(text)}(?!\w)", other), f"{text!r} in {other!r}"


def test_phrases_are_short_single_clean_lines(catalogue: Catalogue) -> None:
    for key, name, _, level in levels(catalogue):
        for text in wordings(level):
            assert 1 <= len(text.split()) <= 8, f"{key}={name}"
            assert re.fullmatch(r"[A-Za-z][A-Za-z, -]*[a-z]", text), f"{key}={name}: {text}"


def test_phrases_of_an_attribute_are_alike_in_length(catalogue: Catalogue) -> None:
    for key, attribute in catalogue.person_attributes.items():
        lengths = [len(text) for level in attribute.levels.values() for text in wordings(level)]
        assert max(lengths) <= 3 * min(lengths), key
        assert max(lengths) - min(lengths) <= 14, key


def test_only_gender_and_wordings_that_follow_it_use_gendered_words(catalogue: Catalogue) -> None:
    for key, name, _, level in levels(catalogue):
        if key != "gender" and level.phrase is not None:
            assert not GENDERED.search(level.phrase), f"{key}={name}: {level.phrase}"


def test_payload_keys_are_plain_and_distinct(catalogue: Catalogue) -> None:
    stated = {key: a.field or key for key, a in catalogue.person_attributes.items() if a.carried_by != "name"}
    assert len(set(stated.values())) == 28
    renamed = {key: field for key, field in stated.items() if field != key}
    assert renamed == {
        "grooming": "presentation",
        "caste_signal": "caste",
        "age_band": "age",
        "height_band": "height",
        "bmi_band": "build",
    }
