"""Whether the variants of a scenario state the same facts, and which of them does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import Variant
from jevbias.catalogue.rules.fault import Fault, named

_SAME = "every variant states the same facts"


def compare_facts(facts: Mapping[Variant, JsonValue], path: KeyPath = ()) -> Iterator[Fault]:
    """Facts have the same keys in the same order in every variant, in mappings within facts too; a fault is
    where the fewer variants differ from the others.

    `facts` has what each variant states at `path`, which is () for all of its facts.
    """
    mappings = {variant: fact for variant, fact in facts.items() if isinstance(fact, dict)}
    lists = {variant: fact for variant, fact in facts.items() if isinstance(fact, list)}
    scalars = [variant for variant in facts if variant not in mappings and variant not in lists]
    yield from _compare_forms([list(mappings), list(lists), scalars], path)
    yield from _compare_keys(mappings, path)
    yield from _compare_orders(mappings, path)
    for key in dict.fromkeys(key for fact in mappings.values() for key in fact):
        stated = {variant: fact[key] for variant, fact in mappings.items() if key in fact}
        yield from compare_facts(stated, (*path, key))
    for index in range(max(map(len, lists.values()), default=0)):
        stated = {variant: fact[index] for variant, fact in lists.items() if index < len(fact)}
        yield from compare_facts(stated, (*path, index))


def _compare_forms(forms: Iterable[list[Variant]], path: KeyPath) -> Iterator[Fault]:
    """Variants by whether they state a mapping, a list or something simple."""
    usual, *others = sorted(forms, key=len, reverse=True)
    for variant in (variant for form in others for variant in form):
        yield _fault(variant, path, f"is built differently in {_named(usual)}; {_SAME}")


def _compare_keys(mappings: Mapping[Variant, Mapping[str, JsonValue]], path: KeyPath) -> Iterator[Fault]:
    for key in dict.fromkeys(key for fact in mappings.values() for key in fact):
        having = [variant for variant, fact in mappings.items() if key in fact]
        lacking = [variant for variant in mappings if variant not in having]
        if len(lacking) > len(having):
            verb = "does" if len(lacking) == 1 else "do"
            for variant in having:
                yield _fault(variant, (*path, key), f"{_SAME}, and {_named(lacking)} {verb} not state it")
        else:
            verb = "states" if len(having) == 1 else "state"
            for variant in lacking:
                yield _fault(variant, (*path, key), f"missing; {_SAME}, and {_named(having)} {verb} it")


def _compare_orders(mappings: Mapping[Variant, Mapping[str, JsonValue]], path: KeyPath) -> Iterator[Fault]:
    """Orders are compared over the keys that all of the mappings have."""
    shared = [key for key in next(iter(mappings.values()), {}) if all(key in m for m in mappings.values())]
    orders: dict[tuple[str, ...], list[Variant]] = {}
    for variant, fact in mappings.items():
        orders.setdefault(tuple(key for key in fact if key in shared), []).append(variant)
    usual, *others = sorted(orders.items(), key=lambda entry: len(entry[1]), reverse=True) or [((), [])]
    for variant in (variant for _, variants in others for variant in variants):
        order = named(usual[0])
        yield _fault(variant, path, f"the facts stand in another order than in {_named(usual[1])}: {order}")


def _fault(variant: Variant, path: KeyPath, message: str) -> Fault:
    return Fault(("variants", variant, *path), message)


def _named(variants: Iterable[str]) -> str:
    return " and ".join(variants)
