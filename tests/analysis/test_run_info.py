"""What a report says of the run itself."""

import pytest

from jevbias.analysis.run_info import instrument
from jevbias.drivers.providers import PROVIDERS


@pytest.mark.parametrize("driver", list(PROVIDERS))
def test_the_report_says_which_instrument_it_was(driver: str) -> None:
    said = instrument(driver)
    assert ("writes its numbers down" in said) == PROVIDERS[driver].writes_numbers
    assert "effect sizes do not compare with those of" in said


def test_a_driver_of_another_version_is_compared_with_nothing() -> None:
    assert "does not know" in instrument("telepathy")
