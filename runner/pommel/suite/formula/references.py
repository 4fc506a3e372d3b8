"""Does a formula fit its suite: does everything that it names exist, does it say what it means."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from pommel.errors import nearest
from pommel.suite.formula.tree import Formula, Logical, RegionValue, Span, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something about a formula, and the characters of its text that it is about."""

    message: str
    hint: str
    span: Span
    severity: Literal["error", "warning"]


def check_references(formula: Formula, regions_of: Mapping[str, Collection[int]]) -> list[Remark]:
    """Return an error for every condition or region that does not exist.

    `regions_of` maps each condition's name to the numbers of its regions.
    """
    remarks = (_check_reference(node, regions_of) for node in formula.references)
    return [remark for remark in remarks if remark]


def lint(formula: Formula) -> list[Remark]:
    """Return a warning where a formula may surprise its reader."""
    remarks = [
        Remark(
            message="'&' and '|' share one level and associate to the left",
            hint="put brackets around what belongs together",
            span=node.span,
            severity="warning",
        )
        for node in walk(formula.tree)
        if isinstance(node, Logical) and _mixes_levels(node)
    ]
    if not formula.references:
        remarks.append(
            Remark(
                message="the formula mentions no region, so it is the same for every item",
                hint="name a region, e.g. (1;%condition%)",
                span=formula.tree.span,
                severity="warning",
            )
        )
    return remarks


def _check_reference(node: RegionValue, regions_of: Mapping[str, Collection[int]]) -> Remark | None:
    if node.condition not in regions_of:
        message = f"there is no condition {node.condition!r}"
        return _error(message, nearest_or_all(node.condition, regions_of), node.span)
    numbers = regions_of[node.condition]
    if node.region is not None and node.region not in numbers:
        message = f"condition {node.condition!r} has no region {node.region}"
        known = ", ".join(map(str, sorted(numbers)))
        return _error(message, f"its regions are {known}", node.span)
    return None


def nearest_or_all(name: str, known: Collection[str]) -> str:
    """Return a hint that names what `name` probably meant, or all there is to choose from."""
    meant = nearest(name, known)
    if meant is not None:
        return f"did you mean {meant!r}?"
    return f"there are: {', '.join(repr(each) for each in known)}"


def _mixes_levels(node: Logical) -> bool:
    left = node.left
    return isinstance(left, Logical) and left.operator != node.operator and not left.bracketed


def _error(message: str, hint: str, span: Span) -> Remark:
    return Remark(message=message, hint=hint, span=span, severity="error")
