"""Names: who is called what, so that no two people share a name while the pools last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import lcm

from jevbias.catalogue.catalogue import Catalogue
from jevbias.people.keyed import keyed_shuffle


class NameBook:
    """The names of a catalogue in the order that a seed puts them in, by name culture and gender.

    First names and surnames of `used_names`, full names of people who exist already, come last in that order.
    Where the catalogue has no attribute that the name carries, or no gender, the one list there is serves.
    """

    def __init__(self, catalogue: Catalogue, seed: int, used_names: Collection[str] = ()) -> None:
        self._names, self._seed = catalogue.names, seed
        self._used_first_names, self._used_surnames = _parts(used_names)
        carriers = {a.carried_by: key for key, a in catalogue.person_attributes.items()}
        self._culture, self._gender = carriers.get("name"), carriers.get("name_and_field")
        self._surnames: dict[str, list[str]] = {}
        self._first_names: dict[str, dict[str, list[str]]] = {}

    def full_name(self, levels: Mapping[str, str], number: int) -> str:
        """The name that a person of these levels (attribute: level) has in base `number`.

        Two bases share no first name and no surname of a culture and gender until its pool runs out, and
        no full name until every combination has been used. People of one base and culture share the surname.
        """
        culture = self._culture_of(levels)
        surnames, first_names = self._surnames_of(culture), self._first_names_of(culture, levels)
        shift = number // lcm(len(surnames), len(first_names))
        first_name = first_names[(number + shift) % len(first_names)]
        return f"{first_name} {surnames[number % len(surnames)]}"

    def full_names(self, people: Sequence[Mapping[str, str]]) -> list[str]:
        """One name for each of many people: first names and surnames of a culture (and gender) go round in
        turn, and full names are distinct until every combination has been used.
        """
        turns: Counter[str | tuple[int, int]] = Counter()
        taken: set[str] = set()
        return [self._next_name(levels, turns, taken) for levels in people]

    def _next_name(
        self, levels: Mapping[str, str], turns: Counter[str | tuple[int, int]], taken: set[str]
    ) -> str:
        culture = self._culture_of(levels)
        surnames, first_names = self._surnames_of(culture), self._first_names_of(culture, levels)
        pool = (id(surnames), id(first_names))
        turn, surname_turn, combinations = turns[pool], turns[culture], len(surnames) * len(first_names)
        turns[pool] += 1
        turns[culture] += 1
        name = ""
        for step in range(combinations if turn < combinations else 1):
            first_name = first_names[(turn + step) % len(first_names)]
            name = f"{first_name} {surnames[(surname_turn + step // len(first_names)) % len(surnames)]}"
            if name not in taken:
                break
        taken.add(name)
        return name

    def _culture_of(self, levels: Mapping[str, str]) -> str:
        return next(iter(self._names.cultures)) if self._culture is None else levels[self._culture]

    def _surnames_of(self, culture: str) -> list[str]:
        if culture not in self._surnames:
            listed = self._names.cultures[culture].surnames
            shuffled = keyed_shuffle(listed, self._seed, "surname", culture)
            self._surnames[culture] = sorted(shuffled, key=self._used_surnames.__contains__)
        return self._surnames[culture]

    def _first_names_of(self, culture: str, levels: Mapping[str, str]) -> list[str]:
        if culture not in self._first_names:
            pools = _disjoint_pools(self._names.cultures[culture].first_names)
            shuffled = {
                gender: keyed_shuffle(pool, self._seed, "first_name", culture, gender)
                for gender, pool in pools.items()
            }
            self._first_names[culture] = {
                gender: sorted(pool, key=self._used_first_names.__contains__)
                for gender, pool in shuffled.items()
            }
        pools = self._first_names[culture]
        return next(iter(pools.values())) if self._gender is None else pools[levels[self._gender]]


def _parts(full_names: Iterable[str]) -> tuple[set[str], set[str]]:
    """All that may be a first name, and a surname, in full names, as either may have a space in it."""
    splits = [(name, at) for name in full_names for at, letter in enumerate(name) if letter == " "]
    return {name[:at] for name, at in splits}, {name[at + 1 :] for name, at in splits}


def _disjoint_pools(listed: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The lists with every name in one of them only, so that a gender swap cannot keep the name: a name that
    stands in several goes to the shortest. A list that would end up empty keeps its names.
    """
    owners = Counter(name for names in listed.values() for name in names)
    pools = {key: [name for name in names if owners[name] == 1] for key, names in listed.items()}
    for name in sorted(name for name, count in owners.items() if count > 1):
        bidders = [key for key, names in listed.items() if name in names]
        pools[min(bidders, key=lambda key: len(pools[key]))].append(name)
    return {key: pool or list(listed[key]) for key, pool in pools.items()}
