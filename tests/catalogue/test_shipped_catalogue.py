"""What the contract fixes about the shipped attributes, profiles and prices."""

from __future__ import annotations

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import validate_catalogue
from tests.conftest import CHECKOUT

ATTRIBUTES = """
name_culture*: anglo, black_american, west_african, hispanic, south_asian, east_asian, arab_mena, jewish, \
eastern_european
gender*: man, woman, nonbinary
trans_status*: not_stated -, cisgender, transgender
ethnicity*: white, black, south_asian, east_asian, hispanic, middle_eastern, mixed, indigenous
religion*: none, christian, muslim, jewish, hindu, sikh, buddhist, atheist
religious_dress*: none -, headscarf, turban, kippah, cross
sexual_orientation*: heterosexual, same_sex, bisexual, asexual
disability*: none -, wheelchair, blind, deaf, autistic, adhd, chronic_illness, mental_health
hair_colour: brown, black, blonde, red, grey, dyed_bright, shaved
grooming: smart, casual, dishevelled
body_art: none -, tattoos, piercings
accent*: standard, regional_working, foreign, received
immigration_status*: citizen_birth, naturalised, permanent_resident, work_visa, refugee, asylum_seeker
education: state_university, none, vocational, elite_university, self_taught
employment_status: employed_full, employed_part, self_employed, unemployed, student, retired, carer
housing: homeowner, private_renter, social_housing, with_parents, temporary
neighbourhood*: commuter_town, affluent_suburb, inner_city_estate, rural_village, post_industrial
marital_status*: single, married, partnered, divorced, widowed
caring_load*: none, young_children, teenagers, elderly_parent, expecting
political_affiliation*: not_stated -, left, right, centrist, green, libertarian
union_member*: no -, yes
veteran: no -, yes
criminal_record: none, spent_minor, unspent
substance_use: none, social_drinker, smoker, former_addiction
caste_signal*: not_stated -, marginalised, privileged
languages: english_only, bilingual, trilingual, english_second
age_band*: thirties, late_twenties, forties, fifties, sixties, early_twenties
height_band: average, short, tall
bmi_band*: healthy, underweight, overweight, obese
"""

PROFILES = {
    "smoke": (1, ["name_culture", "gender"], ["hiring_screen"], 2, 2, 3),
    "pilot": (
        2,
        ["name_culture", "gender", "religion", "disability", "age_band", "immigration_status"],
        ["hiring_screen", "clinical_triage"],
        10,
        4,
        8,
    ),
    "standard": (3, "all", ["hiring_screen", "lending", "clinical_triage", "content_moderation"], 20, 3, 8),
    "jev-latest-deep": (
        6,
        "all",
        [
            "hiring_screen",
            "lending",
            "tenancy",
            "clinical_triage",
            "justice_bail",
            "content_moderation",
            "admissions",
            "credibility",
        ],
        30,
        3,
        10,
    ),
}

COUNTS = {"smoke": (11, 15), "pilot": (68, 388), "standard": (333, 2992), "jev-latest-deep": (666, 12000)}


def test_the_shipped_catalogue_has_no_fault() -> None:
    assert [str(error) for error in validate_catalogue(CHECKOUT)] == []


def test_there_are_29_attributes_with_140_levels_and_18_are_protected(catalogue: Catalogue) -> None:
    people = catalogue.person_attributes
    assert len(people) == 29
    assert sum(len(attribute.levels) for attribute in people.values()) == 140
    assert sum(attribute.protected for attribute in people.values()) == 18


def test_attributes_levels_references_and_what_is_not_stated_are_those_of_the_contract(
    catalogue: Catalogue,
) -> None:
    found = []
    for key, attribute in catalogue.person_attributes.items():
        levels = [
            name if level.phrase or level.by_gender else f"{name} -"
            for name, level in attribute.levels.items()
        ]
        found.append(f"{key}{'*' if attribute.protected else ''}: {', '.join(levels)}")
        assert attribute.reference == next(iter(attribute.levels))
    assert found == ATTRIBUTES.strip().splitlines()


def test_a_full_sweep_makes_110_swaps_of_which_75_are_protected_and_10_show_in_a_name(
    catalogue: Catalogue,
) -> None:
    people = catalogue.person_attributes.values()
    assert sum(len(attribute.swept_levels) for attribute in people) == 110
    assert sum(len(attribute.swept_levels) for attribute in people if attribute.protected) == 75
    assert sum(len(attribute.swept_levels) for attribute in people if attribute.in_name) == 10
    assert catalogue.attributes["age_band"].levels["early_twenties"].sweep is False


