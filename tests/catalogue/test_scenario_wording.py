"""The wording of the scenarios that ship: it says nothing of the person and leaves nowhere to hide."""

from __future__ import annotations

import json
import re

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, NoulQuestion, Scenario
from tests.catalogue.scenario_text import facts, options, prompts

ASKED_NOT_OFFERED = {
    "hiring_screen": "salary|pay|wage|interview|invite",
    "lending": "interest|rate|limit of|guarant",
    "tenancy": "deposit|guarant|advance|insurance|savings",
    "clinical_triage": "morphine|codeine|opioid|opiate|urgent|triage|asks for|requests?",
    "justice_bail": "bail|tag|curfew|report to|custody|convict",
    "content_moderation": "suspend|delete the comment|apolog",
    "support_triage": "refund|compensation|engineer|escalat|urgent|apolog",
    "admissions": "fees?|scholarship|fund|afford|interview",
    "credibility": "fraud|investigat|pay now|proof",
    "fraud_risk": "fraud|confirmed|security|identity|frozen",
}
"""Words of a question's answer: a fact that holds them would answer it, or offer what it asks about."""
KEYS = sorted(ASKED_NOT_OFFERED)

PERSON_WORDS = re.compile(
    r"""\b(
    he|she|him|his|her|hers|himself|herself|mr|mrs|ms|miss|sir|madam|lady|gentleman|guy|
    m[ae]n|wom[ae]n|male|female|boys?|girls?|nonbinary|gender|sex|trans(gender)?|gay|lesbian|straight|
    husband|wife|spouse|partner|married|divorced|widow(ed|er)?|single|family|mother|father|parents?|
    child(ren)?|kids?|son|daughter|baby|pregnan(t|cy)|maternity|paternity|dependants?|carer|caring|
    young(er)?|old(er)?|elderly|aged?|teenagers?|years\sold|retire[ds]?|pension(er)?|graduate[ds]?|
    white|black|brown|asian|african|hispanic|latin[oax]|arab|indian|chinese|european|american|british|
    english|irish|polish|jewish|jew|roma|native|indigenous|ethnic(ity)?|race|racial|skin|pale|blush(ed)?|
    immigra(nt|tion)|migrant|foreign(er)?|national(ity)?|citizen(ship)?|refugee|asylum|visa|passport|
    accent|language|mother\stongue|fluent|translat(ed|or)|interpreter|spelling|grammar|
    religio(n|us)|church|mosque|temple|synagogue|christian|muslim|hindu|sikh|buddhist|atheist|prayer|
    halal|kosher|christmas|ramadan|easter|caste|headscarf|turban|kippah|hijab|
    disab(led|ility)|wheelchair|blind|deaf|autis(m|tic)|adhd|mental|depress(ed|ion)|chronic|illness|
    walk(s|ed|ing)?|ran|seizure|sick|medical\shistory|
    hair|beard|tattoos?|piercings?|dressed|clothes|scruffy|smart|attractive|tall|short|weight|obese|thin|
    school|college|university|degree|diploma|student|
    (un|self-)?employed|jobless|jobseeker|full-time|part-time|salary|wages?|benefits|
    homeowner|mortgage|council|estate|suburb|village|inner\scity|hostel|shelter|
    political|politics|left-wing|right-wing|conservative|liberal|socialist|green|union|veteran|army|military|
    convict(ed|ion)s?|criminal|prison|record|offender|sober|drunk|alcohol|drinks?|smok(er|es|ing)|addict(ed|ion)?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that would say, hint at or contradict what the person block says; none may be in a case."""

IN_PROMPTS_TOO = re.compile(
    r"\b(he|she|him|his|her|hers|himself|herself|m[ae]n|wom[ae]n|record|"
    r"bias\w*|fair\w*|unfair\w*|discriminat\w*|prejudic\w*|stereotyp\w*|equal\w*|regardless|protected|"
    r"gender|race|ethnic\w*|religio\w*|disab\w*|identity\s+group|background)\b",
    re.IGNORECASE,
)
"""What no prompt may say: gendered words, the subject of the measurement, the name of an attribute."""

NEUTRAL_MIDDLE = re.compile(
    r"\b(average|neutral|medium|moderate(ly)?|middling|neither|unclear|uncertain|unsure|undecided|"
    r"not sure|it depends|mixed|fair|acceptable|adequate|okay|typical|normal|standard|"
    r"no opinion|cannot tell|hard to say|insufficient information)\b",
    re.IGNORECASE,
)


@pytest.fixture(params=KEYS)
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def scenario(key: str, catalogue: Catalogue) -> Scenario:
    return catalogue.scenarios[key]


@pytest.fixture
def attribute_phrases(catalogue: Catalogue) -> list[str]:
    levels = [level for a in catalogue.attributes.values() for level in a.levels.values()]
    return [text for level in levels for text in (level.phrase, *(level.by_gender or {}).values()) if text]


def test_no_fact_says_or_hints_at_who_the_person_is(scenario: Scenario) -> None:
    for variant in VARIANTS:
        found = [match[0] for match in PERSON_WORDS.finditer(facts(scenario, variant))]
        assert not found


def test_no_phrase_of_an_attribute_is_in_a_case_or_a_question(
    scenario: Scenario, attribute_phrases: list[str]
) -> None:
    text = " ".join([*(facts(scenario, v) for v in VARIANTS), *prompts(scenario)]).casefold()
    found = [p for p in attribute_phrases if re.search(rf"\b{re.escape(p.casefold())}\b", text)]
    assert not found


def test_no_fact_offers_what_a_question_asks_about(key: str, scenario: Scenario) -> None:
    words = re.compile(rf"\b({ASKED_NOT_OFFERED[key]})", re.IGNORECASE)
    for variant in VARIANTS:
        assert not words.findall(facts(scenario, variant))


def test_no_prompt_has_a_gendered_word_or_speaks_of_what_is_measured(scenario: Scenario) -> None:
    for text in (*prompts(scenario), *scenario.questions):
        assert not IN_PROMPTS_TOO.findall(text), text


def test_every_noul_says_what_a_yes_and_what_a_no_mean(scenario: Scenario) -> None:
    for name, question in scenario.questions.items():
        if isinstance(question, NoulQuestion):
            yes, no = question.criteria.true, question.criteria.false
            assert yes.casefold() != no.casefold(), name
            assert min(len(yes.split()), len(no.split())) >= 5, name


def test_no_rubric_and_no_option_list_has_a_middle_to_park_on(scenario: Scenario) -> None:
    for name, question in scenario.questions.items():
        texts = options(question)
        assert len(texts) in (2, 4, 6), f"{name}: an odd number of options has a middle one"
        assert not [text for text in texts if NEUTRAL_MIDDLE.search(text)], name


def test_every_option_is_a_position_of_its_own(scenario: Scenario) -> None:
    for name, question in scenario.questions.items():
        texts = [text.casefold() for text in options(question)]
        assert len(set(texts)) == len(texts), name
        assert min(len(text.split()) for text in texts) >= 3, name


def test_a_prompt_is_one_or_two_sentences_and_asks(scenario: Scenario) -> None:
    for name, question in scenario.questions.items():
        text = question.instructions
        assert text.endswith("?"), name
        assert 1 <= len(re.findall(r"[.?!](?:\s|$)", text)) <= 2, name
        assert 12 <= len(text.split()) <= 40, name


def test_a_case_is_specific_enough_to_decide_on_and_a_frame_stays_compact(scenario: Scenario) -> None:
    """At about four characters a token, 3,600 characters keep a frame under some 900 tokens."""
    for variant in VARIANTS:
        case = scenario.variants[variant]
        assert len(facts(scenario, variant).split()) >= 45, variant
        questions = {name: [q.instructions, *options(q)] for name, q in scenario.questions.items()}
        assert len(json.dumps([case, questions], ensure_ascii=False)) <= 3600, variant


def test_variants_of_a_scenario_are_about_equally_long(scenario: Scenario) -> None:
    """A longer case must not be what makes a case strong."""
    lengths = [len(facts(scenario, v)) for v in VARIANTS]
    assert max(lengths) <= 1.25 * min(lengths)


@pytest.mark.parametrize("text", ["Asked her for the receipt", "Retired last spring", "No criminal record"])
def test_the_search_for_person_words_finds_them(text: str) -> None:
    assert PERSON_WORDS.search(text)
