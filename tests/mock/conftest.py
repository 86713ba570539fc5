"""A mock on loopback that answers exactly on the merits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock


@pytest.fixture
def exact_mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    """A mock without noise and without effects."""
    with running_mock(MockModel(catalogue, noise=0)) as running:
        yield running
