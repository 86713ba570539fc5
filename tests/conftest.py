"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue
from tests.postgres.cluster import NoPostgresError, server_programs
from tests.postgres.databases import Databases
from tests.postgres.shared import SharedServer

CHECKOUT = Path(__file__).parent.parent

# Before numpy is imported, here and in what is started from here: several workers share the cores, and a
# thread of linear algebra that waits for another one spins.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

_OTHER_SERVER = os.environ.get("JEVBIAS_TEST_POSTGRES")


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The catalogue that ships with the project."""
    return load_catalogue(CHECKOUT)


@pytest.fixture(scope="session")
def needs_postgres() -> None:
    """Skips a test where PostgreSQL is not installed, except in continuous integration, where it must be."""
    if os.environ.get("CI") == "true":
        return
    try:
        server_programs()
    except NoPostgresError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def own_postgres(needs_postgres: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Databases on the PostgreSQL server that this session of tests starts for all its processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "postgres"
    folder.mkdir(exist_ok=True)
    server = SharedServer(folder)
    databases = Databases(server.url, server.password)
    yield databases
    databases.close()
    server.close()


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Databases on PostgreSQL: on the server that `JEVBIAS_TEST_POSTGRES` names, else on our own."""
    if _OTHER_SERVER is None:
        own: Databases = request.getfixturevalue("own_postgres")
        yield own
        return
    databases = Databases(_OTHER_SERVER)
    yield databases
    databases.close()