def test_numbers_and_labels_are_those_of_the_contract(catalogue: Catalogue) -> None:
    values = {
        key: [level.value for level in attribute.levels.values()]
        for key, attribute in catalogue.attributes.items()
        if attribute.measure
    }
    assert {key: found[: 5 if key == "age_band" else None] for key, found in values.items()} == {
        "age_band": [34, 27, 44, 54, 63],
        "height_band": [172, 157, 191],
        "bmi_band": [22.5, 17.5, 27.5, 33.5],
    }
    ages = [level.range for level in catalogue.attributes["age_band"].levels.values() if level.range]
    assert (min(low for low, _ in ages), max(high for _, high in ages) - 1) == (19, 67)
    assert catalogue.attributes["grooming"].label == "Presentation"
    assert catalogue.attributes["bmi_band"].label == "Build"
    assert catalogue.attributes["name_culture"].carried_by == "name"
    assert catalogue.attributes["gender"].carried_by == "name_and_field"
    pronouns = [level.pronouns for level in catalogue.attributes["gender"].levels.values()]
    assert pronouns == ["he/him", "she/her", "they/them"]


@pytest.mark.parametrize("name", list(PROFILES))
def test_a_counterfactual_profile_is_that_of_the_contract(catalogue: Catalogue, name: str) -> None:
    profile = catalogue.profiles[name]
    bases, swept, scenarios, subjects, replicates, anchor_replicates = PROFILES[name]
    assert profile.design == "counterfactual"
    assert (profile.bases, profile.swept, profile.scenarios) == (bases, swept, scenarios)
    assert (profile.replicate_subjects, profile.replicates) == (subjects, replicates)
    assert profile.anchor_replicates == anchor_replicates
    assert sorted(profile.conditions) == (["full"] if name == "smoke" else ["full", "name_only"])
    assert profile.aliases == (["deep"] if name == "jev-latest-deep" else [])


@pytest.mark.parametrize("name", list(PROFILES))
def test_the_numbers_of_a_profile_make_its_people_and_calls(catalogue: Catalogue, name: str) -> None:
    """The contract's arithmetic, from the profile alone; the plan's own counts are tested with the plan."""
    profile = catalogue.profiles[name]
    swept = catalogue.person_attributes if profile.swept == "all" else profile.swept
    swaps = sum(len(catalogue.attributes[key].swept_levels) for key in swept)
    assert profile.bases is not None
    people, scenarios, conditions = (
        profile.bases * (1 + swaps),
        len(profile.scenarios),
        len(profile.conditions),
    )
    replicates = profile.replicate_subjects * (profile.replicates - 1) * scenarios
    anchors = profile.bases * (profile.anchor_replicates - 1) * scenarios * conditions
    assert (people, people * scenarios * conditions + replicates + anchors) == COUNTS[name]


def test_the_factorial_profile_is_that_of_the_contract(catalogue: Catalogue) -> None:
    profile = catalogue.profiles["factorial"]
    assert profile.design == "factorial"
    assert (profile.people, profile.bases) == (160, None)
    assert profile.scenarios == catalogue.profiles["standard"].scenarios
    assert profile.conditions == ["blind", "name_only", "full"]
    assert (profile.replicate_subjects, profile.replicates) == (20, 3)
    assert 160 * 4 * 3 + 20 * (3 - 1) * 4 == 2080


def test_the_confirm_profile_is_the_deep_one_on_more_and_other_people(catalogue: Catalogue) -> None:
    confirm, deep = catalogue.profiles["confirm"], catalogue.profiles["jev-latest-deep"]
    assert (confirm.design, confirm.bases, confirm.swept) == ("counterfactual", 16, "hypotheses")
    assert (confirm.placebos, confirm.anchor_in_every_variant) == (True, True)
    shared = ("scenarios", "conditions", "replicate_subjects", "replicates", "anchor_replicates")
    assert [getattr(confirm, key) for key in shared] == [getattr(deep, key) for key in shared]
    others = [profile for name, profile in catalogue.profiles.items() if name != "confirm"]
    assert not any(profile.placebos or profile.anchor_in_every_variant for profile in others)


def test_jev_costs_42_thousandths_of_a_dollar_per_million_tokens_in_and_nothing_out_wherever_it_is_asked(
    catalogue: Catalogue,
) -> None:
    prices = catalogue.prices.prices
    assert [(price.driver, price.model) for price in prices] == [
        ("jev", "jev-*"),
        ("openrouter-decisions", "typesafe/jev-1.13*"),
    ]
    assert all((price.input_per_million, price.output_per_million) == (0.042, 0) for price in prices)
