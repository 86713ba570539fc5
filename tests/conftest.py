"""Fixtures that every room's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The catalogue that ships with the project."""
    return load_catalogue(CHECKOUT)
