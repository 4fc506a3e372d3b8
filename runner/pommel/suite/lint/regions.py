"""Rule: regions that a prediction names, and that are empty."""

from collections.abc import Iterator, Mapping

from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.contrasts import Side
from pommel.suite.lint.remark import Remark, in_items
from pommel.suite.lint.subject import Subject


def empty_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that a prediction names though they are empty, in some items or in all.

    See `reported_empty`.
    """
    for reference, items in reported_empty(subject).items():
        yield _remark(subject, reference, items)


def reported_empty(subject: Subject) -> Mapping[RegionValue, list[int]]:
    """Return the regions that should not be empty, and the items in which they are.

    One that is empty in every item may be meant so where a contrast's side adds another region to
    its sum: `(5;%gap%) + (6;%gap%)`. Other metrics of an empty region are undefined.
    """
    filled = {each for contrast in subject.contrasts for each in contrast.sides}
    is_sum = subject.suite.metrics[0] == "sum"
    references = (each for formula in subject.formulas for each in formula.references)
    found = {each: _empty_items(subject, each) for each in dict.fromkeys(references)}
    return {
        reference: items
        for reference, items in found.items()
        if items
        and not (
            is_sum and len(items) == len(subject.items) and _is_part(subject, reference, filled)
        )
    }


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


def _remark(subject: Subject, reference: RegionValue, items: list[int]) -> Remark:
    formulas = enumerate(subject.formulas)
    predictions = tuple(i for i, formula in formulas if reference in formula.references)
    index = predictions[0]
    numbers = subject.numbers(items)
    is_all = len(items) == len(subject.items)
    metric = subject.suite.metrics[0]
    value = f"it has no {metric}, and no comparison with it holds"
    value = "its sum is 0" if metric == "sum" else value
    what = f"region {reference.region} of {reference.condition!r}"
    condition = subject.items[items[0]][reference.condition]
    return Remark(
        rule="empty-region",
        path=("predictions", index, "formula") if is_all else condition.path,
        message=f"{what}, which prediction {index} names, is empty "
        f"{in_items(numbers, len(subject.items))}: {value}",
        hint="write its content, or name another region",
        item_numbers=numbers,
        predictions=predictions,
        cause="empty",
    )
