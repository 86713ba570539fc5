"""Previewing a swap, placebos among them."""

from __future__ import annotations

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.plan.preview import Preview, PreviewedAsks, preview_asks


def preview(catalogue: Catalogue, swap: str | None, condition: str = "full") -> PreviewedAsks:
    wanted = Preview(scenario="lending", condition=condition, variant="mid", swap=swap, base=1)
    return preview_asks(catalogue, wanted, seed=3)


def test_a_placebo_is_shown_in_the_payloads_of_a_run_with_placebos(catalogue: Catalogue) -> None:
    shown, plain = preview(catalogue, "umbrella_colour=olive"), preview(catalogue, "religion=muslim")
    assert shown.swap is not None
    assert plain.swap is not None
    changed = {key: text for key, text in shown.swap.person.items() if shown.anchor.person.get(key) != text}
    assert changed == {"umbrella": "olive umbrella"}
    assert shown.anchor.person["umbrella"] == "teal umbrella"
    fields = {a.field or key for key, a in catalogue.placebo_attributes.items()}
    assert fields.isdisjoint(plain.anchor.person)
    assert fields.isdisjoint(plain.swap.person)


@pytest.mark.parametrize(
    ("swap", "condition", "message"),
    [
        ("umbrella_colour=olive", "name_only", r"is a placebo, which nobody is asked about under name_only"),
        ("umbrella_colour=teal", "full", r"is the reference, which every anchor has; swaps are indigo, "),
        ("religion", "full", r"--swap: 'religion' is not ATTRIBUTE=LEVEL"),
        ("age_band=early_twenties", "full", r"is never swept"),
        ("religion=muslin", "full", r"unknown level of religion 'muslin'; allowed: muslim"),
    ],
)
def test_a_swap_that_no_run_makes_is_refused(
    catalogue: Catalogue, swap: str, condition: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        preview(catalogue, swap, condition)
