"""A profile, its people and its scenarios become a plan."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue, catalogue_hash
from jevbias.catalogue.models import Condition, Profile
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.people.keyed import keyed_bytes
from jevbias.plan.asks import PackedBlock, PlannedAsks
from jevbias.plan.cells import Cell, plan_cells
from jevbias.plan.frames import build_frame
from jevbias.plan.model import Frame, Plan
from jevbias.plan.probes import ListedProbe, ProbeShuffle


def build_plan(
    catalogue: Catalogue,
    profile_name: str,
    profile: Profile,
    seed: int,
    *,
    scenarios: Sequence[str] | None = None,
    anchor_reference: bool = False,
    used_names: Collection[str] = (),
) -> Plan:
    """Plan a run: the same arguments give the same plan, byte for byte, on every platform.

    `scenarios` narrows the profile to some of its scenarios, each in the variants it has in the whole
    profile. `anchor_reference` puts attributes that are not swept at their reference instead of drawing them.
    `used_names` are the full names of people another run asked about: new people take other first names and
    surnames while the pools last.

    The order is a seeded shuffle of the whole run: the spread of a cell's repeats is the null that findings
    are tested against, and repeats that run next to each other understate it.

    Raises UsageError where no coherent people exist for the profile, and for a profile that `jevbias confirm`
    has to fill in.
    """
    positions = {scenario: position for position, scenario in enumerate(profile.scenarios)}
    narrowed = profile
    if scenarios is not None:
        kept = [scenario for scenario in profile.scenarios if scenario in set(scenarios)]
        narrowed = profile.model_copy(update={"scenarios": kept})
    people = build_people(catalogue, narrowed, seed, anchor_reference=anchor_reference, used_names=used_names)

    asks, shuffle = PlannedAsks(), ProbeShuffle(narrowed.scenarios)
    cells = plan_cells(narrowed, people, positions, seed, catalogue.placebo_attributes)
    for cell, frame, block in _asked(catalogue, cells):
        ask = asks.add(frame, block)
        for replicate in range(cell.replicates):
            shuffle.add(_order(seed, cell, replicate), cell, replicate, ask)
    probes = shuffle.ordered(asks.hash_at)

    snapshot = catalogue.snapshot(narrowed.scenarios, placebos=narrowed.placebos)
    content_hash = catalogue_hash(snapshot)
    return Plan(
        profile_name=profile_name,
        profile=narrowed,
        seed=seed,
        snapshot=snapshot,
        catalogue_hash=content_hash,
        people=people,
        asks=asks,
        probes=probes,
        plan_hash=plan_hash(profile_name, narrowed, seed, content_hash, probes.listed()),
    )


def _order(seed: int, cell: Cell, replicate: int) -> bytes:
    """Where a probe stands in the shuffled run."""
    key = ("order", cell.person.identity, cell.scenario, cell.condition, replicate)
    return keyed_bytes(seed, *key, cell.variant) if cell.beside else keyed_bytes(seed, *key)


def _asked(catalogue: Catalogue, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Frame, PackedBlock]]:
    """Each cell with what it asks. Cells of one person and condition follow each other, and only a `blind`
    person is shown differently from one scenario to the next.
    """
    frames: dict[tuple[str, str, int | None], Frame] = {}
    shown: tuple[int, Condition, str | None] | None = None
    block = PackedBlock(b"")
    for cell in cells:
        scenario = catalogue.scenarios[cell.scenario]
        age = cell.person.age if scenario.career_field else None
        key = (cell.scenario, cell.variant, age)
        if key not in frames:
            frames[key] = build_frame(cell.scenario, scenario, cell.variant, cell.person)
        now = cell.person.idx, cell.condition, scenario.role if cell.condition == "blind" else None
        if now != shown:
            block = PackedBlock.of(person_block(cell.person, catalogue, scenario, cell.condition))
            shown = now
        yield cell, frames[key], block


def plan_hash(
    profile_name: str, profile: Profile, seed: int, content_hash: str, probes: Iterable[ListedProbe]
) -> str:
    """SHA-256 (hex) of a plan: the profile, the seed, the catalogue's hash and the probes in their order."""
    digest = hashlib.sha256()
    design = profile.model_dump(mode="json", exclude={"title", "aliases", *_flags_that_are_off(profile)})
    digest.update(canonical_json([profile_name, design, seed, content_hash]))
    quoted = cache(canonical_json)
    for position, person, scenario, variant, condition, replicate, ask_hash in probes:
        # What canonical_json makes of the probe as a list, in a quarter of the time.
        texts = quoted(scenario), quoted(variant), quoted(condition)
        digest.update(b'[%d,%d,%s,%s,%s,%d,"%s"]' % (position, person, *texts, replicate, ask_hash.encode()))
    return digest.hexdigest()


def _flags_that_are_off(profile: Profile) -> list[str]:
    """What the hash leaves out, so that it stays that of plans made before there were these flags."""
    return [name for name in ("placebos", "anchor_in_every_variant") if not getattr(profile, name)]
