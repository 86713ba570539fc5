"""The pages of docs/, each of which links to all others."""

from __future__ import annotations

PAGES = {
    "index.html": "General model",
    "robot.html": "Robot model",
    "comparison.html": "Both compared",
    "findings-sparrow.html": "What both mean",
    "mock.html": "Made-up server",
    "findings-jev.html": "Published: Jev",
    "findings-claude.html": "Published: Claude Opus 5",
}
"""What a link to a page says, by its file."""


def nav_of(page: str) -> list[tuple[str, str]]:
    """The links of a page: labels and files."""
    return [(label, file) for file, label in PAGES.items() if file != page]
