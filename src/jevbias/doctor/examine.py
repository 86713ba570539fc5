"""Every check, in the order in which a run would come upon what they look at."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue
from jevbias.doctor.asking import Asking
from jevbias.doctor.check import Check
from jevbias.doctor.machine import (
    check_catalogue,
    check_database,
    check_settings,
    check_sqlite,
    check_versions,
)
from jevbias.doctor.whom import check_whom
from jevbias.errors import CatalogueError, UsageError
from jevbias.settings import Settings


@dataclass(frozen=True)
class Examination:
    """What all checks found."""

    checks: tuple[Check, ...]

    @property
    def failed(self) -> int:
        """How many checks failed; with none a run can start."""
        return sum(check.state == "failed" for check in self.checks)


async def examine(settings: Settings | UsageError, asking: Asking) -> Examination:
    """Run every check; `settings` is what reading them ended with. Nothing is made or changed, and nothing
    spent that `asking` does not allow.
    """
    checks = [check_versions(), check_sqlite()]
    if isinstance(settings, UsageError):
        return Examination((*checks, check_settings(str(settings))))
    catalogue = _load(settings)
    checks += [
        check_settings(None),
        check_database(settings.db),
        check_catalogue(catalogue, settings.catalogue),
    ]
    usable = None if isinstance(catalogue, CatalogueError) else catalogue
    checks += await check_whom(settings, usable, asking)
    return Examination(tuple(checks))


def _load(settings: Settings) -> Catalogue | CatalogueError:
    try:
        return load_catalogue(settings.catalogue)
    except CatalogueError as error:
        return error
