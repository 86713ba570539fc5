"""What a model reads of a scenario, as plain texts for the tests of the scenarios that ship."""

from __future__ import annotations

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion, Question, Scenario, ScoreQuestion, Variant


def facts(scenario: Scenario, variant: Variant) -> str:
    """The facts of a case in one line; the declared career field, which says `years`, is left out."""
    case = {key: v for key, v in scenario.variants[variant].items() if key != scenario.career_field}
    return ". ".join(f"{key.replace('_', ' ')}: {value}" for key, value in case.items())


def options(question: Question) -> list[str]:
    """What may be answered, in the order of the file."""
    match question:
        case NoulQuestion():
            return [question.criteria.true, question.criteria.false]
        case ChoiceQuestion():
            return list(question.criteria.values())
        case ScoreQuestion():
            return list(question.criteria)


def prompts(scenario: Scenario) -> list[str]:
    """Every instruction and every option of a scenario."""
    return [text for q in scenario.questions.values() for text in (q.instructions, *options(q))]
