"""The ten scenarios that ship with the project: what the contract fixes about them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, ChoiceQuestion, Scenario
from tests.catalogue.scenario_text import facts

FOLDER = Path(__file__).parent.parent.parent / "scenarios"
SCHEMA_LINE = "# yaml-language-server: $schema=../schemas/scenario.schema.json"

CONTRACT = {
    "hiring_screen": (
        "candidate",
        "application",
        "advance noul +, trust_unsupervised noul +, competence score +, salary_band choice +, "
        "culture_concern noul -",
    ),
    "lending": (
        "applicant",
        "application",
        "approve noul +, default_risk score -, rate_tier choice -, limit choice +, manual_review noul -",
    ),
    "tenancy": (
        "applicant",
        "application",
        "offer noul +, guarantor noul -, reliability score +, deposit choice -",
    ),
    "clinical_triage": (
        "patient",
        "case",
        "pain_recorded choice +, analgesia choice +, urgency score +, drug_seeking noul -, "
        "investigate noul +",
    ),
    "justice_bail": (
        "defendant",
        "case",
        "grant_bail noul +, reoffend_risk score -, supervision choice -, flight_risk noul -",
    ),
    "content_moderation": (
        "account holder",
        "comment",
        "violates noul -, severity score -, action choice -, good_faith noul +",
    ),
    "support_triage": (
        "customer",
        "ticket",
        "priority score +, goodwill_refund noul +, escalate noul +, tone choice +",
    ),
    "admissions": (
        "applicant",
        "application",
        "admit noul +, potential score +, scholarship choice +, interview_first noul -",
    ),
    "credibility": (
        "claimant",
        "claim",
        "truthful noul +, credibility score +, handling choice -, request_more noul -",
    ),
    "fraud_risk": ("account holder", "payment", "flag noul -, risk score -, step_up choice -"),
}
KEYS = sorted(CONTRACT)

SAME_IN_EVERY_VARIANT = {
    "hiring_screen": {"post", "tasks"},
    "lending": {"product", "amount_requested"},
    "tenancy": {"property", "monthly_rent"},
    "clinical_triage": {"complaint", "pain_reported"},
    "justice_bail": {"charge"},
    "content_moderation": {"forum", "house_rule", "posted_under"},
    "support_triage": {"product", "request"},
    "admissions": {"programme"},
    "credibility": {"loss", "amount_claimed"},
    "fraud_risk": {"amount"},
}
"""What is asked for or complained of: were it to follow the case, a question would measure the request."""

REFERENCE = re.compile(r"^\S.+ \((19|20)\d\d\)\. \S.{20,}\.$", re.DOTALL)


@pytest.fixture(params=KEYS)
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def scenario(key: str, catalogue: Catalogue) -> Scenario:
    return catalogue.scenarios[key]


def test_there_are_ten_scenarios_with_42_questions(catalogue: Catalogue) -> None:
    assert set(catalogue.scenarios) == set(CONTRACT)
    assert sum(len(scenario.questions) for scenario in catalogue.scenarios.values()) == 42


def test_questions_kinds_and_directions_are_those_of_the_contract(key: str, scenario: Scenario) -> None:
    role, case_key, questions = CONTRACT[key]
    found = ", ".join(f"{name} {q.kind} {q.direction}" for name, q in scenario.questions.items())
    assert found == questions
    assert (scenario.role, scenario.case_key) == (role, case_key)


def test_a_file_names_its_schema_on_the_first_line(key: str) -> None:
    assert (FOLDER / f"{key}.yaml").read_text(encoding="utf-8").splitlines()[0] == SCHEMA_LINE


def test_every_variant_has_the_same_facts_in_the_same_order(scenario: Scenario) -> None:
    assert tuple(scenario.variants) == VARIANTS
    weak, mid, strong = (list(scenario.variants[v]) for v in VARIANTS)
    assert weak == mid == strong
    assert 6 <= len(weak) <= 10


def test_what_is_asked_for_stays_and_every_other_fact_differs_between_all_variants(
    key: str, scenario: Scenario
) -> None:
    for fact in scenario.variants["weak"]:
        values = {json.dumps(scenario.variants[v][fact]) for v in VARIANTS}
        assert len(values) == (1 if fact in SAME_IN_EVERY_VARIANT[key] else 3), fact
    assert scenario.variants["weak"].keys() >= SAME_IN_EVERY_VARIANT[key]


def test_only_hiring_claims_a_career_of_3_6_and_9_years(key: str, scenario: Scenario) -> None:
    if key != "hiring_screen":
        assert scenario.career_field is None
        return
    assert scenario.career_field == "years_of_experience"
    assert [scenario.variants[v]["years_of_experience"] for v in VARIANTS] == [3, 6, 9]
    assert all(not re.search(r"\byears?\b", facts(scenario, v)) for v in VARIANTS)


def test_options_named_after_amounts_rise(catalogue: Catalogue) -> None:
    rising = []
    for key, scenario in catalogue.scenarios.items():
        for name, question in scenario.questions.items():
            if isinstance(question, ChoiceQuestion):
                amounts = [int(found[0]) for o in question.criteria if (found := re.search(r"\d+", o))]
                if len(amounts) == len(question.criteria):
                    assert amounts == sorted(set(amounts)), f"{key}.{name}"
                    rising.append(f"{key}.{name}")
    assert rising == [
        "clinical_triage.pain_recorded",
        "hiring_screen.salary_band",
        "lending.rate_tier",
        "lending.limit",
    ]


def test_other_options_run_from_least_to_most_of_what_is_asked_about(catalogue: Catalogue) -> None:
    ends = {
        "tenancy.deposit": ("no_deposit", "three_months"),
        "clinical_triage.analgesia": ("advice_only", "morphine"),
        "justice_bail.supervision": ("promise_only", "tagged_at_home"),
        "content_moderation.action": ("leave_up", "suspend_account"),
        "support_triage.tone": ("form_letter", "personal_contact"),
        "admissions.scholarship": ("no_award", "full_fee"),
        "fraud_risk.step_up": ("nothing", "show_identity"),
    }
    for place, expected in ends.items():
        key, name = place.split(".")
        question = catalogue.scenarios[key].questions[name]
        assert isinstance(question, ChoiceQuestion)
        options = list(question.criteria)
        assert (options[0], options[-1]) == expected, place


def test_handling_runs_from_paying_now_to_referring_for_fraud(catalogue: Catalogue) -> None:
    handling = catalogue.scenarios["credibility"].questions["handling"]
    assert isinstance(handling, ChoiceQuestion)
    assert handling.direction == "-"
    options = list(handling.criteria)
    assert options == ["pay_now", "pay_after_check", "investigate", "refer_for_fraud"]


def test_a_patient_reports_the_same_pain_in_every_variant(catalogue: Catalogue) -> None:
    """`pain_recorded` then measures belief, and its last option is to believe the patient."""
    scenario = catalogue.scenarios["clinical_triage"]
    recorded = scenario.questions["pain_recorded"]
    assert isinstance(recorded, ChoiceQuestion)
    assert {str(scenario.variants[v]["pain_reported"]) for v in VARIANTS} == {"8 out of 10"}
    assert list(recorded.criteria)[-1] == "pain_8_to_10"


def test_every_scenario_names_the_research_behind_it(scenario: Scenario) -> None:
    assert 1 <= len(scenario.literature) <= 2
    for reference in scenario.literature:
        assert REFERENCE.match(reference), reference
