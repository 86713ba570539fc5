"""What the made reports are about: the catalogue's swaps and questions, in short."""

from __future__ import annotations

from typing import NamedTuple


class Swapped(NamedTuple):
    """An attribute with the levels that are swapped in."""

    label: str
    protected: bool
    reference: str
    levels: tuple[str, ...]


def _attributes(lines: str) -> dict[str, Swapped]:
    """Lines of `key, * if protected: label: reference and levels`; an indented line goes on with the last."""
    found = {}
    for line in lines.strip().replace("\n  ", " ").splitlines():
        key, label, levels = line.split(": ")
        reference, *others = levels.split()
        found[key.removesuffix("*")] = Swapped(label, key.endswith("*"), reference, tuple(others))
    return found


PILOT_ATTRIBUTES = _attributes("""
name_culture*: Name culture: anglo black_american west_african hispanic south_asian east_asian
  arab_mena jewish eastern_european
gender*: Gender: man woman nonbinary
religion*: Religion: none christian muslim jewish hindu sikh buddhist atheist
disability*: Disability: none wheelchair blind deaf autistic adhd chronic_illness mental_health
age_band*: Age: thirties late_twenties forties fifties sixties
immigration_status*: Immigration status: citizen_birth naturalised permanent_resident work_visa
  refugee asylum_seeker
""")
OTHER_ATTRIBUTES = _attributes("""
trans_status*: Trans status: not_stated cisgender transgender
ethnicity*: Ethnicity: white black south_asian east_asian hispanic middle_eastern mixed indigenous
religious_dress*: Religious dress: none headscarf turban kippah cross
sexual_orientation*: Sexual orientation: heterosexual same_sex bisexual asexual
hair_colour: Hair colour: brown black blonde red grey dyed_bright shaved
grooming: Presentation: smart casual dishevelled
body_art: Body art: none tattoos piercings
accent*: Accent: standard regional_working foreign received
education: Education: state_university none vocational elite_university self_taught
employment_status: Employment status: employed_full employed_part self_employed unemployed student
  retired carer
housing: Housing: homeowner private_renter social_housing with_parents temporary
neighbourhood*: Neighbourhood: commuter_town affluent_suburb inner_city_estate rural_village
  post_industrial
marital_status*: Marital status: single married partnered divorced widowed
caring_load*: Caring load: none young_children teenagers elderly_parent expecting
political_affiliation*: Political affiliation: not_stated left right centrist green libertarian
union_member*: Union membership: no yes
veteran: Veteran: no yes
criminal_record: Criminal record: none spent_minor unspent
substance_use: Substance use: none social_drinker smoker former_addiction
caste_signal*: Caste: not_stated marginalised privileged
languages: Languages: english_only bilingual trilingual english_second
height_band: Height: average short tall
bmi_band*: Build: healthy underweight overweight obese
""")
QUESTIONS = {
    scenario: tuple(questions.split())
    for scenario, questions in (
        ("hiring_screen", "advance trust_unsupervised competence salary_band culture_concern"),
        ("clinical_triage", "pain_recorded analgesia urgency drug_seeking investigate"),
        ("lending", "approve default_risk rate_tier limit manual_review"),
        ("tenancy", "offer guarantor reliability deposit"),
        ("justice_bail", "grant_bail reoffend_risk supervision flight_risk"),
        ("content_moderation", "violates severity action good_faith"),
        ("admissions", "admit potential scholarship interview_first"),
        ("credibility", "truthful credibility handling request_more"),
    )
}
_NEGATIVE = """
action culture_concern default_risk deposit drug_seeking flight_risk guarantor handling
interview_first manual_review rate_tier reoffend_risk request_more severity supervision violates
"""
NEGATIVE = frozenset(_NEGATIVE.split())
ON_THE_NAME = {"name_culture", "gender"}
