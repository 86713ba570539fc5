"""Fixtures that every room's tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue
from tests.people.laid_out import found_once
from tests.postgres.cluster import NoPostgresError, server_programs
from tests.postgres.databases import Databases
from tests.postgres.shared import SharedServer

CHECKOUT = Path(__file__).parent.parent

# Before numpy is imported, here and in what is started from here: several workers share the cores, and a
# thread of linear algebra that waits for another one spins.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# How long an example takes says how busy the machine is.
settings.register_profile("busy machine", deadline=None)
settings.load_profile("busy machine")

_OTHER_SERVER = os.environ.get("JEVBIAS_TEST_POSTGRES")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collecting the tests makes half a million objects that stay: Python looks for garbage neither while
    they are made nor, later, among them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The catalogue that ships with the project."""
    return load_catalogue(CHECKOUT)


@pytest.fixture(scope="session", autouse=True)
def _each_crowd_is_laid_out_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The shipped factorial crowd takes seconds to lay out, and a dozen files of tests need it."""
    with pytest.MonkeyPatch.context() as patch:
        found = found_once(_shared_folder(tmp_path_factory, "crowds"))
        patch.setattr("jevbias.people.lay_out.near_orthogonal_array", found)
        yield


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
    server = SharedServer(_shared_folder(tmp_path_factory, "postgres"))
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


def _shared_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all processes of this session of tests have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder
