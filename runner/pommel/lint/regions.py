"""Rule: regions that a prediction names, and that are empty."""

from collections.abc import Iterator

from pommel.formula.tree import RegionValue
from pommel.lint.contrasts import Side
from pommel.lint.remark import Remark, in_items
from pommel.lint.subject import Subject


def empty_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that a prediction names though they are empty, in some items or in all.

    One that is empty in every item may be meant so where the sum of a contrast's side has another
    region: `(5;%gap%) + (6;%gap%)`.
    """
    filled = {each for contrast in subject.contrasts for each in contrast.sides}
    seen: set[RegionValue] = set()
    for index, formula in enumerate(subject.formulas):
        for reference in formula.references:
            items = _empty_items(subject, reference)
            is_gap = len(items) == len(subject.items) and _is_part(subject, reference, filled)
            if items and not is_gap and reference not in seen:
                yield _remark(subject, index, reference, items)
            seen.add(reference)


def _empty_items(subject: Subject, reference: RegionValue) -> list[int]:
    if reference.region is None:
        return []
    return [
        i
        for i, item in enumerate(subject.items)
        if not item[reference.condition].text(reference.region)
    ]


def _is_part(subject: Subject, reference: RegionValue, sides: set[Side]) -> bool:
    return any(
        side.condition == reference.condition
        and side.regions is not None
        and reference.region in side.regions
        and all(subject.regions(item, side) for item in range(len(subject.items)))
        for side in sides
    )


def _remark(subject: Subject, index: int, reference: RegionValue, items: list[int]) -> Remark:
    numbers = subject.numbers(items)
    is_all = len(items) == len(subject.items)
    metric = subject.suite.metrics[0]
    value = "its sum is 0" if metric == "sum" else f"it has no {metric}"
    what = f"region {reference.region} of {reference.condition!r}"
    condition = subject.items[items[0]][reference.condition]
    return Remark(
        rule="empty-region",
        path=("predictions", index, "formula") if is_all else condition.path,
        message=f"{what}, which prediction {index} names, is empty "
        f"{in_items(numbers, len(subject.items))}: {value}",
        hint="write its content, or name another region",
        item_numbers=numbers,
    )
