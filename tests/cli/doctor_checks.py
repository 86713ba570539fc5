"""What the tests of `doctor` ask, and how they read what it found."""

from __future__ import annotations

from tests.cli.conftest import Result

GOOD = {"id": "acme/large", "supported_parameters": ["structured_outputs"], "context_length": 1000}


def addresses(base_url: str) -> dict[str, str]:
    """Every driver's server at the mock."""
    return {
        "TYPESAFE_BASE_URL": base_url,
        "OPENROUTER_BASE_URL": f"{base_url}/api/v1",
        "OPENAI_BASE_URL": f"{base_url}/v1",
    }


def states(result: Result) -> dict[str, str]:
    """Check → its state."""
    return {check["name"]: check["state"] for check in result.json["checks"]}


def said(result: Result, name: str) -> str:
    """What one check found, and its advice."""
    (check,) = (check for check in result.json["checks"] if check["name"] == name)
    return f"{check['found']} → {check['advice']}"
