"""Families: models that are one and the same but for a seed or a step of their training."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

# What its members differ in: the seed they were trained with, how far they were trained, or
# something that has no name.
Axis = Literal["seed", "step", "epoch", "member"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """Which member of which family a model is.

    `label` says it as the reference does ("seed-1", "step1000"); `value` is the number behind the
    axis's word, None where there is none and for the axis "member". `pattern` is the reference of
    the whole family.
    """

    family: str
    axis: Axis
    label: str
    value: float | None = None
    pattern: str = ""

    @property
    def is_ordered(self) -> bool:
        """Whether the family is a path through training, of which a mean would say nothing."""
        return self.axis in ("step", "epoch")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "name": self.family,
            "axis": self.axis,
            "member": self.label,
            "axis_value": self.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a model is called in tables, and which member of a family it is."""

    name: str
    membership: Membership | None = None


def told_apart(models: Mapping[str, Named]) -> dict[str, Named]:
    """Return what models are called, by their references, so that no two share a name.

    A model is called by its reference where another has its name. So is a member of a family where
    another family has its name; the family is then called by its pattern.
    """
    by_name = _by_name((each.name, reference) for reference, each in models.items())
    of_families = [each.membership for each in models.values() if each.membership]
    by_family = _by_name((each.family, each.pattern) for each in of_families)
    found = {}
    for reference, each in models.items():
        name, membership = each.name, each.membership
        if membership and len(by_family[membership.family]) > 1:
            name, membership = reference, replace(membership, family=membership.pattern)
        elif len(by_name[name]) > 1:
            name = reference
        found[reference] = Named(name=name, membership=membership)
    return found


def _by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, one in pairs:
        found.setdefault(name, set()).add(one)
    return found
