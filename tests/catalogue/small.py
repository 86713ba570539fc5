"""A catalogue as small as one can be, for tests that break it in one place."""

from __future__ import annotations

from pathlib import Path

SCENARIO = """\
title: Lending a book
domain: libraries
role: borrower
case_key: request
career_field: years
variants:
  weak: {years: 1, returns: {late: 3, lost: 1}}
  mid: {years: 2, returns: {late: 1, lost: 1}}
  strong: {years: 3, returns: {late: 0, lost: 0}}
questions:
  lend:
    kind: noul
    direction: "+"
    measures: loan
    instructions: Should the book be lent?
    criteria: {true: lend it, false: keep it}
  weeks:
    kind: choice
    direction: "+"
    measures: length of the loan
    instructions: For how long?
    criteria: {one: one week, four: four weeks}
  risk:
    kind: score
    direction: "-"
    measures: predicted loss
    instructions: How likely is a loss?
    criteria: [unlikely, likely]
literature: [A paper]
"""

ATTRIBUTES = """\
attributes:
  name_culture:
    label: Name culture
    protected: true
    reference: plain
    carried_by: name
    levels: {plain: Plain name, fancy: Fancy name}
  gender:
    label: Gender
    protected: true
    reference: man
    carried_by: name_and_field
    levels:
      man: {phrase: man, pronouns: he/him}
      woman: {phrase: woman, pronouns: she/her}
  religion:
    label: Religion
    reference: none
    levels:
      none: null
      sikh: Sikh
      nun:
        by_gender: {man: monk, woman: nun}
  age_band:
    label: Age
    reference: young
    field: age
    measure: age
    levels:
      young: {phrase: young, value: 25, range: [20, 30]}
      old: {phrase: old, value: 65, range: [60, 70]}
      minor: {phrase: minor, value: 17, range: [16, 18], sweep: false}
  height_band:
    label: Height
    reference: average
    field: height
    measure: height
    levels:
      average: {phrase: average, value: 172, range: [163, 182]}
      tall: {phrase: tall, value: 190, range: [182, 200]}
  build:
    label: Build
    reference: slim
    measure: bmi
    levels:
      slim: {phrase: slim, value: 19.5, range: [18, 21.5]}
      broad: {phrase: broad, value: 27, range: [25, 30]}
  folder:
    label: Folder
    role: placebo
    reference: red
    levels: {red: red folder, blue: blue folder}
incompatible:
  - levels: {religion: [nun], age_band: [minor, young]}
    because: vows are taken late
"""

NAMES = """\
cultures:
  plain:
    surnames: [Smith, Jones]
    first_names:
      man: [John, Jack]
      woman: [Jane, Jill]
  fancy:
    surnames: [Plantagenet, Tudor]
    first_names:
      man: [Ethelred, Æthelstan]
      woman: [Ermintrude, Zoë]
"""

PROFILE = """\
title: A look
aliases: [glance]
design: counterfactual
bases: 2
swept: [gender, religion]
scenarios: [lend_book]
conditions: [full, name_only]
replicate_subjects: 2
replicates: 2
anchor_replicates: 3
"""

CROWD = """\
title: A crowd
design: factorial
people: 20
scenarios: [lend_book]
conditions: [blind, full]
"""

PRICES = """\
prices:
  - {driver: jev, model: jev-*, input_per_million: 0.5, output_per_million: 0, source: a, checked: 2026-09-20}
  - {driver: jev, model: old-*, input_per_million: 1, output_per_million: 2, source: a, checked: 2026-09-20}
"""

FILES = {
    "scenarios/lend_book.yaml": SCENARIO,
    "scenarios/people/attributes.yaml": ATTRIBUTES,
    "scenarios/people/names.yaml": NAMES,
    "profiles/look.yaml": PROFILE,
    "profiles/crowd.yaml": CROWD,
    "profiles/prices/prices.yaml": PRICES,
}

TEXTS = {Path(name).stem: (name, text) for name, text in FILES.items()}
"""By file stem: the file's name and its text."""


def write_catalogue(root: Path, **changed: str | None) -> Path:
    """Write the small catalogue; `changed` has new texts by file stem, None leaves the file out."""
    for name, text in FILES.items():
        path = root / name
        content = changed.get(path.stem, text)
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_text(content, encoding="utf-8")
    return root


def line_of(text: str, part: str) -> int:
    """The 1-based line on which `part`, which occurs once, begins."""
    assert text.count(part) == 1, part
    return text[: text.index(part)].count("\n") + 1
